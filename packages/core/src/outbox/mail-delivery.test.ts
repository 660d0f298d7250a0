import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createStoreSources } from '../alerts/store-sources.js';
import { createContentPolicy } from '../egress/content-policy.js';
import { createKillSwitch, killSwitchDocument } from '../egress/kill-switch.js';
import { createOutboundGate } from '../egress/outbound-gate.js';
import { CriticizerError } from '../foundation/errors.js';
import type { ContentLevel } from '../foundation/outbound.js';
import { createMemoryStores } from '../memory/memory-stores.js';
import { resolveSettings, type SettingsInput } from '../settings/settings.js';
import { silentLogger } from '../telemetry/logger.js';
import { createMemorySecurityEvents } from '../telemetry/memory-security-events.js';
import { noTelemetry } from '../telemetry/telemetry.js';
import { createManualClock } from '../testing/support/manual-clock.js';
import { createSeededRandom } from '../testing/support/seeded-random.js';
import { defaultBackoff } from '../worker/retry/backoff.js';
import { createOutages } from '../worker/retry/outages.js';
import { encodeFrozenMail } from './frozen/frozen-mail.js';
import { createMailDelivery, toDeliverySettings } from './mail-delivery.js';
import { messageIdFor, outboxKey } from './outbox-key.js';
import type { Mailer, SendOutcome } from './senders/mailer.js';
import { listMailers } from './senders/mailers.js';
import { createMemoryMailer } from './senders/memory-mailer.js';

const minute = 60_000;

function setUp(mail: NonNullable<SettingsInput['mail']> = {}, more: Partial<Mailer> = {}) {
  const clock = createManualClock();
  const settings = resolveSettings({ mail }).mail;
  const stores = createMemoryStores({ clock });
  const kept = new Map<string, Uint8Array>();
  const lines: unknown[] = [];
  const logger = {
    ...silentLogger,
    error: (fields: object) => void lines.push(fields),
    info: (fields: object) => void lines.push(fields),
  };
  const far = createMemoryMailer();
  const server: { answer: SendOutcome | undefined; calls: number } = { answer: undefined, calls: 0 };
  const mailer: Mailer = {
    ...far,
    ...more,
    send: async (frozen, context) => {
      server.calls += 1;
      return server.answer ?? far.send(frozen, context);
    },
  };
  const chat = createMemoryMailer({ id: 'chat' });
  const securityEvents = createMemorySecurityEvents();
  const killSwitch = createKillSwitch({ documents: stores.documents, cacheMs: 0, clock });
  const mailers = listMailers('mailer', [mailer, chat]);
  const deliver = createMailDelivery({
    outbox: stores.outbox,
    senders: mailers,
    outbound: createOutboundGate({
      killSwitch,
      log: stores.egress,
      policy: createContentPolicy({ mailDomains: ['example.test'] }),
      securityEvents,
      random: createSeededRandom(2),
    }),
    vault: { load: async (id) => kept.get(id) ?? null },
    settings: toDeliverySettings(settings, defaultBackoff, createSeededRandom(1)),
    maxPerMinute: settings.maxPerMinute,
    storeNow: () => stores.now(),
    clock,
    logger,
    telemetry: noTelemetry,
    outages: createOutages({ logger, telemetry: noTelemetry, clock }),
  });

  async function add(
    number: number,
    via = mailers.ids[0] as string,
    { domain = 'example.test', content = 'findings' as ContentLevel | null } = {},
  ): Promise<void> {
    const recipient = `dev${number}@${domain}`;
    const identity = { changelistId: 'p4/1', recipientKey: recipient, reviewVersion: 1 };
    const key = outboxKey(identity);
    const from = { address: 'app@example.test' };
    const texts = { subject: 's', text: 't', html: '', headers: [], content: content ?? undefined };
    const to = { address: recipient };
    const messageId = messageIdFor(key, 'example.test');
    const { bytes, sha256 } = encodeFrozenMail({
      ...texts,
      messageId,
      from,
      envelopeFrom: from.address,
      to,
      date: new Date(0),
    });
    kept.set(recipient, bytes);
    const refs = { messageArtifactId: recipient, messageSha256: sha256 };
    await stores.outbox.add([{ ...identity, ...refs, recipient, key, required: true, via, jobId: null }]);
  }

  /** What a worker does with whatever is due. */
  async function turn(): Promise<void> {
    const claimed = await stores.outbox.claim({
      owner: 'o',
      token: `t${clock.nowMs()}`,
      leaseMs: minute,
      limit: 100,
      via: mailers.ids,
      purpose: 'deliver',
    });
    for (const one of claimed) await deliver(one, { signal: new AbortController().signal, leaseMs: minute });
  }

  return { add, chat, clock, far, lines, securityEvents, server, stores, turn };
}

describe('createMailDelivery', () => {
  it('INT-4: a refusal of the sender parks every mail, is reported once, and all go when it is over', async () => {
    const { add, clock, far, lines, server, stores, turn } = setUp();
    for (let n = 0; n < 20; n++) await add(n);
    const failure = { scope: 'transport', code: 'SMTP_CLIENT_REFUSED', category: 'policy', message: 'no' } as const;
    server.answer = { kind: 'rejected', failure, permanent: true, retryAfterMs: 5 * minute };
    for (let n = 0; n < 10; n++) {
      await turn();
      await clock.advance(10 * minute);
    }
    const rows = await stores.outbox.list({});
    expect(rows.map(({ status, attempts }) => `${status} ${attempts}`)).toEqual(
      Array.from({ length: 20 }, () => 'pending 0'),
    );
    expect(lines).toEqual([{ event: 'outage.begun', stage: 'mail', mailer: 'memory', code: 'SMTP_CLIENT_REFUSED' }]);
    server.answer = undefined;
    await turn();
    expect((await stores.outbox.stats()).sent).toBe(20);
    expect(far.accepted()).toHaveLength(20);
    expect(lines).toHaveLength(2); // the second one says that it is over
  });

  it('OPS-3: mails that failed for good are an alert until they are reopened, or a day old', async () => {
    const { add, clock, server, stores, turn } = setUp();
    for (let n = 0; n < 3; n++) await add(n);
    const failure = { scope: 'recipient', code: 'SMTP_NO_MAILBOX', category: 'not_found', message: 'no' } as const;
    server.answer = { kind: 'rejected', failure, permanent: true };
    await turn();
    const mails = createStoreSources(stores).filter(({ name }) => name === 'mails');
    const alerts = async () =>
      (await Promise.all(mails.map((source) => source.read({ signal: new AbortController().signal })))).flat();
    expect(await alerts()).toMatchObject([{ kind: 'mail.failed', severity: 'warning', count: 3 }]);
    await clock.advance(24 * 60 * minute + 1);
    expect(await alerts()).toEqual([]);
  });

  it('NOT-6: each row goes by the mailer it names, and an outage of one is not over because another sends', async () => {
    const { add, chat, far, lines, server, turn } = setUp();
    await add(1);
    await add(2, 'chat');
    const failure = { scope: 'transport', code: 'SMTP_CLIENT_REFUSED', category: 'policy', message: 'no' } as const;
    server.answer = { kind: 'rejected', failure, permanent: true };
    await turn();
    expect(far.accepted()).toEqual([]);
    expect(chat.accepted().map(({ mail }) => mail.to.address)).toEqual(['dev2@example.test']);
    expect(lines).toEqual([{ event: 'outage.begun', stage: 'mail', mailer: 'memory', code: 'SMTP_CLIENT_REFUSED' }]);
  });

  const digests = (mails: readonly { raw: Uint8Array }[]): string[] =>
    mails.map(({ raw }) => createHash('sha256').update(raw).digest('hex')).sort();

  it('EGR-1: each mail that a server received has a record of exactly its bytes, without an address', async () => {
    const { add, far, stores, turn } = setUp();
    for (let n = 0; n < 3; n++) await add(n);
    await turn();
    const records = await stores.egress.list({ destination: 'mail' });
    expect(records.map(({ bodySha256 }) => bodySha256).sort()).toEqual(digests(far.accepted()));
    expect(new Set(records.map(({ messageKey }) => messageKey))).toEqual(new Set(far.accepted().map(({ key }) => key)));
    expect(records.map(({ provider, host, content }) => `${provider} ${host} ${content}`)).toEqual(
      Array.from({ length: 3 }, () => 'memory memory findings'),
    );
    expect(JSON.stringify(records)).not.toContain('@');
  });

  it('EGR-1: a mail that holds more than its recipient may get is not sent, fails at once and is reported once', async () => {
    const { add, far, lines, securityEvents, stores, turn } = setUp();
    for (let n = 0; n < 3; n++) await add(n, undefined, { domain: 'elsewhere.test' });
    await add(3, undefined, { domain: 'sub.example.test' });
    await add(4, undefined, { content: null }); // says nothing, so it counts as code
    await add(5, undefined, { domain: 'elsewhere.test', content: 'counts' });
    await add(6);
    await turn();
    expect(far.accepted().map(({ mail }) => mail.to.address)).toEqual(['dev5@elsewhere.test', 'dev6@example.test']);
    const rows = await stores.outbox.list({});
    const refused = rows.filter(({ status }) => status !== 'sent');
    expect(refused).toHaveLength(5);
    for (const row of refused)
      expect(row).toMatchObject({
        status: 'failed',
        phase: 'none',
        lastFailure: { code: 'EGRESS_CONTENT_DENIED', category: 'policy', scope: 'message' },
      });
    // Nothing of a refused mail was about to leave.
    expect(await stores.egress.list({})).toHaveLength(2);
    expect(securityEvents.events.map(({ type, details }) => [type, details])).toEqual([
      ['egress.blocked', { destination: 'mail:memory', content: 'findings', highest: 'counts' }],
      ['egress.blocked', { destination: 'mail:memory', content: 'code', highest: 'findings' }],
    ]);
    expect(lines).toEqual([]);
  });

  it('EGR-1: a mail whose record cannot be committed is not sent, and spends no attempt', async () => {
    const { add, clock, far, stores, turn } = setUp();
    const { append } = stores.egress;
    stores.egress.append = async () => {
      throw new CriticizerError('DB_UNAVAILABLE', 'down', { category: 'network' });
    };
    await add(1);
    await turn();
    expect(far.accepted()).toEqual([]);
    expect(await stores.outbox.list({})).toMatchObject([{ status: 'pending', attempts: 0, phase: 'none' }]);
    stores.egress.append = append;
    await clock.advance(10 * minute);
    await turn();
    expect(far.accepted()).toHaveLength(1);
  });

  it('EGR-4: a mailer that hands its mails on is stopped and recorded by the name of the one that sends', async () => {
    const { add, clock, far, server, stores, turn } = setUp({}, { id: 'redirect-smtp', destinationId: 'smtp' });
    await add(1);
    await stores.documents.write(killSwitchDocument, 0, { stopped: true, providers: ['mail:smtp'] });
    await turn();
    expect([server.calls, (await stores.outbox.stats()).pending]).toEqual([0, 1]);
    await stores.documents.write(killSwitchDocument, 1, { stopped: false });
    await clock.advance(10 * minute);
    await turn();
    expect(far.accepted()).toHaveLength(1);
    expect((await stores.egress.list({})).map(({ provider }) => provider)).toEqual(['smtp']);
    expect((await stores.outbox.list({})).map(({ via }) => via)).toEqual(['redirect-smtp']);
  });

  it('EGR-4: no mail leaves while the kill switch is on; rows wait without spending attempts, told once', async () => {
    const { add, clock, far, lines, server, stores, turn } = setUp();
    for (let n = 0; n < 5; n++) await add(n);
    const { version } = await stores.documents.read(killSwitchDocument);
    await stores.documents.write(killSwitchDocument, version, { stopped: true });
    for (let n = 0; n < 8; n++) {
      await turn();
      await clock.advance(10 * minute);
    }
    expect(far.accepted()).toEqual([]);
    expect(server.calls).toBe(0); // no connection is opened either
    expect(await stores.egress.list({})).toEqual([]);
    const rows = await stores.outbox.list({});
    expect(new Set(rows.map(({ status, attempts }) => `${status} ${attempts}`))).toEqual(new Set(['pending 0']));
    expect(lines).toEqual([{ event: 'outage.begun', stage: 'mail', mailer: 'memory', code: 'EGRESS_KILLED' }]);
    await stores.documents.write(killSwitchDocument, version + 1, { stopped: false });
    await turn();
    expect(far.accepted()).toHaveLength(5);
  });

  it('EGR-4: the switch that is flipped while the record commits stops the mail, and narrowed it stops its own', async () => {
    const { add, chat, clock, far, stores, turn } = setUp();
    const { append } = stores.egress;
    stores.egress.append = async (...given) => {
      await append(...given);
      const { version } = await stores.documents.read(killSwitchDocument);
      await stores.documents.write(killSwitchDocument, version, { stopped: true, providers: ['mail:memory'] });
    };
    await add(1);
    await turn();
    expect(far.accepted()).toEqual([]);
    stores.egress.append = append;
    await add(2, 'chat');
    await clock.advance(10 * minute);
    await turn();
    expect(far.accepted()).toEqual([]);
    expect(chat.accepted()).toHaveLength(1);
  });

  it('NOT-9: a backlog leaves at mail.maxPerMinute', async () => {
    const { add, clock, far, stores, turn } = setUp({ maxPerMinute: 5 });
    for (let n = 0; n < 20; n++) await add(n);
    const sent: number[] = [];
    for (let second = 0; second <= 240; second++) {
      await turn();
      sent.push(far.accepted().length);
      await clock.advance(1_000);
    }
    for (let second = 60; second < sent.length; second++)
      expect((sent[second] ?? 0) - (sent[second - 60] ?? 0)).toBeLessThanOrEqual(5);
    expect([sent[0], sent.at(-1)]).toEqual([5, 20]);
    expect((await stores.outbox.list({})).every(({ attempts }) => attempts === 1)).toBe(true);
  });
});
