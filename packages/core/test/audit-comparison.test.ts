import { createPayloadRedactor } from '@criticizer/redact';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CompareAuditTrailsOptions,
  compareAuditTrails,
  createAuditTrail,
  createMemoryStores,
  type PrimaryAuditEntry,
  silentLogger,
  systemRandom,
} from '../src/doors/audit.js';
import { createManualClock } from '../src/testing/support/manual-clock.js';

const redactor = createPayloadRedactor();
const since = new Date(Date.UTC(2026, 0, 1));
const until = new Date(since.getTime() + 3_600_000);

/** A host that keeps its own log in JSON lines and records every action in the trail, too. */
function openHost() {
  const clock = createManualClock(since.getTime());
  const stores = createMemoryStores({ clock });
  const trail = createAuditTrail({
    ...{ store: stores.audit, redactor, destinations: [], random: systemRandom, logger: silentLogger },
  });
  const lines: string[] = [];
  const log = (entry: Partial<PrimaryAuditEntry>): void => void lines.push(JSON.stringify(entry));
  const act = async (over: Partial<PrimaryAuditEntry> = {}, to: { log: boolean; trail: boolean } = both) => {
    const given = {
      ...({ actorType: 'admin_user', actorId: 'ada', action: 'user.update', resultStatus: 'success' } as const),
      ...over,
    };
    // The host's clock is 200 ms ahead of the store's.
    if (to.log) log({ ...given, occurredAt: new Date(clock.nowMs() + 200) });
    if (to.trail) await trail.record(given);
  };
  async function* primary(): AsyncGenerator<PrimaryAuditEntry> {
    for (const line of lines) {
      const { occurredAt, ...entry } = JSON.parse(line) as PrimaryAuditEntry;
      yield { ...entry, occurredAt: new Date(occurredAt) };
    }
  }
  const compare = (more: Partial<CompareAuditTrailsOptions<unknown>> = {}) =>
    compareAuditTrails({ store: stores.audit, redactor, primary: primary(), since, until, ...more });
  return { clock, stores, trail, lines, log, act, compare };
}
const both = { log: true, trail: true };

describe('the comparison of a dark write', () => {
  it('AUD-19: two logs of the same actions are the same, whatever JSON they hold and wherever a span ends', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ payload: fc.jsonValue(), stepMs: fc.nat(400_000) }), { minLength: 1, maxLength: 6 }),
        async (actions) => {
          const host = openHost();
          for (const { payload, stepMs } of actions) {
            await host.clock.advance(stepMs);
            await host.act({ payload, userAgent: 'x'.repeat(600), sourceIp: '203.0.113.9:443' });
          }
          const report = await host.compare();
          expect(report).toMatchObject({
            verdict: 'same',
            isComplete: true,
            counts: [],
            hashes: { distance: 0, prefixes: [] },
          });
          expect([report.matchedCount, report.primaryCount, report.trailCount]).toEqual(Array(3).fill(actions.length));
        },
      ),
      { numRuns: 20 },
    );
  });

  it('AUD-19: names what is missing, what is extra and what differs, and counts them by action and time', async () => {
    const host = openHost();
    await host.act({ payload: { same: true } });
    await host.clock.advance(600_000);
    await host.act({ action: 'role.grant', targetId: 'bob' }, { log: true, trail: false });
    await host.act({ action: 'role.revoke', targetId: 'eve' }, { log: false, trail: true });
    await host.act({ action: 'key.rotate', payload: { to: 1 } }, { log: true, trail: false });
    await host.act({ action: 'key.rotate', payload: { to: 2 }, requestId: 'r-1' }, { log: false, trail: true });
    const report = await host.compare();
    expect(report).toMatchObject({
      ...{ verdict: 'different', primaryCount: 3, trailCount: 3, matchedCount: 1 },
      ...{ missingCount: 1, extraCount: 1, differentCount: 1, invalidCount: 0, differingCells: 2 },
      missing: [{ action: 'role.grant', targetId: 'bob', actorId: 'ada', auditEventId: null }],
      extra: [{ action: 'role.revoke', targetId: 'eve', auditEventId: expect.any(String) }],
      different: [{ fields: ['requestId', 'payload'], primary: { action: 'key.rotate' }, trail: { requestId: 'r-1' } }],
      counts: [
        { action: 'role.grant', from: new Date(since.getTime() + 600_000), primary: 1, trail: 0 },
        { action: 'role.revoke', primary: 0, trail: 1 },
      ],
    });
    expect(report.hashes.distance).toBeGreaterThan(0);
    expect(report.hashes.distance).toBeLessThanOrEqual(1);
  });

  it('AUD-19: a repeat that one log has twice counts, and one at another time is no equal', async () => {
    const host = openHost();
    await host.act();
    await host.act({}, { log: true, trail: false });
    await host.clock.advance(61_000);
    await host.act({}, { log: false, trail: true });
    expect(await host.compare()).toMatchObject({ matchedCount: 1, missingCount: 1, extraCount: 1 });
    expect(await host.compare({ toleranceMs: 120_000 })).toMatchObject({ verdict: 'same', matchedCount: 2 });
  });

  it('AUD-19: events at the edges of the span have their equals beyond them, and the rest lies outside', async () => {
    const host = openHost();
    await host.act();
    await host.clock.advance(299_900);
    await host.act({ action: 'near.edge' }); // of a span of `counts`
    await host.clock.advance(3_300_000);
    await host.act({ action: 'at.edge' }); // the host’s clock says that it is over
    await host.clock.advance(500);
    await host.act({ action: 'too.late' }, { log: false, trail: true });
    expect(await host.compare()).toMatchObject({ verdict: 'same', primaryCount: 3, trailCount: 3, counts: [] });
    expect(await host.compare({ since: until, until: new Date(until.getTime() + 1_000) })).toMatchObject({
      ...{ verdict: 'different', matchedCount: 0, extra: [{ action: 'too.late' }] },
    });
  });

  it('AUD-19: leaves out what `covers` says and what the flags record, and says when nothing is left', async () => {
    const host = openHost();
    await host.trail.record({ actorType: 'system', action: 'audit.flag.flip', resultStatus: 'success' });
    expect(await host.compare()).toMatchObject({ verdict: 'empty', trailCount: 0 });
    await host.act({ tenantId: 'acme' });
    await host.act({ tenantId: 'other' }, { log: true, trail: false });
    const covers = async ({ tenantId }: { tenantId: string | null }) => tenantId === 'acme';
    expect(await host.compare({ covers })).toMatchObject({ verdict: 'same', matchedCount: 1 });
    expect(await host.compare()).toMatchObject({ verdict: 'different', missing: [{ tenantId: 'other' }] });
  });

  it('AUD-19: entries that no trail takes are counted and named', async () => {
    const host = openHost();
    await host.act();
    host.log({ action: 'No Action', occurredAt: since });
    host.log({ action: 'a.b', actorType: 'system', resultStatus: 'success' });
    expect(await host.compare()).toMatchObject({
      ...{ verdict: 'different', missingCount: 0, matchedCount: 1, invalidCount: 2 },
      invalid: [expect.stringContaining('action must be'), 'occurredAt: expected a Date'],
    });
  });

  it('AUD-19: beyond its bound it lists nothing, counts everything, and calls nothing the same', async () => {
    const host = openHost();
    for (let n = 0; n < 12; n++) await host.act({ payload: { n } }, { log: true, trail: false });
    expect(await host.compare({ maxUnmatched: 5 })).toMatchObject({
      ...{ verdict: 'different', isComplete: false, primaryCount: 12, trailCount: 0 },
      ...{ missingCount: null, extraCount: null, differentCount: null, missing: [], hashes: { distance: 1 } },
    });
    for (let n = 0; n < 12; n++) await host.act({ payload: { n } }, { log: false, trail: true });
    expect(await host.compare({ maxUnmatched: 5 })).toMatchObject({ verdict: 'unknown', trailCount: 12 });
    expect(await host.compare()).toMatchObject({ verdict: 'same' });
  });

  it('AUD-19: spans that are none are TypeErrors, and an abort ends it', async () => {
    const host = openHost();
    await host.act();
    await expect(host.compare({ until: since })).rejects.toThrow('until: expected an instant after since');
    await expect(host.compare({ bucketMs: 1 })).rejects.toThrow('bucketMs: expected at most 100000 spans');
    await expect(host.compare({ primary: 5 as never })).rejects.toThrow('expected an iterable of entries');
    await expect(host.compare({ signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow('stopped');
  });
});
