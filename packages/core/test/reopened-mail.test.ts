import { describe, expect, it } from 'vitest';
import type { Mailer } from '../src/outbox/senders/mailer.js';
import { createMemoryMailer } from '../src/outbox/senders/memory-mailer.js';
import { harness } from './criticizer-harness.js';

/** Refuses every recipient for good until it is cured. */
function refusingMailer() {
  const far = createMemoryMailer();
  let refuses = true;
  const mailer: Mailer = {
    ...far,
    async send(mail, context) {
      if (!refuses) return far.send(mail, context);
      const failure = {
        scope: 'recipient',
        code: 'SMTP_RECIPIENT_REFUSED',
        category: 'policy',
        message: 'no such user',
      } as const;
      return { kind: 'rejected', failure, permanent: true };
    },
  };
  return {
    mailer,
    far,
    cure() {
      refuses = false;
    },
  };
}

describe('an operator puts an undelivered review back to work', () => {
  it('NOT-9: a replay alone comes back as the same dead letter; reopened rows and a replay from notify complete the job', async () => {
    const { mailer, far, cure } = refusingMailer();
    const t = harness({ more: { mailer } });
    const id = await t.run();
    const replay = async () => {
      const [letter] = await t.stores.deadLetters.list({ status: 'open' });
      const request = {
        deadLetterId: letter?.id ?? '',
        stage: 'notify',
        fromStart: false,
        actor: { type: 'admin_user' as const, id: 'op' },
        evidence: 'the mailbox exists now',
      };
      const ends = t.events.length;
      expect(await t.stores.deadLetters.replay(request)).toBe('replayed');
      return t.seen((e) => t.events.indexOf(e) >= ends && e.type === 'stage.ended');
    };
    const [row] = (await t.criticizer.status(id))?.mails ?? [];
    expect([row?.status, row?.lastFailure?.code]).toEqual(['failed', 'SMTP_RECIPIENT_REFUSED']);

    cure();
    expect(await replay()).toMatchObject({ stage: 'notify', outcome: 'dead-letter', code: 'MAIL_UNDELIVERED' });
    expect(far.accepted()).toHaveLength(0);

    expect(await t.stores.outbox.reopen([row?.id ?? ''])).toEqual(['reopened']);
    expect(await replay()).toMatchObject({ stage: 'notify', outcome: 'done' });
    await t.criticizer.stop();
    expect(far.accepted()).toHaveLength(1);
    expect((await t.criticizer.status(id))?.job.status).toBe('completed');
    expect(t.sent).toHaveLength(1);
  });

  it('NOT-9: the job of a held mail waits without an attempt, and nobody is mailed', async () => {
    const { mailer, far, cure } = refusingMailer();
    const t = harness({ more: { mailer } });
    const id = await t.run();
    cure();
    const [row] = (await t.criticizer.status(id))?.mails ?? [];
    await t.stores.outbox.reopen([row?.id ?? '']);
    expect(await t.stores.outbox.hold(row?.id ?? '')).toBe('held');
    const [letter] = await t.stores.deadLetters.list({ status: 'open' });
    const actor = { type: 'admin_user' as const, id: 'op' };
    const ends = t.events.length;
    const replay = { deadLetterId: letter?.id ?? '', stage: 'notify', fromStart: false, actor, reason: 'try' };
    expect(await t.stores.deadLetters.replay(replay)).toBe('replayed');
    const end = await t.seen((e) => t.events.indexOf(e) >= ends && e.type === 'stage.ended');
    await t.criticizer.stop();
    const job = (await t.criticizer.status(id))?.job;
    expect([end, job?.waitingFor, job?.attempts['notify'], far.accepted()]).toMatchObject([
      { stage: 'notify', outcome: 'wait' },
      'mail_held',
      0,
      [],
    ]);
  });
});
