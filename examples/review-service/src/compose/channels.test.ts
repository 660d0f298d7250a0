import { channelReview, createMemoryChannel, describeChannelContract } from '@criticizer/core/testing';
import { describe, expect, it } from 'vitest';
import { createShadowChannel, deliverByMode } from './channels.js';

const { signal } = new AbortController();

describe('a channel in the shadow', () =>
  describeChannelContract(
    { describe, it },
    {
      async create() {
        const taken: Uint8Array[] = [];
        const inner = createMemoryChannel({ id: 'team' });
        const shadow = createShadowChannel(inner);
        const channel: typeof shadow = {
          ...shadow,
          send: (post, context) =>
            shadow.send(post, {
              ...context,
              async onPhase(phase, wire) {
                await context.onPhase(phase, wire);
                if (wire !== undefined) taken.push(wire.bytes);
              },
            }),
        };
        return { channel, received: async () => taken, secrets: [], dispose: async () => undefined };
      },
    },
  ));

describe('deliverByMode', () => {
  it('NOT-4: posts only when live, under another id than in the shadow', async () => {
    const team = createMemoryChannel({ id: 'team' });
    const review = channelReview('team', 1, 'counts');
    const context = { key: '0'.repeat(32), signal, onPhase: async () => undefined };
    for (const mode of ['shadow', 'redirect'] as const) {
      const shadow = deliverByMode(team, mode);
      const [planned] = await shadow.plan(review, { signal });
      if (planned === undefined) throw new Error('it plans what the channel would');
      const post = { channel: shadow.id, target: planned.target, body: planned.body, content: planned.content };
      expect(await shadow.send({ ...post, date: review.date }, context)).toMatchObject({ kind: 'accepted' });
      expect(shadow.id).toBe('shadow-team');
    }
    expect(team.accepted()).toEqual([]);
    expect(deliverByMode(team, 'live')).toBe(team);
  });
});
