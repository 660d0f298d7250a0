import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../memory/memory-stores.js';
import type { ClaimedOutboxRow } from '../stores/notify-outbox.js';
import { type Logger, silentLogger } from '../telemetry/logger.js';
import { newOutboxRow, outboxClaim } from '../testing/stores/sample-rows.js';
import { createManualClock } from '../testing/support/manual-clock.js';
import type { DeliveryResult } from './deliver-options.js';
import { createGroupDelivery } from './group-delivery.js';

const sent: DeliveryResult = { outcome: 'sent' };
const sender = { id: 'swarm', groupOf: (recipientKey: string) => recipientKey.slice(0, recipientKey.indexOf('#')) };

async function setUp(recipients: readonly string[]) {
  const clock = createManualClock();
  const { outbox } = createMemoryStores({ clock });
  await outbox.add(recipients.map((recipientKey) => newOutboxRow({ recipientKey, recipient: recipientKey })));
  const rowOf = async (recipientKey: string) => (await outbox.list({ recipientKey }))[0];
  return {
    ...{ outbox, rowOf, clock },
    open: (logger: Logger = silentLogger) =>
      createGroupDelivery({ outbox, clock, settings: { backoffMs: () => 500 }, logger }),
    async claim(recipientKey: string) {
      const [claimed] = await outbox.claim(outboxClaim({ ids: [(await rowOf(recipientKey))?.id ?? ''] }));
      if (claimed === undefined) throw new TypeError('it is due');
      return claimed;
    },
  };
}

describe('deliveries of one group', () => {
  it('CHN-2: a row waits while another process delivers one of its group, and gives its attempt back', async () => {
    const { open, claim, rowOf } = await setUp(['swarm:reviews/1#a', 'swarm:reviews/1#b', 'swarm:reviews/2#c']);
    const context = { sender, signal: new AbortController().signal, leaseMs: 30_000 };
    await claim('swarm:reviews/1#a'); // by a process that says nothing more
    const own = open();
    const met = await own.run(await claim('swarm:reviews/1#b'), context, async () => sent);
    expect(met).toEqual({ outcome: 'waiting', code: 'group-busy' });
    const row = await rowOf('swarm:reviews/1#b');
    expect(row).toMatchObject({ status: 'pending', attempts: 0, waitingFor: 'group-busy', phase: 'none' });
    expect((row?.nextAttemptAt.getTime() ?? 0) - (row?.updatedAt.getTime() ?? 0)).toBe(750);
    expect(await own.run(await claim('swarm:reviews/2#c'), context, async () => sent)).toEqual(sent);
  });

  it('CHN-2: rows that the process itself has claimed wait for each other, not for another claim', async () => {
    const names = ['swarm:reviews/1#a', 'swarm:reviews/1#b', 'swarm:reviews/1#c'];
    const { open, claim, outbox } = await setUp(names);
    const own = open();
    const context = { sender, signal: new AbortController().signal, leaseMs: 30_000 };
    const claims = [];
    for (const name of names) claims.push(await claim(name));
    let underWay = 0;
    const deliver = async ({ lease }: ClaimedOutboxRow): Promise<DeliveryResult> => {
      underWay += 1;
      await outbox.settle([{ lease, kind: 'sent', notificationId: 'n', provider: 'swarm', recovered: false }]);
      expect(underWay).toBe(1);
      underWay -= 1;
      return sent;
    };
    const delivered = claims.map((one) => own.run(one, context, () => deliver(one)));
    expect(await Promise.all(delivered)).toEqual([sent, sent, sent]);
  });

  it('CHN-2: a row whose turn has not come when the worker stops goes back at once', async () => {
    const { open, claim, rowOf } = await setUp(['swarm:reviews/1#a', 'swarm:reviews/1#b']);
    const own = open();
    const stopping = new AbortController();
    const context = { sender, signal: stopping.signal, leaseMs: 30_000 };
    let finish = (_: DeliveryResult): void => {};
    const first = own.run(
      await claim('swarm:reviews/1#a'),
      context,
      () => new Promise((resolve) => (finish = resolve)),
    );
    const second = own.run(await claim('swarm:reviews/1#b'), context, async () => sent);
    stopping.abort(new Error('stop'));
    expect(await second).toEqual({ outcome: 'waiting', code: 'group-busy' });
    expect(await rowOf('swarm:reviews/1#b')).toMatchObject({ status: 'pending', attempts: 0 });
    finish(sent);
    expect(await first).toEqual(sent);
  });

  it('CHN-2: a row does not keep a place of the process while the far end of its group hangs', async () => {
    const { open, claim, rowOf, clock } = await setUp(['swarm:reviews/1#a', 'swarm:reviews/1#b']);
    const own = open();
    const context = { sender, signal: new AbortController().signal, leaseMs: 30_000 };
    let finish = (_: DeliveryResult): void => {};
    const first = own.run(
      await claim('swarm:reviews/1#a'),
      context,
      () => new Promise<DeliveryResult>((resolve) => (finish = resolve)),
    );
    const second = own.run(await claim('swarm:reviews/1#b'), context, async () => sent);
    await clock.advance(2_000);
    expect(await second).toEqual({ outcome: 'waiting', code: 'group-busy' });
    const row = await rowOf('swarm:reviews/1#b');
    expect(row).toMatchObject({ status: 'pending', attempts: 0 });
    expect((row?.nextAttemptAt.getTime() ?? 0) - (row?.updatedAt.getTime() ?? 0)).toBe(5_500);
    finish(sent);
    expect(await first).toEqual(sent);
  });

  it('CHN-2: after one that ended without a word the group waits for the end of its lease', async () => {
    const { open, claim } = await setUp(['swarm:reviews/1#a', 'swarm:reviews/1#b']);
    const own = open();
    const context = { sender, signal: new AbortController().signal, leaseMs: 30_000 };
    const failed = own.run(await claim('swarm:reviews/1#a'), context, () => Promise.reject(new Error('store')));
    const next = own.run(await claim('swarm:reviews/1#b'), context, async () => sent);
    await expect(failed).rejects.toThrow('store');
    expect(await next).toMatchObject({ code: 'group-busy' });
  });

  it('CHN-2: a row of the group is seen behind a thousand others that are being sent', async () => {
    const others = Array.from({ length: 1_000 }, (_, n) => `swarm:reviews/2#${n}`);
    const { open, claim, outbox } = await setUp(['swarm:reviews/1#a', 'swarm:reviews/1#b', ...others]);
    await claim('swarm:reviews/1#a');
    const next = await claim('swarm:reviews/1#b');
    await outbox.claim(outboxClaim({ limit: 1_000 }));
    const context = { sender, signal: new AbortController().signal, leaseMs: 30_000 };
    expect(await open().run(next, context, async () => sent)).toMatchObject({ code: 'group-busy' });
  });

  it.each([
    ['throws', (): string => JSON.parse('{')],
    ['gives no string', (): string => JSON.parse('{}')],
    ['gives a promise', (): string => Object(Promise.reject(new Error('late')))],
  ])('CHN-2: where groupOf %s the rows are one group, and the log has it once', async (_, groupOf) => {
    const { open, claim } = await setUp(['swarm:reviews/1#a', 'swarm:reviews/2#b', 'swarm:reviews/3#c']);
    const events: unknown[] = [];
    const logger = { ...silentLogger, error: (fields: object) => void events.push(fields) };
    const own = open(logger);
    const context = { sender: { id: 'swarm', groupOf }, signal: new AbortController().signal, leaseMs: 30_000 };
    expect(await own.run(await claim('swarm:reviews/1#a'), context, async () => sent)).toEqual(sent);
    // That row was not settled: it counts as one that another process sends.
    const next = await own.run(await claim('swarm:reviews/2#b'), context, async () => sent);
    expect(next).toMatchObject({ code: 'group-busy' });
    expect(events).toMatchObject([{ event: 'channel.group_failed', channel: 'swarm' }]);
  });

  it('a sender without groups is not asked to wait', async () => {
    const { open, claim } = await setUp(['a@example.com', 'b@example.com']);
    await claim('a@example.com');
    const context = { sender: { id: 'smtp' }, signal: new AbortController().signal, leaseMs: 30_000 };
    expect(await open().run(await claim('b@example.com'), context, async () => sent)).toEqual(sent);
  });
});
