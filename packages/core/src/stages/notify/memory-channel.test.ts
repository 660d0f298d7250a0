import { describe, expect, it } from 'vitest';
import { type ChannelUnderTest, describeChannelContract } from '../../testing/ports/delivery/channel-contract.js';
import { collectCases, failedCases } from '../../testing/support/collecting-runner.js';
import type { Channel } from './channel.js';
import { createMemoryChannel, type MemoryChannel } from './memory-channel.js';

/** The memory channel behind a far end that can lose answers and refuse. */
function create(plant: (channel: Channel, memory: MemoryChannel) => Partial<Channel> = () => ({})): ChannelUnderTest {
  const memory = createMemoryChannel();
  let mode: 'takes' | 'loses' | 'refuses' | 'limits' = 'takes';
  let isLookupBroken = false;
  const failure = { scope: 'transport', code: 'LOST', category: 'network', message: 'no answer' } as const;
  const channel: Channel = {
    ...memory,
    async send(post, context) {
      if (mode === 'refuses') return { kind: 'rejected', failure: { ...failure, scope: 'recipient' }, permanent: true };
      if (mode === 'limits') return { kind: 'rejected', failure, permanent: false, retryAfterMs: 1_000 };
      const outcome = await memory.send(post, context);
      return mode === 'loses' ? { kind: 'ambiguous', failure } : outcome;
    },
    async lookup(query) {
      if (isLookupBroken) throw new Error('unreachable');
      return (await memory.lookup?.(query)) ?? { kind: 'absent', conclusive: false };
    },
  };
  return {
    channel: { ...channel, ...plant(channel, memory) },
    received: async () => memory.accepted().map(({ raw }) => raw),
    dropAfterData: () => {
      mode = 'loses';
    },
    refuseTarget: () => {
      mode = 'refuses';
    },
    refuseForNow: () => {
      mode = 'limits';
    },
    breakLookup: () => {
      isLookupBroken = true;
    },
    secrets: [['to', 'ken'].join('')],
    dispose: async () => undefined,
  };
}

describeChannelContract({ describe, it }, { create: async () => create() });

describe('the channel contract convicts', () => {
  const plants: Record<string, (channel: Channel, memory: MemoryChannel) => Partial<Channel>> = {
    'a channel that says nothing before it sends': (_channel, memory) => ({
      send: (post, context) => memory.send(post, { ...context, onPhase: async () => undefined }),
    }),
    'one that takes a lost answer for a no': (channel) => ({
      async send(post, context) {
        const outcome = await channel.send(post, context);
        return outcome.kind === 'ambiguous' ? { ...outcome, kind: 'rejected', permanent: false } : outcome;
      },
    }),
    'one that takes a broken look-up for absence': (channel) => ({
      lookup: (query) =>
        channel.lookup?.(query).catch(() => ({ kind: 'absent', conclusive: true }) as const) ??
        Promise.resolve({ kind: 'absent', conclusive: true } as const),
    }),
    'one that tells findings where counts may go': (channel) => ({
      plan: async (review, context) => {
        const posts = await channel.plan(review, context);
        return posts.map((post) => ({ ...post, body: { ...post.body, title: 'A title' } }));
      },
    }),
    'one that quotes its secret': (channel) => ({
      async send(post, context) {
        const outcome = await channel.send(post, context);
        if (outcome.kind === 'accepted') return outcome;
        return { ...outcome, failure: { ...outcome.failure, message: `no: ${['to', 'ken'].join('')}` } };
      },
    }),
  };
  for (const [name, plant] of Object.entries(plants))
    it(`CHN-1: ${name}`, async () => {
      const cases = collectCases(describeChannelContract, { create: async () => create(plant) });
      expect((await failedCases(cases)).length).toBeGreaterThan(0);
    });
});
