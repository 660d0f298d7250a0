import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../src/foundation/errors.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { createMemoryMailer } from '../src/outbox/senders/memory-mailer.js';
import { createManualClock } from '../src/testing/support/manual-clock.js';
import { harness } from './criticizer-harness.js';
import { flipKillSwitch } from './flip-kill-switch.js';

const dayMs = 86_400_000;

/** A Criticizer under a manual clock whose mail server refuses the login until `open` is called. */
function setUp() {
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const stores = createMemoryStores({ clock });
  const memory = createMemoryMailer();
  let isOpen = false;
  const mailer: typeof memory = {
    ...memory,
    async send(...given) {
      if (!isOpen) throw new CriticizerError('SMTP_AUTH', 'refused', { category: 'auth', parks: true });
      return memory.send(...given);
    },
  };
  const settings = {
    worker: { pollMinMs: 500, pollMaxMs: 1_000 },
    retry: { parkMs: 5_000 },
    retention: { finishedJobsMs: null },
  };
  const h = harness({ more: { stores, clock, mailer, settings } });
  const flip = (stopped: boolean) => flipKillSwitch(stores, stopped);
  /** Lets time pass, second by second, at most half an hour; what came of it is the caller's to assert. */
  async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (let second = 0; second < 1_800; second++) {
      if (await isSo()) return;
      await clock.advance(1_000);
    }
  }
  async function end(): Promise<void> {
    const stopped = h.criticizer.stop();
    await clock.advance(60_000);
    await stopped;
  }
  return { ...h, clock, stores, memory, flip, until, end, open: () => (isOpen = true) };
}

describe('a review that newer versions overtook', () => {
  it('NOT-2: of six versions behind the kill switch five end failed with a code, without a dead letter, and are prunable; the sixth mails', async () => {
    const t = setUp();
    await t.flip(true);
    const ids: string[] = [];
    for (let reviewVersion = 1; reviewVersion <= 6; reviewVersion++)
      ids.push((await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion })).job.id);
    await t.criticizer.start();
    const parked = () =>
      new Set(t.events.flatMap((e) => (e.type === 'stage.ended' && e.code === 'EGRESS_KILLED' ? [e.jobId] : []))).size;
    await t.until(() => parked() === 6);
    await t.flip(false);
    const ended = () => t.events.filter((e) => e.type === 'stage.ended' && e.outcome === 'failed');
    await t.until(() => ended().length === 5);
    t.open();
    const statuses = async () => (await t.stores.jobs.get(ids)).map((job) => job?.status);
    await t.until(async () => (await statuses())[5] === 'completed');
    await t.end();

    expect(await statuses()).toEqual([...Array(5).fill('failed'), 'completed']);
    expect(ended()).toMatchObject(Array(5).fill({ stage: 'notify', code: 'REVIEW_SUPERSEDED' }));
    const first = (await t.stores.jobs.get(ids))[0];
    expect(first).toMatchObject({
      lastFailure: { code: 'REVIEW_SUPERSEDED', category: 'not_found' },
      result: { superseded: true },
    });
    expect(await t.stores.deadLetters.list({})).toEqual([]);
    expect(t.memory.accepted()).toHaveLength(1);
    await t.clock.advance(91 * dayMs);
    expect(await t.stores.jobs.prune({ olderThanMs: 90 * dayMs })).toBe(6);
  });
});
