import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { attribute, attributeValues } from './attributes.js';
import { type Instrument, instruments } from './instruments.js';
import { type SpanDescription, spans } from './names.js';

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const page = folder('../../../../docs/reference/telemetry.md');
const stale =
  'docs/reference/telemetry.md is stale; write it with: npx vitest run packages/core/src/telemetry/telemetry-reference.test.ts -u';
const sources = [folder('..'), folder('../../../p4/src/')].flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('testing'))
    .map((file) => readFileSync(`${root}${file}`, 'utf8')),
);
const metrics: readonly Instrument[] = Object.values(instruments);
const described: readonly SpanDescription[] = Object.values(spans);

/** Security events by type: the page prints them in this order. */
const securityEvents: Readonly<Record<string, string>> = {
  'depot_path.denied': 'A change touches a path outside the allow-list.',
  'depot_path.malformed': 'The Perforce server returned a path that is no depot path.',
  'p4.trust_mismatch': 'The server shows another key than the pinned one.',
  'p4.containment': 'A command was refused, or the server tried to drive the client.',
  'p4.uncontained':
    "The `p4` client runs without a full containment (`containment: 'auto'`); once for each client and process.",
  'egress.blocked': 'The guard held a request to a model back.',
  'egress.killed': 'The kill switch stopped a request; once per flip and process.',
  'artifact.access_denied': 'The access policy denied an artifact.',
  'artifact.tampered': 'A stored artifact or its key does not authenticate.',
  'audit.seal_mismatch': 'The store no longer holds a seal of the audit trail that its checkpoint knows.',
  'secret.rejected': 'A secret file is open to others, or not a plain file.',
  'secret.ageing': 'A credential is due for rotation: from 80 days. Once for each version and process.',
  'secret.expired': 'A credential is past its age: from 90 days. Once for each version and process.',
  'http.blocked': "An outgoing request was refused, or the peer's TLS identity was not accepted.",
  'llm.budget_spent':
    '`llm.budget.perDay` or one of `llm.budget.perPath` is spent: once a day for each, over all processes.',
};

const named = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.map((n) => `\`${n}\``).join(', ');
const table = (heading: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heading, heading.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** Metrics that share their bounds, by the bounds. */
function boundsTable(): string {
  const byBounds = new Map<string, string[]>();
  for (const { name, buckets } of metrics) {
    if (buckets === undefined) continue;
    const bounds = buckets.join(', ');
    byBounds.set(bounds, [...(byBounds.get(bounds) ?? []), name]);
  }
  return table(
    ['metrics', 'upper bounds, in seconds'],
    [...byBounds].map(([bounds, names]) => [named(names), bounds]),
  );
}

function referencePage(): string {
  return `# Telemetry

<!-- Generated from packages/core/src/telemetry. Do not edit: npx vitest run packages/core/src/telemetry/telemetry-reference.test.ts -u -->

Give \`createCriticizer\` a \`telemetry\` to get metrics and spans; the default drops them. \`createOpenTelemetry({ api })\` of \`@criticizer/core\` maps them to the
OpenTelemetry of the host; [Trace a review](../how-to/trace-a-review.md) shows how. No metric carries a job id, a path or a user; spans carry the id of a job or a
mail's row, and nothing else of a review. Names follow OpenTelemetry's semantic conventions where one exists; those for messaging and generative AI still move.

## Metrics

OpenTelemetry's own Prometheus exporter for JavaScript writes \`.\` as \`_\`, adds \`_total\` to counters and no unit: \`criticizer_job_duration_bucket\` is in seconds. Other
routes to Prometheus add the unit: \`criticizer_job_duration_seconds_bucket\`. Counters begin with 0 where their attributes are known at the start.

${table(
  ['metric', 'kind', 'unit', 'attributes', 'meaning'],
  metrics.map(({ name, kind, unit, attributes, description }) => [
    `\`${name}\``,
    kind,
    `\`${unit}\``,
    named(attributes),
    description,
  ]),
)}

Histograms advise these bounds; a View of the host's wins.

${boundsTable()}

## Spans

A span ends with \`error.type\`, and as failed, where a failure ended it.

${table(
  ['span', 'kind', 'attributes', 'stands to others', 'meaning'],
  described.map(({ name, kind, attributes, relation, description }) => [
    `\`${name}\``,
    kind,
    named(attributes),
    relation,
    description,
  ]),
)}

## Attributes

${table(
  ['attribute', 'values'],
  Object.entries(attributeValues).map(([name, values]) => [`\`${name}\``, values]),
)}

## Security events

Give \`createCriticizer\` a \`securityEvents\` with \`emit(event)\`; the default warns in the log. A part you build yourself, such as the change fetcher or the HTTP client,
takes one of its own. An event holds rule names, counts and codes, never content; a denied path stands in it where the event is about that path.

${table(
  ['type', 'raised when'],
  Object.entries(securityEvents).map(([type, when]) => [`\`${type}\``, when]),
)}
`;
}

describe('docs/reference/telemetry.md', () => {
  it('OPS-6: is what the tables of names say', async () => {
    await expect(referencePage(), stale).toMatchFileSnapshot(page);
  });

  it('every metric is emitted, and has a name of its own', () => {
    for (const key of Object.keys(instruments))
      expect([key, sources.some((source) => new RegExp(`\\bmetric\\.${key}\\b`).test(source))]).toEqual([key, true]);
    expect(new Set(metrics.map(({ name }) => name)).size).toBe(metrics.length);
  });

  it('every attribute is described, and metrics and spans name no other', () => {
    const known: readonly string[] = Object.values(attribute);
    expect(Object.keys(attributeValues).sort()).toEqual([...known].sort());
    const used = [...metrics, ...described].flatMap(({ attributes }) => attributes);
    expect([...new Set(used)].sort()).toEqual([...known].sort());
    for (const { attributes } of metrics) expect(attributes).not.toContain(attribute.messagingMessageId);
  });

  it('has one row for each type of security event', () => {
    const declared = readFileSync(folder('./security-events.ts'), 'utf8').split('type:')[1]?.split(';')[0] ?? '';
    const types = [...declared.matchAll(/'([a-z0-9_.]+)'/g)].map(([, type]) => type);
    expect(types.length).toBeGreaterThan(5);
    expect(Object.keys(securityEvents)).toEqual(types);
  });
});
