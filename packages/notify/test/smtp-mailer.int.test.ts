import { createMemoryStores, Secret, type SecretSource } from '@criticizer/core';
import { decodeFrozenMail, type Mailer, type SendOutcome } from '@criticizer/core/ports';
import { describeMailerContract } from '@criticizer/core/testing';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { createMailOutbox } from '../src/outbox/mail-outbox.js';
import { createMaildirLookup } from '../src/smtp/maildir-lookup.js';
import { createSmtpMailer } from '../src/smtp/smtp-mailer.js';
import type { SmtpMailerOptions } from '../src/smtp/smtp-options.js';
import { startRecordingServer } from './recording-smtp-server.js';
import { sampleKey, sampleMail } from './sample-mail.js';
import { type Fault, type Stage, startScriptedServer } from './scripted-smtp-server.js';
import { selfSigned } from './self-signed-certificate.js';

const quick = { connectMs: 2_000, greetingMs: 150, commandMs: 150, dataMs: 150, attemptMs: 2_000 };

function mailerTo(port: number, change: Partial<SmtpMailerOptions> = {}): Mailer {
  return createSmtpMailer({ host: '127.0.0.1', port, tls: 'none', helloName: 'client.example.test', ...change });
}

function codeOf(outcome: SendOutcome): string {
  if (outcome.kind === 'accepted') return 'accepted';
  const { scope, code } = outcome.failure;
  return outcome.kind === 'ambiguous'
    ? `ambiguous ${code}`
    : `${scope} ${code} ${outcome.permanent ? 'permanent' : 'transient'}`;
}

async function send(
  mailer: Mailer,
  phases: string[] = [],
  signal = new AbortController().signal,
): Promise<SendOutcome> {
  return mailer.send(sampleMail, { key: sampleKey, signal, onPhase: async (phase) => void phases.push(phase) });
}

describe('SMTP mailer on a real server, with a journal', () => {
  describeMailerContract(
    { describe, it },
    {
      deadlineMs: 15_000,
      async create() {
        const server = await startRecordingServer();
        const lookup = createMaildirLookup({ directory: server.journal, settleMs: 60_000 });
        return {
          mailer: mailerTo(server.port, { lookup }),
          received: async () => server.received(),
          dropAfterData: () => server.dropAfterData(),
          refuseRecipient: () => server.refuseRecipient(),
          stallAfterData: () => server.stallAfterData(),
          breakLookup: () => server.loseJournal(),
          dispose: () => server.close(),
        };
      },
    },
  );

  it('NOT-5: two attempts carry the bounce address of their key, reply address and headers, byte for byte', async () => {
    const server = await startRecordingServer();
    const mailer = mailerTo(server.port);
    const stores = createMemoryStores();
    const kept = new Map<string, Uint8Array>();
    const outbox = createMailOutbox({
      stores,
      vault: {
        async save(bytes) {
          kept.set('1', bytes);
          return '1';
        },
        load: async (id) => kept.get(id) ?? null,
      },
      mailer,
      from: { address: 'app@example.test' },
      envelopeFrom: (key) => `bounces+${key}@example.test`,
      host: 'example.test',
    });
    try {
      const { row } = await outbox.send({
        dedupeKey: 'one',
        to: { address: 'dev@example.test' },
        subject: 'One',
        text: 'Hello',
        replyTo: { address: 'team@example.test', name: 'The team' },
        headers: [{ name: 'List-Unsubscribe', value: '<https://example.test/off>' }],
      });
      await outbox.deliverDue();
      // As after a lost answer: the stored mail once more, by a mailer of another process.
      const other = mailerTo(server.port);
      const again = decodeFrozenMail(kept.get('1') ?? Buffer.alloc(0), row.messageSha256);
      await other.send(again, { key: row.key, signal: new AbortController().signal, onPhase: async () => undefined });
      await other.close?.();
      const [first, second] = server.received();
      expect(Buffer.from(second?.raw ?? []).equals(Buffer.from(first?.raw ?? []))).toBe(true);
      expect([first?.from, second?.from]).toEqual(Array(2).fill(`bounces+${row.key}@example.test`));
      const parsed = await PostalMime.parse(Buffer.from(first?.raw ?? []));
      expect(parsed.replyTo).toEqual([{ address: 'team@example.test', name: 'The team' }]);
      expect(parsed.headers.filter(({ key }) => key === 'list-unsubscribe').map(({ value }) => value)).toEqual([
        '<https://example.test/off>',
      ]);
    } finally {
      await mailer.close?.();
      await server.close();
    }
  });

  it('keeps a connection for the next mail, and opens another where it died meanwhile', async () => {
    const server = await startRecordingServer();
    const mailer = mailerTo(server.port);
    try {
      for (let n = 0; n < 3; n++) expect(codeOf(await send(mailer))).toBe('accepted');
      expect(server.sessions()).toBe(1);
      server.hangUp();
      const phases: string[] = [];
      expect(codeOf(await send(mailer, phases))).toBe('accepted');
      expect(phases).toEqual(['envelope', 'data']);
      expect(server.received()).toHaveLength(4);
    } finally {
      await mailer.close?.();
      await server.close();
    }
  });

  it('NOT-9: learns how many connections the server allows, and sends everything over those', async () => {
    const server = await startRecordingServer({ maxClients: 3 });
    const mailer = mailerTo(server.port, { maxConnections: 20 });
    try {
      const outcomes = await Promise.all(Array.from({ length: 100 }, () => send(mailer)));
      expect(new Set(outcomes.map(codeOf))).toEqual(new Set(['accepted']));
      expect(server.received()).toHaveLength(100);
      const { accepted, refused } = server.connections();
      expect(accepted).toBeLessThanOrEqual(10);
      // How often it is turned away on the way depends on how fast the server is; session-pool.test scripts that.
      expect(accepted + refused).toBeLessThanOrEqual(20);
    } finally {
      await mailer.close?.();
      await server.close();
    }
  });

  it('opens no more connections than its own limit, and a mail that is given up does not wait for one', async () => {
    const server = await startScriptedServer({ MESSAGE: 'stall' });
    const mailer = mailerTo(server.port, { maxConnections: 2 });
    const stop = new AbortController();
    const stuck = [send(mailer, [], stop.signal), send(mailer, [], stop.signal)];
    const late = new AbortController();
    const phases: string[] = [];
    const waiting = send(mailer, phases, late.signal);
    while (server.messages().length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    late.abort(new Error('given up'));
    await expect(waiting).rejects.toThrow('given up');
    expect([phases, server.connections()]).toEqual([[], 2]);
    stop.abort(new Error('stop'));
    expect((await Promise.all(stuck)).map(codeOf)).toEqual([
      'ambiguous SMTP_ANSWER_LOST',
      'ambiguous SMTP_ANSWER_LOST',
    ]);
    await server.close();
  });

  it('NOT-9: one failed connection answers for the mails that wait behind it', async () => {
    const server = await startScriptedServer({ GREETING: 'stall' });
    const mailer = mailerTo(server.port, { timeouts: quick });
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => send(mailer)));
    expect(new Set(outcomes.map(codeOf))).toEqual(new Set(['transport SMTP_TIMEOUT transient']));
    expect(server.connections()).toBe(1);
    await server.close();
  });

  it('R6: records the data phase after 354 and before any byte of the message', async () => {
    const server = await startScriptedServer({});
    const mailer = mailerTo(server.port);
    let bytesAtPhase = -1;
    await mailer.send(sampleMail, {
      key: sampleKey,
      signal: new AbortController().signal,
      async onPhase(phase) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (phase === 'data') bytesAtPhase = server.dataBytes();
      },
    });
    expect(bytesAtPhase).toBe(0);
    expect(server.messages()).toHaveLength(1);
    await mailer.close?.();
    await server.close();
  });

  it('an abort while the answer is awaited is ambiguous', async () => {
    const server = await startScriptedServer({ MESSAGE: 'stall' });
    const controller = new AbortController();
    const sent = send(mailerTo(server.port), [], controller.signal);
    while (server.messages().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort(new Error('stop'));
    expect(codeOf(await sent)).toBe('ambiguous SMTP_ANSWER_LOST');
    await server.close();
  });
});

describe('SMTP mailer against faults', () => {
  const transient = 'transport SMTP_CONNECTION transient';
  const cases: [Stage, Fault, string][] = [
    ['GREETING', 'drop', transient],
    ['GREETING', 'reset', transient],
    ['GREETING', 'stall', 'transport SMTP_TIMEOUT transient'],
    ['GREETING', { reply: '554 5.7.1 go away' }, 'transport SMTP_UNAVAILABLE permanent'],
    ['GREETING', { reply: '421 4.3.2 busy' }, 'transport SMTP_UNAVAILABLE transient'],
    ['GREETING', 'drip', 'transport SMTP_TIMEOUT transient'],
    ['EHLO', 'drop', transient],
    ['EHLO', 'drip', 'transport SMTP_TIMEOUT transient'],
    ['RCPT', 'drip', 'transport SMTP_TIMEOUT transient'],
    ['DATA', 'drip', 'transport SMTP_TIMEOUT transient'],
    ['MESSAGE', 'drip', 'ambiguous SMTP_ANSWER_LOST'],
    ['EHLO', 'stall', 'transport SMTP_TIMEOUT transient'],
    ['MAIL', 'drop', transient],
    ['MAIL', 'reset', transient],
    ['MAIL', 'stall', 'transport SMTP_TIMEOUT transient'],
    ['MAIL', { reply: '451 4.3.0 later' }, 'transport SMTP_SENDER_DEFERRED transient'],
    ['MAIL', { reply: '550 5.7.1 not you' }, 'transport SMTP_SENDER_REFUSED permanent'],
    ['MAIL', { reply: '552 5.3.4 too big' }, 'message SMTP_TOO_LARGE permanent'],
    ['RCPT', 'drop', transient],
    ['RCPT', 'stall', 'transport SMTP_TIMEOUT transient'],
    ['RCPT', { reply: '450 4.7.1 greylisted' }, 'recipient SMTP_RECIPIENT_DEFERRED transient'],
    ['RCPT', { reply: '452 4.2.2 full' }, 'recipient SMTP_MAILBOX_FULL transient'],
    ['RCPT', { reply: '552 5.2.2 full' }, 'recipient SMTP_MAILBOX_FULL transient'],
    ['RCPT', { reply: '550 5.1.1 unknown' }, 'recipient SMTP_RECIPIENT_REFUSED permanent'],
    ['RCPT', { reply: '550 5.7.1 policy' }, 'recipient SMTP_RECIPIENT_REFUSED permanent'],
    [
      'RCPT',
      { reply: '554 5.7.1 <a.test[192.0.2.1]>: Client host rejected: Access denied' },
      'transport SMTP_CLIENT_REFUSED permanent',
    ],
    ['RCPT', { reply: '452 4.3.1 Insufficient system storage' }, 'transport SMTP_UNAVAILABLE transient'],
    ['RCPT', { reply: '550 5.1.8 bad sender' }, 'transport SMTP_SENDER_REFUSED permanent'],
    ['RCPT', { reply: '421 4.3.2 closing' }, 'transport SMTP_UNAVAILABLE transient'],
    ['DATA', 'drop', transient],
    ['DATA', 'reset', transient],
    ['DATA', { reply: '451 4.3.0 later' }, 'transport SMTP_UNAVAILABLE transient'],
    ['DATA', { reply: '503 5.5.1 out of step' }, 'transport SMTP_UNAVAILABLE transient'],
    ['DATA', { reply: '554 5.6.0 no' }, 'message SMTP_MESSAGE_REFUSED permanent'],
    ['MESSAGE', 'drop', 'ambiguous SMTP_ANSWER_LOST'],
    ['MESSAGE', 'reset', 'ambiguous SMTP_ANSWER_LOST'],
    ['MESSAGE', 'stall', 'ambiguous SMTP_ANSWER_LOST'],
    ['MESSAGE', { reply: '451 4.7.0 later' }, 'message SMTP_MESSAGE_DEFERRED transient'],
    ['MESSAGE', { reply: '452 4.3.1 disk full' }, 'transport SMTP_UNAVAILABLE transient'],
    ['MESSAGE', { reply: '554 5.7.1 spam' }, 'message SMTP_MESSAGE_REFUSED permanent'],
    ['MESSAGE', { reply: '550 5.7.26 dmarc' }, 'transport SMTP_SENDER_REFUSED permanent'],
    ['MESSAGE', { reply: '550 5.4.5 Daily user sending limit exceeded' }, 'transport SMTP_RATE_LIMITED permanent'],
    ['MESSAGE', { reply: '550-5.7.1 Relaying\r\n550 5.7.1 denied' }, 'transport SMTP_CLIENT_REFUSED permanent'],
    ['MESSAGE', { reply: '421 4.3.2 closing' }, 'transport SMTP_UNAVAILABLE transient'],
    ['MESSAGE', { reply: '250 2.0.0 ok' }, 'accepted'],
  ];
  it.each(cases)('NOT-9: %s %j is %s', async (stage, fault, expected) => {
    const server = await startScriptedServer({ [stage]: fault });
    const mailer = mailerTo(server.port, { timeouts: quick });
    const phases: string[] = [];
    try {
      expect(codeOf(await send(mailer, phases))).toBe(expected);
      expect(phases.includes('data')).toBe(stage === 'MESSAGE');
      expect(server.messages()).toHaveLength(stage === 'MESSAGE' ? 1 : 0);
    } finally {
      await mailer.close?.();
      await server.close();
    }
  });

  it('NOT-9: a login that drips has a time limit', async () => {
    const server = await startScriptedServer({ AUTH: 'drip' });
    const read: SecretSource['read'] = async () => ({
      current: { secret: new Secret(String(Math.random())), version: '1' },
    });
    const credentials = { secrets: { contract: 1 as const, read }, userSecret: 'user', passwordSecret: 'password' };
    const mailer = mailerTo(server.port, { timeouts: { ...quick, connectMs: 300 }, credentials });
    expect(codeOf(await send(mailer))).toBe('transport SMTP_TIMEOUT transient');
    await server.close();
  });

  it('NOT-9: a store that never records the data phase does not hold the attempt, and nothing leaves', async () => {
    const server = await startScriptedServer({});
    const mailer = mailerTo(server.port, { timeouts: quick });
    const context = { key: sampleKey, signal: new AbortController().signal };
    const onPhase = (phase: string): Promise<void> =>
      phase === 'data' ? new Promise(() => undefined) : Promise.resolve();
    expect(codeOf(await mailer.send(sampleMail, { ...context, onPhase }))).toBe('transport SMTP_TIMEOUT transient');
    expect([server.messages().length, server.dataBytes()]).toEqual([0, 0]);
    await server.close();
  });

  it('NOT-9: an address that needs SMTPUTF8 is the recipient’s failure where it is not offered, and nothing of it leaves', async () => {
    const wide = { ...sampleMail, to: { address: 'dév@example.test' } };
    const context = { key: sampleKey, signal: new AbortController().signal, onPhase: async () => undefined };
    const plain = await startScriptedServer({});
    const mailer = mailerTo(plain.port);
    expect(codeOf(await mailer.send(wide, context))).toBe('recipient SMTP_UTF8_UNSUPPORTED permanent');
    expect(codeOf(await send(mailer))).toBe('accepted');
    const fromWide = { ...sampleMail, envelopeFrom: 'bóunces@example.test' };
    expect(codeOf(await mailer.send(fromWide, context))).toBe('transport SMTP_SENDER_REFUSED permanent');
    expect(plain.messages()).toHaveLength(1);
    expect([plain.connections(), plain.commands().filter((line) => /^(?:MAIL|RCPT)/.test(line)).length]).toEqual([
      1, 2,
    ]);
    await mailer.close?.();
    await plain.close();
    const modern = await startScriptedServer({ EHLO: { reply: '250-scripted.test\r\n250 SMTPUTF8' } });
    const other = mailerTo(modern.port);
    expect(codeOf(await other.send(wide, context))).toBe('accepted');
    expect(modern.commands()).toContain('MAIL FROM:<bounces@example.test> SMTPUTF8');
    await other.close?.();
    await modern.close();
  });

  it('NOT-9: a server that is not there is the transport', async () => {
    const server = await startScriptedServer({});
    await server.close();
    expect(codeOf(await send(mailerTo(server.port)))).toBe(transient);
  });

  it('SEC-1: STARTTLS is required, and a certificate nobody vouches for is refused', async () => {
    const plain = await startRecordingServer();
    expect(codeOf(await send(mailerTo(plain.port, { tls: 'starttls' })))).toMatch(/^transport SMTP_(TLS|UNAVAILABLE)/);
    expect(plain.received()).toHaveLength(0);
    await plain.close();
    const secure = await startRecordingServer({ disabledCommands: ['AUTH'], ...selfSigned('localhost') });
    expect(codeOf(await send(mailerTo(secure.port, { tls: 'starttls', host: 'localhost' })))).toBe(
      'transport SMTP_TLS transient',
    );
    expect(secure.received()).toHaveLength(0);
    await secure.close();
  });
});

describe('SMTP mailer over TLS', () => {
  it.each([
    ['starttls', false],
    ['implicit', true],
  ] as const)('SEC-1: %s with a certificate of the house’s own authority', async (tls, secure) => {
    const { key, cert } = selfSigned('localhost');
    const server = await startRecordingServer({ disabledCommands: ['AUTH'], secure, key, cert });
    const mailer = mailerTo(server.port, { tls, host: 'localhost', ca: cert });
    try {
      expect(codeOf(await send(mailer))).toBe('accepted');
      expect(server.received()).toHaveLength(1);
      const stranger = mailerTo(server.port, { tls, host: '127.0.0.1', ca: cert });
      expect(codeOf(await send(stranger))).toBe('transport SMTP_TLS transient');
    } finally {
      await mailer.close?.();
      await server.close();
    }
  });
});

describe('SMTP mailer and credentials', () => {
  const good = ['right', String(Math.random())].join('-');
  const source = (current: string, previous?: string): SecretSource => ({
    contract: 1,
    read: async (name) => {
      const version = (text: string, v: string) => ({
        secret: new Secret(name === 'user' ? 'mailer' : text),
        version: v,
      });
      return {
        current: version(current, '2'),
        ...(previous === undefined ? {} : { previous: version(previous, '1') }),
      };
    },
  });
  const startAuthServer = () =>
    startRecordingServer({
      authOptional: false,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth(auth, _session, done) {
        if (auth.password === good) done(null, { user: auth.username });
        else done(new Error('no'));
      },
    });

  it.each([
    ['current', source(good)],
    ['previous, during a rotation', source('new', good)],
  ])('SEC-5: logs in with the %s', async (_which, secrets) => {
    const server = await startAuthServer();
    const mailer = mailerTo(server.port, { credentials: { secrets, userSecret: 'user', passwordSecret: 'password' } });
    expect(codeOf(await send(mailer))).toBe('accepted');
    await mailer.close?.();
    await server.close();
  });

  it.each([
    ['refused', source('wrong', 'wrong too')],
    ['missing', undefined],
  ])('INT-4: credentials that are %s park the mail before its data phase', async (_which, secrets) => {
    const server = await startAuthServer();
    const mailer = mailerTo(
      server.port,
      secrets === undefined ? {} : { credentials: { secrets, userSecret: 'user', passwordSecret: 'password' } },
    );
    const phases: string[] = [];
    await expect(send(mailer, phases)).rejects.toMatchObject({ code: 'SMTP_AUTH', category: 'auth', parks: true });
    expect(phases).not.toContain('data');
    await server.close();
  });

  it('NOT-9: what a server says to a client that has not logged in does not fail its recipient; the same after a login does', async () => {
    const reply = { reply: '554 5.7.1 <dev@example.test>: Recipient address rejected: Access denied' };
    const server = await startScriptedServer({ RCPT: reply });
    const stranger = mailerTo(server.port);
    expect(codeOf(await send(stranger))).toBe('transport SMTP_CLIENT_REFUSED permanent');
    const known = mailerTo(server.port, {
      credentials: { secrets: source(good), userSecret: 'user', passwordSecret: 'password' },
    });
    expect(codeOf(await send(known))).toBe('recipient SMTP_RECIPIENT_REFUSED permanent');
    await server.close();
  });

  it('a login the server cannot check now is transient', async () => {
    const server = await startScriptedServer({ AUTH: { reply: '454 4.7.0 try later' } });
    const mailer = mailerTo(server.port, {
      credentials: { secrets: source(good), userSecret: 'user', passwordSecret: 'password' },
    });
    expect(codeOf(await send(mailer))).toBe('transport SMTP_UNAVAILABLE transient');
    await server.close();
  });
});
