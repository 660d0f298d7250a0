import { describe, expect, it } from 'vitest';
import { killSwitchDocument } from '../src/egress/kill-switch.js';
import { createMemoryMailer } from '../src/outbox/senders/memory-mailer.js';
import type { Channel, ChannelReview, PlannedPost } from '../src/stages/notify/channel.js';
import { createMemoryChannel } from '../src/stages/notify/memory-channel.js';
import { createStaticRecipients } from '../src/stages/recipients/static-recipients.js';
import { change, harness, plainComposer } from './criticizer-harness.js';

const ada = createStaticRecipients([{ address: 'ada@example.test', required: true }]);
const findings = { egress: { content: [{ destination: 'chat:team', highest: 'findings' as const }] } };

/** A channel that plans what the test says, and keeps what it was asked with. */
function planning(plan: (review: ChannelReview) => readonly PlannedPost[], more: Partial<Channel> = {}) {
  const memory = createMemoryChannel({ id: 'team' });
  const asked: ChannelReview[] = [];
  const channel: Channel = {
    ...memory,
    plan: async (review) => {
      asked.push(review);
      return plan(review);
    },
    ...more,
  };
  return { channel, asked, accepted: memory.accepted };
}

const post = (more: Partial<PlannedPost> = {}): PlannedPost => ({
  ...{ target: 'room', body: { text: 'one' }, content: 'counts', required: true },
  ...more,
});

describe('channels of a Criticizer', () => {
  it('CHN-1: posts are rows of the outbox beside the mails, and the review ends when both are sent', async () => {
    const team = createMemoryChannel({ id: 'team' });
    const t = harness({ more: { channels: [team], recipients: ada, settings: findings } });
    const { mails, job } = (await t.criticizer.status(await t.run())) ?? {};
    expect(job?.status).toBe('completed');
    expect(
      mails?.map(({ recipient, recipientKey, via, status }) => [recipient, recipientKey, via, status]).sort(),
    ).toEqual([
      ['ada@example.test', 'ada@example.test', 'memory', 'sent'],
      ['team:room', 'team:room', 'team', 'sent'],
    ]);
    const [row] = mails?.filter(({ via }) => via === 'team') ?? [];
    expect(team.accepted()).toMatchObject([{ key: row?.key, post: { body: { titles: ['A title'] } } }]);
    expect((await t.stores.egress.list({ destination: 'chat' })).map(({ content }) => content)).toEqual(['findings']);
    await t.criticizer.stop();
  });

  it('CHN-1: without a mailer the channel alone gets the review, counts where no level is granted', async () => {
    const team = createMemoryChannel({ id: 'team' });
    const t = harness({ more: { channels: [team], mailer: undefined, composer: undefined, recipients: ada } });
    const status = await t.criticizer.status(await t.run());
    expect(status?.mails.map(({ recipient, status }) => [recipient, status])).toEqual([['team:room', 'sent']]);
    const [accepted] = team.accepted();
    expect(accepted?.post.content).toBe('counts');
    expect(JSON.stringify(accepted?.post.body)).not.toContain('A title');
    await t.criticizer.stop();
  });

  it('CHN-1: a plan that may not be stored stores nothing, no mail either', async () => {
    const wrong: readonly (readonly PlannedPost[])[] = [
      [post({ content: 'findings' })],
      [post(), post()],
      [post({ target: '' })],
    ];
    for (const plan of wrong) {
      const { channel } = planning(() => plan);
      const t = harness({ more: { channels: [channel], recipients: ada } });
      const status = await t.criticizer.status(await t.run());
      expect(status?.job.lastFailure).toMatchObject({ code: 'CHANNEL_PLAN_INVALID' });
      expect(status?.mails).toEqual([]);
      await t.criticizer.stop();
    }
  });

  it('CHN-1: a later version knows the posts of the earlier ones, and mails keep their thread', async () => {
    const { channel, asked, accepted } = planning(({ key }) => [post({ body: { key: key('room') } })]);
    const t = harness({
      change: change({ contentDigest: 'judged', originalNumber: 5 }),
      more: { channels: [channel], recipients: ada },
    });
    await t.run(1);
    await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 2 });
    await t.seen((e) => e.type === 'stage.ended' && e.outcome === 'done' && accepted().length === 2);
    const [first, second] = accepted();
    expect(asked.map(({ earlier }) => earlier)).toEqual([
      [],
      [{ target: 'room', reviewVersion: 1, key: first?.key, id: `memory:${first?.key}` }],
    ]);
    for (const one of asked) expect(one).toMatchObject({ contentDigest: 'judged', originalNumber: 5 });
    const subjects = t.mailer.accepted().map(({ mail }) => mail.subject);
    expect(subjects).toHaveLength(2);
    expect(new Set(subjects).size).toBe(1);
    // The keys that a plan is told are those of the rows.
    for (const one of [first, second]) expect(one?.post.body).toEqual({ key: one?.key });
    await t.criticizer.stop();
  });

  it('NOT-7: a post whose answer was lost is looked up before it is sent again', async () => {
    const memory = createMemoryChannel({ id: 'team' });
    let sends = 0;
    const failure = { scope: 'transport', code: 'LOST', category: 'network', message: 'no answer' } as const;
    const channel: Channel = {
      ...memory,
      async send(...args) {
        sends += 1;
        await memory.send(...args);
        return { kind: 'ambiguous', failure };
      },
    };
    const t = harness({ more: { channels: [channel], mailer: undefined, composer: undefined } });
    const status = await t.criticizer.status(await t.run());
    expect(status?.mails).toMatchObject([{ status: 'sent' }]);
    expect([sends, memory.accepted().length]).toEqual([1, 1]);
    await t.criticizer.stop();
  });

  it('EGR-4: a channel that asks its server to plan is stopped before it does', async () => {
    const { channel, asked, accepted } = planning(() => [post()], { plansOnline: true });
    const t = harness({ more: { channels: [channel], recipients: ada } });
    await t.stores.documents.write(killSwitchDocument, 0, { stopped: true, providers: ['chat:team'] });
    await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await t.criticizer.start();
    await t.seen((e) => e.type === 'stage.ended' && e.stage === 'notify');
    expect([asked, accepted()]).toEqual([[], []]);
    await t.criticizer.stop();
  });

  it('CHN-1: ids and destinations differ, and something must send', () => {
    const team = createMemoryChannel({ id: 'team' });
    const wrong = [
      { channels: [team, team] },
      { channels: [createMemoryChannel({ id: 'memory' })] },
      { channels: [{ ...team, id: 'a:b' }] },
      { channels: [{ ...team, contract: 2 } as never] },
      { channels: [team], composer: undefined },
      { channels: [], mailer: undefined },
    ];
    for (const more of wrong) expect(() => harness({ more })).toThrow(TypeError);
    expect(() =>
      harness({ more: { channels: [team], mailer: createMemoryMailer(), composer: plainComposer } }),
    ).not.toThrow();
  });
});
