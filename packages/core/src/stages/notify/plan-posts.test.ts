import { describe, expect, it } from 'vitest';
import { channelReview } from '../../testing/ports/delivery/channel-samples.js';
import { createManualClock } from '../../testing/support/manual-clock.js';
import { createMemoryChannel } from './memory-channel.js';
import { planPosts, type ReviewToPlan } from './plan-posts.js';

function reviewToPlan(): ReviewToPlan {
  const { changelistId, reviewVersion, jobId, date, content, counts } = channelReview('team', 1, 'findings');
  if (content === null) throw new TypeError('it has content');
  const code = async () => content;
  return {
    ...{ changelistId, reviewVersion, jobId, date, content, code, counts, earlier: [] },
    ...{ contentDigest: 'd', originalNumber: 4_712, hideUrl: () => undefined },
  };
}

describe('planPosts', () => {
  it('CHN-1: a channel that does not plan within a minute is aborted, and the stage tries again', async () => {
    const clock = createManualClock();
    let ended: unknown;
    const hanging = {
      ...createMemoryChannel({ id: 'team' }),
      plan: (_review: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            ended = signal.reason;
            reject(signal.reason);
          });
        }),
    };
    const outbound = { check: async () => undefined, highestContent: () => 'counts' as const };
    const planned = planPosts({ channels: [hanging], outbound, clock }, reviewToPlan(), new AbortController().signal);
    const outcome = planned.then(
      () => 'planned',
      (error: unknown) => error,
    );
    await clock.advance(59_999);
    expect(ended).toBeUndefined();
    await clock.advance(1);
    const late = { code: 'CHANNEL_PLAN_TIMEOUT', category: 'upstream', details: { channel: 'team', ms: 60_000 } };
    expect(await outcome).toMatchObject(late);
    expect(ended).toMatchObject({ code: 'CHANNEL_PLAN_TIMEOUT' });
  });
});
