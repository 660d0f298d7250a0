import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../../memory/memory-stores.js';
import { channelReview } from '../../testing/ports/delivery/channel-samples.js';
import { newOutboxRow } from '../../testing/stores/sample-rows.js';
import { createManualClock } from '../../testing/support/manual-clock.js';
import type { ChannelReview, PlannedPost } from './channel.js';
import { createMemoryChannel } from './memory-channel.js';
import { planBesideOthers } from './plan-beside-others.js';

const changelistId = 'main/7';

/** A channel that posts one line, and what happens to the rows of the change while it plans. */
function openPlan(
  reviewVersion: number,
  during: (row: (version: number) => Promise<unknown>, round: number) => unknown,
) {
  const { outbox } = createMemoryStores();
  const add = (version: number) => {
    const recipientKey = 'team:line';
    const key = `${version}`.padStart(32, '0');
    return outbox.add([newOutboxRow({ changelistId, reviewVersion: version, via: 'team', recipientKey, key })]);
  };
  const seen: number[][] = [];
  const channel = {
    ...createMemoryChannel({ id: 'team' }),
    async plan({ earlier }: ChannelReview): Promise<readonly PlannedPost[]> {
      seen.push(earlier.map((post) => post.reviewVersion));
      await during(add, seen.length);
      return [{ target: 'line', body: { text: 'said' }, content: 'counts', required: true }];
    },
  };
  const { jobId, date, content, counts } = channelReview('team', reviewVersion, 'findings');
  if (content === null) throw new TypeError('it has content');
  const review = {
    ...{ changelistId, reviewVersion, jobId, date, content, counts, code: async () => content },
    ...{ contentDigest: 'd', originalNumber: 7, hideUrl: () => undefined },
  };
  const outbound = { check: async () => undefined, highestContent: () => 'counts' as const };
  const options = { channels: [channel], outbound, clock: createManualClock() };
  const listRows = () => outbox.list({ changelistId, limit: 1_000 });
  return {
    seen,
    plan: async () =>
      planBesideOthers(options, { review, earlier: await listRows(), listRows }, new AbortController().signal),
  };
}

describe('planBesideOthers', () => {
  it('CHN-2: posts that the version before stored meanwhile are planned with', async () => {
    const { seen, plan } = openPlan(2, (add, round) => (round === 1 ? add(1) : undefined));
    expect(await plan()).toHaveLength(1);
    expect(seen).toEqual([[], [1]]);
  });

  it('CHN-2: nothing is posted where a newer version has its rows', async () => {
    const { seen, plan } = openPlan(1, (add) => add(2));
    expect(await plan()).toEqual([]);
    expect(seen).toEqual([[]]);
  });

  it('CHN-2: is planned once where no other version is under way, and five times at most', async () => {
    const quiet = openPlan(2, () => undefined);
    await quiet.plan();
    expect(quiet.seen).toEqual([[]]);
    const busy = openPlan(20, (add, round) => add(round));
    expect(await busy.plan()).toHaveLength(1);
    expect(busy.seen).toHaveLength(5);
  });
});
