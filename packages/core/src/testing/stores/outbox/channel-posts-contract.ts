import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { ArtifactStore } from '../../../artifacts/artifact-store.js';
import { createLocalKeyRing } from '../../../artifacts/local-key-ring.js';
import { createMemoryArtifactStore } from '../../../artifacts/memory-artifact-store.js';
import type { Change } from '../../../changes/change.js';
import { createMemoryChangeFetcher } from '../../../changes/memory-change-fetcher.js';
import { createCriticizer } from '../../../criticizer.js';
import { createEnvironmentSecrets } from '../../../secrets/environment-secrets.js';
import type { Channel } from '../../../stages/notify/channel.js';
import { createMemoryChannel } from '../../../stages/notify/memory-channel.js';
import type { DeliveryFailure } from '../../../stores/notify-outbox.js';
import type { Stores } from '../../../stores/stores.js';
import { contractCases } from '../../support/contract-cases.js';
import { createMarkerRedactor } from '../../support/marker-redactor.js';
import type { Runner } from '../../support/runner.js';
import { createTrail } from '../operate/operator-contract.js';
import { by } from '../operate/operator-verbs.js';
import { one } from '../sample-rows.js';
import type { StoresHarness } from '../stores-harness.js';

const change: Change = {
  ...{ serverId: 'main', number: 7, changelistId: 'main/7', kind: 'submitted', user: 'ada', description: 'A change' },
  ...{ changedAt: new Date(0), userMail: null, reviewerMails: [], jobs: [] },
  files: [
    {
      ...{ path: '//depot/a.ts', oldPath: null, action: 'edit', fileType: 'text', revision: 2, bytes: 10 },
      ...{ skipped: null, addedLines: 1, removedLines: 0, encoding: 'utf8' },
      hunks: [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: ['+const a = 1;'] }],
    },
  ],
  ...{ visibility: 'complete', deniedFiles: 0, contentDigest: 'd' },
};

/** A channel that refuses its place for good until it is cured. */
function refusingChannel() {
  const far = createMemoryChannel({ id: 'team' });
  const failure: DeliveryFailure = { scope: 'recipient', code: 'GONE', category: 'not_found', message: 'gone' };
  let isCured = false;
  const channel: Channel = {
    ...far,
    send: async (post, context) => (isCured ? far.send(post, context) : { kind: 'rejected', failure, permanent: true }),
  };
  return {
    ...{ far, channel },
    cure() {
      isCured = true;
    },
  };
}

/** A channel of so many posts in one group, whose server takes a moment over each and counts those at once. */
function groupedChannel(posts: number, onSend: () => void) {
  const sent: string[] = [];
  let underWay = 0;
  let most = 0;
  const channel: Channel = {
    ...createMemoryChannel({ id: 'team' }),
    groupOf: (target) => target.slice(0, target.indexOf('#')),
    plan: async () =>
      Array.from({ length: posts }, (_, n) => ({
        ...{ target: `topic#${n}`, body: { n }, content: 'counts' as const, required: true },
      })),
    async send({ target }, { onPhase }) {
      underWay += 1;
      most = Math.max(most, underWay);
      onSend();
      await onPhase('data', { host: 'memory', bytes: new Uint8Array() });
      for (let turn = 0; turn < 50; turn += 1) await setImmediate();
      underWay -= 1;
      sent.push(target);
      return { kind: 'accepted', id: target };
    },
  };
  return { channel, sent, mostAtOnce: () => most };
}

/** One process of those that share the stores and the artifacts. */
function review<Tx>(
  stores: Stores<Tx>,
  channel: Channel,
  { concurrency, store = createMemoryArtifactStore() }: { concurrency?: number; store?: ArtifactStore } = {},
) {
  return createCriticizer({
    ...{ stores, channels: [channel], llm: 'none', redactor: createMarkerRedactor(), audit: createTrail(stores) },
    settings: { mail: { concurrency } },
    changes: createMemoryChangeFetcher({ serverId: 'main', changes: new Map([[7, change]]) }),
    artifacts: {
      store,
      keys: createLocalKeyRing({
        source: createEnvironmentSecrets({ env: { KEY: Buffer.alloc(32, 1).toString('base64') } }),
        name: 'KEY',
      }),
    },
  });
}

/** Posts of channels in the rows of mails: stored, delivered, listed and put back by the same verbs. */
export function describeChannelPostsContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('Channel posts contract', () => {
    const it = contractCases(runner, harness);

    it('CHN-1: a post is stored, sent once and marked, under its channel’s recipient', async ({ stores }) => {
      const team = createMemoryChannel({ id: 'team' });
      const criticizer = review(stores, team);
      const { job } = await criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
      await criticizer.runDue({ until: 'idle' });
      const row = one(await stores.outbox.list({ jobId: job.id }));
      const { recipient, recipientKey, via, status, required } = row;
      assert.deepEqual(
        { recipient, recipientKey, via, status, required },
        { recipient: 'team:room', recipientKey: 'team:room', via: 'team', status: 'sent', required: true },
      );
      assert.deepEqual(
        team.accepted().map(({ key }) => key),
        [row.key],
      );
      assert.equal((await criticizer.status(job.id))?.job.status, 'completed');
      await criticizer.stop();
    });

    it('CHN-1: a refused post is a dead letter that an operator reopens and replays, and then sent once', async ({
      stores,
    }) => {
      const { far, channel, cure } = refusingChannel();
      const criticizer = review(stores, channel);
      const { job } = await criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
      await criticizer.runDue({ until: 'idle' });
      const row = one(await stores.outbox.list({ status: 'failed' }));
      assert.deepEqual([row.recipient, row.lastFailure?.code], ['team:room', 'GONE']);
      const letter = one(await stores.deadLetters.list({ status: 'open' }));
      assert.equal(letter.errorClass, 'MAIL_UNDELIVERED');

      cure();
      const operator = criticizer.operate;
      assert.ok(operator !== null);
      assert.equal((await operator.reopenMail({ mailId: row.id, ...by })).outcome, 'reopened');
      const evidence = 'the room is there again';
      const replayed = await operator.replayDeadLetter({ deadLetterId: letter.id, stage: 'notify', evidence, ...by });
      assert.equal(replayed.outcome, 'replayed', JSON.stringify(replayed));
      await criticizer.runDue({ until: 'idle' });
      assert.equal(far.accepted().length, 1);
      assert.equal(one(await stores.outbox.list({ jobId: job.id })).status, 'sent');
      assert.equal((await criticizer.status(job.id))?.job.status, 'completed');
      assert.equal(one(await stores.deadLetters.list({})).status, 'resolved');
      await criticizer.stop();
    });

    it('CHN-2: of one group one post is sent at a time, though two processes deliver', async ({
      stores,
      another = () => stores,
      clock,
    }) => {
      let beside: Promise<unknown> | null = null;
      // The second process looks for work while the first one sends.
      const { channel, sent, mostAtOnce } = groupedChannel(4, () => {
        beside ??= second.runDue({ until: 'idle' });
      });
      const shared = { concurrency: 2, store: createMemoryArtifactStore() };
      const [first, second] = [review(stores, channel, shared), review(another(), channel, shared)];
      await first.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
      for (let round = 0; sent.length < 4 && round < 100; round += 1) {
        await first.runDue({ until: 'idle' });
        await beside;
        beside = null;
        await clock.advance(10_000); // past the wait of those that met another's
      }
      assert.deepEqual([sent.length, new Set(sent).size, mostAtOnce()], [4, 4, 1]);
      await Promise.all([first.stop(), second.stop()]);
    });

    it('CHN-1: a refused post is not put back after that of a newer version', async ({ stores }) => {
      const { far, channel, cure } = refusingChannel();
      const criticizer = review(stores, channel);
      await criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
      await criticizer.runDue({ until: 'idle' });
      const refused = one(await stores.outbox.list({ status: 'failed' }));
      cure();
      await criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 2 });
      await criticizer.runDue({ until: 'idle' });
      const said = far.accepted().map(({ key }) => key);
      assert.equal(said.length, 1);

      const operator = criticizer.operate;
      assert.ok(operator !== null);
      assert.deepEqual((await operator.reopenMail({ mailId: refused.id, ...by })).outcome, 'superseded');
      // Its letter is of no use any more, and is closed without a replay.
      const letter = one(await stores.deadLetters.list({ status: 'open' }));
      const closed = await operator.closeDeadLetter({ deadLetterId: letter.id, status: 'ignored', ...by });
      assert.equal(closed.outcome, 'closed');
      await criticizer.runDue({ until: 'idle' });
      assert.deepEqual(
        far.accepted().map(({ key }) => key),
        said,
      );
      await criticizer.stop();
    });
  });
}
