import { describe, expect, it } from 'vitest';
import type { ChangeFetcher } from '../src/changes/change-fetcher.js';
import { CriticizerError } from '../src/foundation/errors.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { decideAge } from '../src/stages/intake/intake.js';
import { createManualClock } from '../src/testing/support/manual-clock.js';
import { change, harness } from './criticizer-harness.js';

const hourMs = 3_600_000;

/**
 * Reviews that were submitted and then lay for so many hours before a worker started; each one's
 * status, result and whether it was fetched.
 */
async function afterWaiting(
  hours: number,
  submits: readonly object[],
  kindOf: (number: number) => 'shelved' | 'submitted',
) {
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const stores = createMemoryStores({ clock });
  const fetched: number[] = [];
  const changes: ChangeFetcher = {
    contract: 1,
    serverId: 'main',
    async fetch(number) {
      fetched.push(number);
      return { kind: 'change', change: change({ number, changelistId: `main/${number}`, kind: kindOf(number) }) };
    },
  };
  const settings = { worker: { pollMinMs: 500, pollMaxMs: 1_000 } };
  const h = harness({ more: { stores, clock, changes, settings } });
  const ids: string[] = [];
  for (const [at, more] of submits.entries())
    ids.push((await h.criticizer.submit({ serverId: 'main', number: at + 1, reviewVersion: 1, ...more })).job.id);
  await clock.advance(hours * hourMs);
  await h.criticizer.start();
  for (let second = 0; second < 60; second++) await clock.advance(1_000);
  const jobs = await stores.jobs.get(ids);
  const letters = await stores.deadLetters.list({});
  const stopped = h.criticizer.stop();
  await clock.advance(60_000);
  await stopped;
  return {
    reasons: jobs.map((job) => [job?.status, job?.result?.['skipped'] ?? null]),
    details: jobs.map((job) => job?.result?.['detail']),
    fetched,
    letters,
  };
}

const recipients = [{ address: 'ann@example.test', required: true }];

describe('reviews that waited too long', () => {
  it('INT-1: a shelf is stale after 72 hours, a submitted change is not; stored as a skip, not as a dead letter', async () => {
    const late = await afterWaiting(73, [{}, {}], (number) => (number === 1 ? 'shelved' : 'submitted'));
    expect(late.reasons).toEqual([
      ['completed', 'stale'],
      ['completed', null],
    ]);
    expect(late.details[0]).toBe('The review waited 73 hours; review.maxAgeMs allows 72.');
    expect(late.letters).toEqual([]);
    expect((await afterWaiting(71, [{}], () => 'shelved')).reasons).toEqual([['completed', null]]);
  });

  it('INT-1: what no kind of change may wait is not even read; what somebody asked for by name is reviewed however old', async () => {
    const late = await afterWaiting(8 * 24, [{}, { recipients }, { delayMs: 8 * 24 * hourMs }], () => 'submitted');
    expect(late.reasons).toEqual([
      ['completed', 'stale'],
      ['completed', null],
      ['completed', null],
    ]);
    expect(late.fetched.sort()).toEqual([2, 3]);
  });

  it('ERR-9: a replay by an operator is not skipped for its age', async () => {
    const clock = createManualClock(Date.UTC(2026, 0, 1));
    const stores = createMemoryStores({ clock });
    const error = new CriticizerError('P4_PERMISSION_DENIED', 'x', { category: 'auth' });
    let isDenied = true;
    const changes: ChangeFetcher = {
      contract: 1,
      serverId: 'main',
      async fetch() {
        if (isDenied) throw error;
        return { kind: 'change', change: change() };
      },
    };
    const h = harness({ more: { stores, clock, changes, settings: { worker: { pollMinMs: 500, pollMaxMs: 1_000 } } } });
    const { job } = await h.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await h.criticizer.start();
    for (let second = 0; second < 5; second++) await clock.advance(1_000);
    const [letter] = await stores.deadLetters.list({});
    isDenied = false;
    const stopped = h.criticizer.stop();
    await clock.advance(9 * 24 * hourMs);
    await stopped;
    const replay = {
      deadLetterId: letter?.id ?? '',
      stage: 'fetch',
      fromStart: false,
      actor: { type: 'admin_user' as const, id: 'op' },
      evidence: 'granted',
    };
    expect(await stores.deadLetters.replay(replay)).toBe('replayed');
    const again = harness({
      more: { stores, clock, changes, settings: { worker: { pollMinMs: 500, pollMaxMs: 1_000 } } },
    });
    await again.criticizer.start();
    for (let second = 0; second < 60; second++) await clock.advance(1_000);
    const [row] = await stores.jobs.get([job.id]);
    expect(row).toMatchObject({ status: 'completed' });
    expect(row?.result).not.toHaveProperty('skipped');
    const ended = again.criticizer.stop();
    await clock.advance(60_000);
    await ended;
  });

  it('INT-1: null lets a kind wait however long', () => {
    const century = 876_000 * hourMs;
    expect(decideAge(century, 'submitted', { shelved: hourMs, submitted: null })).toBeNull();
    expect(decideAge(century, undefined, { shelved: hourMs, submitted: null })).toBeNull();
    expect(decideAge(century, 'pending', { shelved: hourMs, submitted: null })).toMatchObject({ reason: 'stale' });
  });
});
