import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAuditTrail } from '../src/audit/audit-trail.js';
import type { JsonValue } from '../src/foundation/json.js';
import { createFindingLinks } from '../src/links/finding-links.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { digestAuditSubject } from '../src/operate/audit/subject-digest.js';
import { createLinkHandler } from '../src/operate/links/link-handler.js';
import { createMemoryMailer } from '../src/outbox/senders/memory-mailer.js';
import { Secret } from '../src/secrets/secret.js';
import type { MailEnvelope } from '../src/stages/notify/mail-composer.js';
import type { RecipientPreference } from '../src/stores/preference-store.js';
import { silentLogger } from '../src/telemetry/logger.js';
import { createManualClock } from '../src/testing/support/manual-clock.js';
import { createSeededRandom } from '../src/testing/support/seeded-random.js';
import { finding, harness, plainComposer, reply, sharedArtifacts } from './criticizer-harness.js';

const meta = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
const redactor = { ruleVersion: '1', redact: (value: unknown) => ({ value: value as JsonValue, meta }) };
const ada = 'ada@example.test';
const op = { actor: { type: 'admin_user', id: 'op' }, reason: 'asked for it' } as const;

/** Reviews whose mails have links; notes the envelopes of its mails. */
function setUp(script = [reply([finding()])]) {
  const stores = createMemoryStores();
  const random = createSeededRandom(3);
  const audit = createAuditTrail({
    ...{ store: stores.audit, redactor, destinations: [], random, logger: silentLogger },
  });
  const current = { secret: new Secret(randomBytes(32).toString('base64')), version: '1' };
  const source = { contract: 1, read: async () => ({ current }) } as const;
  const links = createFindingLinks({ url: 'https://reviews.example.test/links', secret: { source, name: 'LINKS' } });
  const envelopes: MailEnvelope[] = [];
  const noting =
    <Content>(compose: (content: Content, envelope: MailEnvelope) => ReturnType<typeof plainComposer.compose>) =>
    (content: Content, envelope: MailEnvelope) => {
      envelopes.push(envelope);
      return compose(content, envelope);
    };
  const composer = { compose: noting(plainComposer.compose), composeCounts: noting(plainComposer.composeCounts) };
  const more = { stores, audit, findingLinks: links, composer, artifacts: sharedArtifacts() };
  const start = (mailer = createMemoryMailer()) => harness({ script, more: { ...more, mailer } });
  const clock = createManualClock();
  clock.freeze(Date.now() - clock.nowMs());
  return { stores, links, envelopes, start, clock };
}

const post = (href: string, body: string) =>
  new Request(href, { method: 'POST', body, headers: { 'content-type': 'application/x-www-form-urlencoded' } });

describe('a link that stops the mails', () => {
  it('NOT-10: opening it changes nothing; a POST sets its recipient to off, audited, and later reviews need no mail', async () => {
    const { stores, links, envelopes, start, clock } = setUp();
    const first = start();
    await first.run();
    const [href = ''] = envelopes.map(({ unsubscribeUrl }) => unsubscribeUrl);
    const handle = createLinkHandler({ criticizer: first.criticizer, links, clock });
    for (const method of ['GET', 'HEAD']) expect((await handle(new Request(href, { method }))).status).toBe(200);
    expect(await (await handle(new Request(href))).text()).toContain('<button name="stop" value="yes">');
    expect((await handle(post(href, 'disposition=false_positive'))).status).toBe(400);
    expect(await stores.preferences.list({})).toEqual([]);

    const done = await handle(post(href, 'List-Unsubscribe=One-Click'));
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('You get no more of these mails')]);
    expect((await handle(post(href, 'stop=yes'))).status).toBe(200);
    const [row] = await stores.outbox.list({});
    const setBy = { type: 'system', id: `link:${row?.key}` };
    expect(await stores.preferences.list({})).toMatchObject([{ recipientKey: ada, mails: 'off', setBy }]);
    const events = await stores.audit.list({});
    expect(events).toMatchObject([
      {
        action: 'mail.preference.set',
        actorId: setBy.id,
        targetId: digestAuditSubject(ada),
        payload: { mails: 'off' },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain(ada);
    await first.criticizer.stop();

    const second = start();
    const id = await second.run(2);
    expect((await second.criticizer.status(id))?.job.status).toBe('completed');
    expect((await stores.outbox.list({})).map(({ reviewVersion }) => reviewVersion)).toEqual([1]);
    await second.criticizer.stop();
  });

  it('NOT-10: a required mail that waits is taken back, and its review completes without it', async () => {
    const { stores, start } = setUp();
    const failure = { scope: 'transport', code: 'SMTP_451', category: 'network', message: 'later' } as const;
    const mailer = {
      ...createMemoryMailer(),
      send: async () => ({ kind: 'rejected', permanent: false, failure, retryAfterMs: 60_000 }) as const,
    };
    const t = start(mailer);
    const { job } = await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await t.criticizer.start();
    await t.seen((event) => event.type === 'stage.ended' && event.stage === 'notify' && event.outcome === 'wait');
    const set = t.criticizer.operate?.setMailPreference({ address: ada, mails: 'off', linkOnly: false, ...op });
    expect(await set).toEqual({ outcome: 'set', audit: 'recorded' });
    expect(await stores.outbox.list({})).toMatchObject([{ status: 'cancelled', required: false }]);
    // The job looks at its rows again when the mail would have been due; an operator's rerun shows it now.
    expect((await t.criticizer.status(job.id))?.job.status).toBe('queued');
    await t.criticizer.stop();
  });

  it.each<[string, RecipientPreference, string | null]>([
    ['grave reviews alone', { mails: 'high', linkOnly: false }, 'findings'],
    ['links alone', { mails: 'all', linkOnly: true }, 'counts'],
    ['no mails', { mails: 'off', linkOnly: true }, null],
  ])('NOT-10: who wants %s gets that', async (_what, preference, content) => {
    const { stores, start } = setUp();
    await stores.preferences.set(ada, preference, op.actor);
    const mailer = createMemoryMailer();
    const t = start(mailer);
    await t.run();
    expect(mailer.accepted().map(({ mail }) => mail.content ?? null)).toEqual(content === null ? [] : [content]);
    await t.criticizer.stop();
  });

  it('NOT-10: a review without a high finding reaches nobody who wants grave ones alone', async () => {
    const { stores, start } = setUp([reply([finding({ severity: 'medium' })])]);
    await stores.preferences.set(ada, { mails: 'high', linkOnly: false }, op.actor);
    const mailer = createMemoryMailer();
    const t = start(mailer);
    await t.run();
    expect(mailer.accepted()).toEqual([]);
    await t.criticizer.stop();
  });

  it('NOT-10: a link that hides a finding stops no mails, a year ends it, and a lost mail is a page that says so', async () => {
    const { stores, links, envelopes, start, clock } = setUp();
    const t = start();
    await t.run();
    const handle = createLinkHandler({ criticizer: t.criticizer, links, clock });
    const signal = new AbortController().signal;
    const [envelope] = envelopes;
    const ofFinding = (await links.open({ signal }))(
      { jobId: 'j', findingId: 'f', mailKey: envelope?.key ?? '' },
      new Date(),
    );
    expect((await handle(post(ofFinding, 'stop=yes'))).status).toBe(410);
    const lost = (await links.openForMail({ signal }))('f'.repeat(32), new Date());
    expect((await handle(post(lost, 'stop=yes'))).status).toBe(410);
    const old = (await links.openForMail({ signal }))(envelope?.key ?? '', new Date(Date.now() - 366 * 86_400_000));
    expect((await handle(post(old, 'stop=yes'))).status).toBe(410);
    expect(await stores.preferences.list({})).toEqual([]);
    await t.criticizer.stop();
  });
});
