// `npm run test:mail-peers`: the SMTP mailer and the look-up by IMAP against a real postfix and a real
// dovecot, as Debian has them. Says so where they are not installed. Not in CI.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Secret } from '@criticizer/core';
import { messageIdFor } from '@criticizer/core/internal';
import type { FrozenMail, SendOutcome } from '@criticizer/core/ports';
import { createImapLookup } from '../../src/imap/imap-lookup.js';
import { createSmtpMailer } from '../../src/smtp/smtp-mailer.js';
import { selfSigned } from '../self-signed-certificate.js';
import { findMissing, type MailServers, startMailServers } from './mail-servers.js';

const { signal } = new AbortController();
const password = new Secret('word');
const secrets = {
  contract: 1 as const,
  read: async (name: string) => ({
    current: { secret: name === 'USER' ? new Secret('journal@example.test') : password, version: '1' },
  }),
};

function newMail(to = 'dev@example.test'): { mail: FrozenMail; key: string } {
  const key = randomBytes(16).toString('hex');
  const from = { address: 'app@example.test' };
  const mail = {
    ...{ messageId: messageIdFor(key, 'example.test'), from, envelopeFrom: from.address, to: { address: to } },
    ...{ subject: 'A test: Grüße', date: new Date(), text: 'Hello\n.\nFrom here', html: '<p>Hello</p>', headers: [] },
  };
  return { mail, key };
}

/** What one run has: the servers, the certificate, and what it asks the mailbox with. */
interface Run {
  servers: MailServers;
  ca: string;
}

async function send({ ca }: Run, port: number, given: ReturnType<typeof newMail>, tls: 'starttls' | 'none' = 'none') {
  const mailer = createSmtpMailer({
    host: tls === 'none' ? '127.0.0.1' : 'localhost',
    port,
    tls,
    ca,
    helloName: 'localhost',
  });
  try {
    return await mailer.send(given.mail, { key: given.key, signal, onPhase: async () => undefined });
  } finally {
    await mailer.close?.();
  }
}

const lookupIn = ({ servers, ca }: Run, settleMs = 2_000) =>
  createImapLookup({
    ...{ host: 'localhost', port: servers.ports.imap, ca, settleMs },
    credentials: { secrets, userSecret: 'USER', passwordSecret: 'PASSWORD' },
  });

const query = ({ mail, key }: ReturnType<typeof newMail>, sinceDataMs: number) => ({
  ...{ key, messageId: mail.messageId, id: null, recipient: mail.to.address, since: mail.date, sinceDataMs, signal },
});

async function untilFound(lookup: ReturnType<typeof lookupIn>, given: ReturnType<typeof newMail>): Promise<number> {
  const from = performance.now();
  for (let tries = 0; tries < 200; tries++) {
    if ((await lookup.find(query(given, 0))).kind === 'found') return performance.now() - from;
    await delay(50);
  }
  throw new Error('the mail never came into the journal');
}

const refusalOf = (outcome: SendOutcome) =>
  outcome.kind === 'rejected' ? `${outcome.failure.scope} ${outcome.permanent ? 'for good' : 'for now'}` : outcome.kind;

/** Each names what it proves; what it gives is printed beside it. */
const cases: Readonly<Record<string, (run: Run) => Promise<string>>> = {
  'a mail over STARTTLS is accepted, and the journal has it': async (run) => {
    const given = newMail();
    assert.equal((await send(run, run.servers.ports.plain, given, 'starttls')).kind, 'accepted');
    const lookup = lookupIn(run);
    const ms = await untilFound(lookup, given);
    assert.equal(await lookup.check({ signal }), 'trusted');
    assert.deepEqual(await lookup.find(query(newMail(), 10_000)), { kind: 'absent', conclusive: true });
    await lookup.close();
    return `found ${Math.round(ms)} ms after the first look`;
  },
  'a certificate of nobody known is refused before a byte leaves': async (run) => {
    const strange = { ...run, ca: selfSigned('localhost').cert };
    return refusalOf(await send(strange, run.servers.ports.plain, newMail(), 'starttls'));
  },
  'a relay refusal is the fault of the set-up, not of the recipient': async (run) => {
    const answer = refusalOf(await send(run, run.servers.ports.relayDenied, newMail('dev@elsewhere.example')));
    assert.match(answer, /^transport /);
    return answer;
  },
  'greylisting waits': async (run) => {
    const answer = refusalOf(await send(run, run.servers.ports.greylisted, newMail()));
    assert.match(answer, / for now$/);
    return answer;
  },
  'a full mailbox waits': async (run) => {
    const answer = refusalOf(await send(run, run.servers.ports.full, newMail()));
    assert.match(answer, / for now$/);
    return answer;
  },
  'a deferred mail is not absent for good before it settled, and is found once, later': async (run) => {
    const given = newMail();
    const lookup = lookupIn(run, 60_000);
    await lookup.check({ signal });
    await run.servers.stopDelivery();
    assert.equal((await send(run, run.servers.ports.plain, given)).kind, 'accepted');
    for (let tries = 0; run.servers.queued() === 0 && tries < 100; tries++) await delay(50);
    const waiting = run.servers.queued();
    assert.ok(waiting > 0, 'postfix has it in its queue');
    await run.servers.startDelivery();
    assert.deepEqual(await lookup.find(query(given, 1_000)), { kind: 'absent', conclusive: false });
    run.servers.flush();
    await untilFound(lookup, given);
    await lookup.close();
    return `${waiting} in the queue; not conclusive until it settled`;
  },
};

async function main(): Promise<number> {
  const missing = findMissing();
  if (missing !== undefined) {
    console.log(`test:mail-peers: not run: ${missing} (Debian: postfix, dovecot-imapd, dovecot-lmtpd)`);
    return 0;
  }
  const certificate = selfSigned('localhost');
  const servers = await startMailServers(certificate);
  const run = { servers, ca: certificate.cert };
  let failed = 0;
  try {
    for (const [name, prove] of Object.entries(cases)) {
      const said = await prove(run).catch((error: unknown) => error as Error);
      const isGood = typeof said === 'string';
      if (!isGood) failed += 1;
      console.log(`${isGood ? 'ok  ' : 'FAIL'} ${name}: ${isGood ? said : said.message}`);
    }
    if (failed > 0) console.log(servers.log());
  } finally {
    await servers.stop();
  }
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
