import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as api from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { describe, expect, it } from 'vitest';
import {
  createAuditMetrics,
  createAuditTrail,
  createMemoryStores,
  measureAuditStore,
  silentLogger,
  systemRandom,
} from '../src/doors/audit.js';
import { createOpenTelemetry } from '../src/index.js';

const reference = (name: string): string => fileURLToPath(new URL(`../../../docs/reference/${name}`, import.meta.url));
const rules = readFileSync(reference('audit-alerts.rules.yml'), 'utf8');
const dashboard = readFileSync(reference('audit-dashboard.json'), 'utf8');
const nine = [
  'audit_write_success_rate',
  'audit_write_degrade_count',
  'outbox_backlog_depth',
  'outbox_delivery_latency_p95',
  'outbox_retry_rate',
  'dead_letter_open_count',
  'dead_letter_age_max_minutes',
  'redaction_application_rate',
  'truncation_application_rate',
];
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const entry = { actorType: 'admin_user', actorId: 'ada', action: 'user.update', resultStatus: 'success' } as const;
const claim = { owner: 'o', leaseMs: 30_000, limit: 10, destinations: ['siem'] };

/** What a Prometheus server would scrape after a day of audit in little. */
async function scrape(): Promise<string> {
  const reader = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [reader] });
  const telemetry = createOpenTelemetry({ api, meter: provider.getMeter('criticizer') });
  const tenantTier = (tenantId: string | null): string => (tenantId === 'acme' ? 'gold' : 'standard');
  const metrics = createAuditMetrics({ telemetry, environment: 'test', tenantTier });
  const stores = createMemoryStores();
  const store = measureAuditStore(stores.audit, metrics);
  let failures = 0;
  const record: typeof store.record = async (...call) => {
    if (failures-- > 0) throw new Error('no store');
    return store.record(...call);
  };
  let redactedCount = 0;
  const trail = createAuditTrail({
    store: { ...store, record },
    redactor: {
      ruleVersion: '1',
      redact: (value) => ({
        value: JSON.parse(JSON.stringify(value)),
        meta: {
          rule_version: '1',
          fields_redacted_count: redactedCount,
          patterns_redacted_count: 0,
          redacted_paths: [],
        },
      }),
    },
    destinations: ['siem'],
    random: systemRandom,
    logger: silentLogger,
    metrics,
  });
  await trail.record({ ...entry, tenantId: 'acme', payload: { text: 'x'.repeat(3_000) } });
  redactedCount = 1;
  await trail.record({ ...entry, tenantId: 'acme' });
  await trail.record({ ...entry, tenantId: 'other' });
  failures = 2;
  await trail.record({ ...entry, tenantId: 'acme' });
  await trail.record({ ...entry, tenantId: 'acme' }, { onFailure: 'throw' }).catch(() => undefined);
  const [first, second] = await store.claim({ ...claim, token: 'a', limit: 2 });
  if (first === undefined || second === undefined) throw new Error('nothing to claim');
  const failure = { errorCode: 'HTTP_503', errorMessage: 'busy' };
  await store.settle([
    { lease: first.lease, kind: 'delivered' },
    { lease: second.lease, kind: 'retry', delayMs: 0, ...failure },
  ]);
  const letter = { kind: 'dead-letter', errorCode: 'X', errorSummary: 's', errorDetails: null } as const;
  const rest = await store.claim({ ...claim, token: 'b' });
  await store.settle(
    rest.map(({ lease, delivery }) =>
      delivery.attemptCount > 1 ? { lease, kind: 'delivered' } : { lease, ...letter },
    ),
  );
  await store.stats();
  const text = new PrometheusSerializer().serialize((await reader.collect()).resourceMetrics);
  await provider.shutdown();
  return text;
}

/** The value of the series of this name that has all of these labels. */
function read(text: string, name: string, ...labels: readonly string[]): number | undefined {
  const line = text
    .split('\n')
    .find((one) => one.startsWith(`${name}{`) && labels.every((label) => one.includes(label)));
  return line === undefined ? undefined : Number(line.split('} ')[1]?.split(' ')[0]);
}

describe('metrics of the audit', () => {
  it('AUD-18: are counted by record and by the store, with the four labels', async () => {
    const text = await scrape();
    const acme = ['destination="audit_events"', 'tenant_tier="gold"', 'environment="test"', 'schema_version="1"'];
    const writes = (outcome: string) =>
      read(text, 'criticizer_audit_write_total', ...acme, `criticizer_outcome="${outcome}"`);
    expect([writes('recorded'), writes('degraded'), writes('failed')]).toEqual([2, 1, 1]);
    expect(read(text, 'criticizer_audit_write_total', 'tenant_tier="standard"', 'criticizer_outcome="recorded"')).toBe(
      1,
    );
    expect([
      read(text, 'criticizer_audit_truncated_total', ...acme),
      read(text, 'criticizer_audit_redacted_total', ...acme),
    ]).toEqual([1, 1]);
    const siem = ['destination="siem"', 'environment="test"', 'schema_version="1"'];
    const sum = (name: string): number =>
      ['gold', 'standard'].reduce((all, tier) => all + (read(text, name, ...siem, `tenant_tier="${tier}"`) ?? 0), 0);
    expect(sum('criticizer_audit_delivered_total')).toBe(2);
    expect(sum('criticizer_audit_retried_total')).toBe(1);
    expect(sum('criticizer_audit_delivery_latency_count')).toBe(2);
    const stored = [...siem, 'tenant_tier="all"'];
    expect(read(text, 'criticizer_audit_backlog', ...stored)).toBe(0);
    expect(read(text, 'criticizer_audit_dead_letter_open', ...stored)).toBe(1);
    expect(read(text, 'criticizer_audit_dead_letter_age_max', ...stored)).toBeGreaterThanOrEqual(0);
  });

  it('AUD-18: rules and dashboard use names that the exporter writes, and define the nine', async () => {
    const text = await scrape();
    const exported = new Set([...text.matchAll(/^(\w+)\{/gm)].map(([, name]) => name));
    const used = [...rules.matchAll(/criticizer_audit_\w+/g)].map(([name]) => name);
    expect(used.length).toBeGreaterThan(9);
    expect(used.filter((name) => !exported.has(name))).toEqual([]);
    expect([...rules.matchAll(/record: (\w+)/g)].map(([, name]) => name)).toEqual(nine);
    const shown = JSON.parse(dashboard) as { panels: { targets?: { expr: string }[] }[] };
    const drawn = shown.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join(' ');
    expect(nine.filter((name) => !drawn.includes(name))).toEqual([]);
  });

  it.skipIf(!hasPromtool)(
    'AUD-18: promtool finds the rules sound, and alerts fire as defined (Debian: prometheus)',
    () => {
      const run = (...words: string[]): string => execFileSync('promtool', words, { encoding: 'utf8' });
      expect(run('check', 'rules', reference('audit-alerts.rules.yml'))).toContain('SUCCESS');
      expect(run('test', 'rules', reference('audit-alerts.test.yml'))).toContain('SUCCESS');
    },
  );
});
