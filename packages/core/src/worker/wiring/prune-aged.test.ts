import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../../memory/memory-stores.js';
import { resolveSettings } from '../../settings/settings.js';
import { silentLogger } from '../../telemetry/logger.js';
import { createMemoryTelemetry } from '../../telemetry/memory-telemetry.js';
import { attribute, metric } from '../../telemetry/names.js';
import { newArtifact, newEgressRecord, sentRow } from '../../testing/stores/sample-rows.js';
import { createManualClock } from '../../testing/support/manual-clock.js';
import { createRetentionDuty } from './prune-aged.js';

const day = 86_400_000;
const { signal } = new AbortController();

async function setUp(retention: object = {}) {
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  const telemetry = createMemoryTelemetry();
  const warnings: object[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => void warnings.push(fields) };
  const settings = resolveSettings({ retention }).retention;
  const make = (over: object = {}) =>
    createRetentionDuty({ stores: { ...stores, ...over }, settings, clock, logger, telemetry });
  const points = (name: string) =>
    telemetry.measurements
      .filter((point) => point.name === name)
      .map(({ value, attributes }) => `${attributes[attribute.table]} ${value}`);
  return { clock, stores, make, points, warnings };
}

describe('createRetentionDuty', () => {
  it('OPS-4: removes what is past its age, counts it by table, and measures that none is left', async () => {
    const { clock, stores, make, points } = await setUp({ mailsMs: 10 * day, egressMs: 20 * day });
    await sentRow(stores, {});
    await stores.egress.append([newEgressRecord({}), newEgressRecord({})]);
    await stores.documents.write('llm.spent-report.daily', 0, null);
    await stores.documents.write('egress.kill-switch', 0, null);
    await stores.cursors.advance('watch', null, '1');
    await clock.advance(15 * day);
    const duty = make();
    await duty(signal);
    expect(points(metric.rowsPruned)).toEqual(['mails 1']);
    await clock.advance(10 * day);
    await duty(signal);
    expect(points(metric.rowsPruned)).toEqual(['mails 1', 'egress_log 2']);
    await clock.advance(100 * day);
    await duty(signal);
    expect(points(metric.rowsPruned)).toEqual(['mails 1', 'egress_log 2', 'documents 1']);
    expect((await stores.documents.read('egress.kill-switch')).version).toBe(1);
    expect(await stores.cursors.get('watch')).toBe('1'); // never, by default
    const expired = points(metric.rowsExpired);
    expect(new Set(expired.map((point) => point.split(' ')[0]))).toEqual(
      new Set([
        ...['jobs', 'mails', 'dead_letters', 'egress_log', 'samples', 'documents', 'artifact_rows', 'suppressions'],
        ...['artifacts_raw', 'artifacts_redacted'],
      ]),
    );
    expect(expired.filter((point) => !point.endsWith(' 0'))).toEqual([]);
  });

  it('OPS-4: what is past its age and still there is measured, artifacts too, and a failing table keeps no other', async () => {
    const { clock, stores, make, points, warnings } = await setUp({ mailsMs: day, egressMs: day });
    await sentRow(stores, {});
    await stores.egress.append([newEgressRecord({})]);
    await stores.artifactManifest.reserve([newArtifact({ namespace: 'raw', redaction: null, ttlMs: 1000 })]);
    await clock.advance(2 * day);
    const retention = {
      ...stores.retention,
      prune: async (...[table, request]: Parameters<typeof stores.retention.prune>) => {
        if (table === 'dead_letters') throw new Error('out');
        return table === 'mails' ? 0 : stores.retention.prune(table, request);
      },
    };
    await make({ retention })(signal);
    expect(points(metric.rowsExpired)).toEqual(expect.arrayContaining(['mails 1', 'egress_log 0', 'artifacts_raw 1']));
    expect(warnings).toMatchObject([{ table: 'dead_letters' }]);
  });

  it('OPS-4: a turn takes ten pages at most, the next comes an hour later, and a stop ends it', async () => {
    const { clock, stores, make } = await setUp({});
    const calls: string[] = [];
    const retention = {
      ...stores.retention,
      async prune(table: string, { limit }: { limit: number }) {
        calls.push(table);
        return table === 'samples' ? limit : 0;
      },
    };
    const duty = make({ retention });
    await duty(signal);
    expect(calls.filter((table) => table === 'samples')).toHaveLength(10);
    expect(calls.at(-1)).toBe('suppressions');
    const before = calls.length;
    await duty(signal);
    await clock.advance(3_599_000);
    await duty(signal);
    expect(calls).toHaveLength(before);
    await clock.advance(1_000);
    await duty(AbortSignal.abort());
    expect(calls).toHaveLength(before);
  });
});
