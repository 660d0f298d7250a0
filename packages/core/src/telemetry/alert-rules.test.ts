import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Instrument, instruments } from './instruments.js';

const reference = (name: string): string =>
  fileURLToPath(new URL(`../../../../docs/reference/${name}`, import.meta.url));
const rules = readFileSync(reference('alerts.rules.yml'), 'utf8');
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const inPrometheus = (name: string): string => name.replaceAll('.', '_');

/** The series that the Prometheus exporter writes for an instrument: it adds `_total`, and no unit. */
function seriesOf({ name, kind }: Instrument): readonly string[] {
  const base = inPrometheus(name);
  if (kind === 'counter') return [`${base}_total`];
  return kind === 'gauge' ? [base] : ['_bucket', '_sum', '_count'].map((suffix) => `${base}${suffix}`);
}

const labelsOf = new Map(
  Object.values(instruments).flatMap((instrument: Instrument) =>
    seriesOf(instrument).map((series) => [series, new Set(instrument.attributes.map(inPrometheus))] as const),
  ),
);

/** Series and labels of an expression that no instrument has. */
function unknownNames(expr: string): readonly string[] {
  const selectors = [...expr.matchAll(/\b((?:criticizer|gen_ai|messaging)_\w+)(\{([^}]*)\})?(\s*\[)?/g)];
  const series = selectors.filter(([, name = '', braces, , range]) => braces || range || labelsOf.has(name));
  const labels = new Set([...labelsOf.values()].flatMap((names) => [...names]));
  const strangers = selectors.map(([, name = '']) => name).filter((name) => !labelsOf.has(name) && !labels.has(name));
  const wrong = series.flatMap(([, name = '', , inside = '']) =>
    [...inside.matchAll(/(\w+)\s*[=!]/g)]
      .map(([, label = '']) => label)
      .filter((label) => labelsOf.get(name)?.has(label) === false)
      .map((label) => `${name}{${label}}`),
  );
  return [...strangers, ...wrong];
}

type Panel = readonly [title: string, unit: string, ...queries: (readonly [expr: string, legend: string])[]];
const rate = (name: string, by: string): string => `sum by (${by}) (rate(${name}[5m]))`;
const quantile = (q: number, name: string, by = ''): string =>
  `histogram_quantile(${q}, sum by (le${by === '' ? '' : `, ${by}`}) (rate(${name}_bucket[15m])))`;

/** What an SRE asks first, from left to right and top to bottom. */
const panels: readonly Panel[] = [
  [
    'Alerts that fire',
    'short',
    [
      'max by (criticizer_alert_kind, error_type) (criticizer_alert_firing)',
      '{{criticizer_alert_kind}} {{error_type}}',
    ],
  ],
  [
    'From notice to delivery',
    's',
    [quantile(0.5, 'criticizer_job_total_duration'), 'p50'],
    [quantile(0.95, 'criticizer_job_total_duration'), 'p95'],
  ],
  [
    'Jobs: due, running, later',
    'short',
    ['max(criticizer_queue_due)', 'due'],
    ['max(criticizer_queue_running)', 'running'],
    ['max(criticizer_queue_scheduled)', 'later'],
  ],
  [
    'Longest due',
    's',
    ['max(criticizer_queue_oldest_due)', 'job'],
    ['max(criticizer_mail_oldest{criticizer_status=~"pending|sending"})', 'mail'],
  ],
  [
    'Outages that park work',
    'short',
    [
      'max by (criticizer_stage, criticizer_server, error_type) (criticizer_outage)',
      '{{criticizer_stage}} {{criticizer_server}} {{error_type}}',
    ],
  ],
  [
    'Open dead letters',
    'short',
    ['max by (criticizer_stage, error_type) (criticizer_dead_letter_open)', '{{criticizer_stage}} {{error_type}}'],
  ],
  ['Stages, p95', 's', [quantile(0.95, 'criticizer_stage_duration', 'criticizer_stage'), '{{criticizer_stage}}']],
  [
    'Retries waited for, by reason',
    'ops',
    [rate('criticizer_retry_delay_count', 'criticizer_reason'), '{{criticizer_reason}}'],
  ],
  [
    'Mails not done with',
    'short',
    [
      'max by (criticizer_status, criticizer_reason) (criticizer_mail_backlog)',
      '{{criticizer_status}} {{criticizer_reason}}',
    ],
  ],
  [
    'Mails by how they ended',
    'ops',
    [rate('criticizer_mail_delivery_total', 'criticizer_outcome'), '{{criticizer_outcome}}'],
  ],
  [
    'Model requests that fail',
    'ops',
    [
      rate('gen_ai_client_inference_duration_count{error_type!=""}', 'gen_ai_provider_name, error_type'),
      '{{gen_ai_provider_name}} {{error_type}}',
    ],
  ],
  [
    'Model requests, p95',
    's',
    [quantile(0.95, 'gen_ai_client_inference_duration', 'gen_ai_provider_name'), '{{gen_ai_provider_name}}'],
  ],
  [
    'Tokens',
    'short',
    [rate('gen_ai_client_inference_usage_input_tokens_total', 'gen_ai_provider_name'), 'in {{gen_ai_provider_name}}'],
    [rate('gen_ai_client_inference_usage_output_tokens_total', 'gen_ai_provider_name'), 'out {{gen_ai_provider_name}}'],
  ],
  [
    'Cost a day',
    'short',
    ['sum by (gen_ai_provider_name) (increase(criticizer_llm_cost_total[24h]))', '{{gen_ai_provider_name}}'],
  ],
  [
    'Findings an hour',
    'short',
    ['sum by (criticizer_severity) (increase(criticizer_review_finding_total[1h]))', '{{criticizer_severity}}'],
  ],
  ['Redactions an hour', 'short', ['sum(increase(criticizer_redaction_total[1h]))', 'all rules']],
  [
    'Leases lost, sweeps failed',
    'ops',
    [rate('criticizer_lease_lost_total', 'criticizer_loop'), 'lost {{criticizer_loop}}'],
    [rate('criticizer_sweep_failed_total', 'error_type'), 'sweep {{error_type}}'],
  ],
  ['Clock skew', 's', ['max(criticizer_clock_skew)', 'ahead'], ['min(criticizer_clock_skew)', 'behind']],
  [
    'Messages to pagers',
    'short',
    [
      'sum by (criticizer_pager, criticizer_outcome) (increase(criticizer_pager_message_total[1h]))',
      '{{criticizer_pager}} {{criticizer_outcome}}',
    ],
  ],
];

const source = { type: 'prometheus', uid: '${datasource}' };

function drawPanel([title, unit, ...queries]: Panel, at: number): object {
  return {
    ...{ id: at + 1, type: 'timeseries', title, datasource: source },
    gridPos: { h: 8, w: 8, x: (at % 3) * 8, y: Math.floor(at / 3) * 8 },
    fieldConfig: { defaults: { unit }, overrides: [] },
    targets: queries.map(([expr, legendFormat], n) => ({ refId: String.fromCharCode(65 + n), expr, legendFormat })),
  };
}

const dashboard = {
  ...{ title: 'Criticizer', uid: 'criticizer', schemaVersion: 39, version: 1, tags: ['criticizer'], timezone: 'utc' },
  ...{ refresh: '1m', time: { from: 'now-6h', to: 'now' } },
  templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }] },
  panels: panels.map(drawPanel),
};

describe('alert rules and dashboard', () => {
  it('OPS-6: rules name only series and labels that instruments have', () => {
    const expressions = rules
      .split('\n')
      .filter((line) => !/^\s*(?:#|annotations:|-? ?alert:|labels:)|summary:/.test(line));
    expect(unknownNames(expressions.join('\n'))).toEqual([]);
    expect([...rules.matchAll(/alert: (\w+)/g)].length).toBeGreaterThanOrEqual(15);
    expect(unknownNames('sum(criticizer_outage{criticizer_kind="x"}) + criticizer_nothing')).toEqual([
      'criticizer_nothing',
      'criticizer_outage{criticizer_kind}',
    ]);
  });

  it('OPS-6: the dashboard is the table of panels, whose queries name only what instruments have', async () => {
    const queries = panels.flatMap(([, , ...list]) => list.map(([expr]) => expr));
    expect(queries.flatMap(unknownNames)).toEqual([]);
    await expect(
      `${JSON.stringify({ ...dashboard, tags: [] }, null, 2).replace('"tags": []', '"tags": ["criticizer"]')}\n`,
    ).toMatchFileSnapshot(reference('dashboard.json'));
  });

  it.skipIf(!hasPromtool)(
    'OPS-6 PR-5: promtool finds the rules sound, and each fires as defined (Debian: prometheus)',
    () => {
      const run = (...words: string[]): string => execFileSync('promtool', words, { encoding: 'utf8' });
      expect(run('check', 'rules', reference('alerts.rules.yml'))).toContain('SUCCESS');
      expect(run('test', 'rules', reference('alerts.test.yml'))).toContain('SUCCESS');
    },
  );

  it('OPS-6: every alert has a case in which it fires', () => {
    const cases = readFileSync(reference('alerts.test.yml'), 'utf8');
    const fired = new Set([...cases.matchAll(/alertname: (\w+)\n\s+exp_alerts:\n/g)].map(([, name]) => name));
    const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name);
    expect(alerts.filter((name) => !fired.has(name))).toEqual([]);
  });
});
