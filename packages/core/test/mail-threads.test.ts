import { describe, expect, it } from 'vitest';
import { createMemoryChangeFetcher } from '../src/changes/memory-change-fetcher.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { messageIdFor } from '../src/outbox/outbox-key.js';
import type { FrozenMail } from '../src/outbox/senders/mailer.js';
import type { MailComposer, MailEnvelope } from '../src/stages/notify/mail-composer.js';
import { createManualClock } from '../src/testing/support/manual-clock.js';
import { change, harness } from './criticizer-harness.js';

/** Takes the subject of the thread, else the description, and notes what it was given. */
function noting(): { composer: MailComposer; envelopes: MailEnvelope[] } {
  const envelopes: MailEnvelope[] = [];
  const compose = (change: { number: number; description?: string }, envelope: MailEnvelope): FrozenMail => {
    envelopes.push(envelope);
    const { recipient, key, date, thread } = envelope;
    const from = { address: 'reviews@example.test' };
    return {
      messageId: messageIdFor(key, 'example.test'),
      from,
      envelopeFrom: from.address,
      to: { address: recipient.address },
      subject: thread?.subject ?? change.description ?? String(change.number),
      date,
      text: 'text',
      html: '',
      content: change.description === undefined ? 'counts' : 'findings',
      headers: [],
    };
  };
  const composer: MailComposer = {
    compose: ({ change }, envelope) => compose(change, envelope),
    composeCounts: ({ change }, envelope) => compose(change, envelope),
  };
  return { composer, envelopes };
}

describe('the mails of a change', () => {
  it('NOT-5: later versions are given the subject of the first one, though its description was edited', async () => {
    const changes = new Map([[7, change({ description: 'First title' })]]);
    const { composer, envelopes } = noting();
    const t = harness({ more: { composer, changes: createMemoryChangeFetcher({ serverId: 'main', changes }) } });
    for (const [version, description] of ['First title', 'Second title', 'Third title'].entries()) {
      changes.set(7, change({ description, contentDigest: `d${version}` }));
      await t.run(version + 1);
    }
    await t.criticizer.stop();
    expect(t.mailer.accepted().map(({ mail }) => mail.subject)).toEqual(Array(3).fill('First title'));
    const thread = { subject: 'First title', content: 'findings' };
    expect(envelopes.map((envelope) => envelope.thread)).toEqual([undefined, thread, thread]);
  });

  it('NOT-5: an earlier mail that is gone gives no thread and holds no review', async () => {
    const { composer, envelopes } = noting();
    const t = harness({ more: { composer } });
    await t.run(1);
    const [row] = await t.stores.outbox.list({});
    await t.stores.artifactManifest.expire([row?.messageArtifactId ?? '']);
    await t.run(2);
    await t.criticizer.stop();
    expect(t.mailer.accepted()).toHaveLength(2);
    expect(envelopes.map((envelope) => envelope.thread)).toEqual([undefined, undefined]);
  });

  it('NOT-5: the date of a mail is that of its composition, not of a job that waited', async () => {
    const { composer, envelopes } = noting();
    const clock = createManualClock(Date.UTC(2026, 0, 1));
    const stores = createMemoryStores({ clock });
    const t = harness({ more: { composer, stores, clock } });
    await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await clock.advance(3 * 86_400_000);
    const run = t.criticizer.runDue({ until: 'idle' });
    await clock.advance(1_000);
    await run;
    expect(envelopes.map(({ date }) => date.toISOString().slice(0, 10))).toEqual(['2026-01-04']);
  });

  it('NOT-3: each recipient comes with the reason of the mail, the first one where there are several', async () => {
    const { composer, envelopes } = noting();
    const t = harness({ more: { composer } });
    const { job } = await t.criticizer.submit({
      serverId: 'main',
      number: 7,
      reviewVersion: 1,
      recipients: [
        { address: 'bob@example.test', required: true },
        { address: 'eve@example.test', required: true, reason: 'the owners of //depot/main' },
      ],
    });
    await t.criticizer.start();
    await t.seen((e) => e.jobId === job.id && e.type === 'stage.ended' && e.outcome === 'done');
    await t.criticizer.stop();
    expect(envelopes.map(({ recipient }) => [recipient.address, recipient.reason])).toEqual([
      ['bob@example.test', 'requested'],
      ['eve@example.test', 'the owners of //depot/main'],
      ['ada@example.test', 'author'],
    ]);
  });
});
