import { Secret } from '@criticizer/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createImapLookup, type ImapLookup } from '../src/imap/imap-lookup.js';
import type { ImapLookupOptions } from '../src/imap/imap-options.js';
import { composeMessage } from '../src/smtp/compose-message.js';
import { type ImapServer, startImapServer } from '../src/testing/imap-server.js';
import { sampleKey, sampleMail } from './sample-mail.js';

const signal = new AbortController().signal;
const opened: ImapLookup[] = [];
let server: ImapServer;
beforeEach(async () => {
  server = await startImapServer({ password: 'word' });
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((lookup) => lookup.close()));
  await server.close();
});

/** `word` is the password that the server takes. */
function secretsOf(passwords: { current: string; previous?: string }) {
  const version = (text: string) => ({ secret: new Secret(text), version: text });
  const { current, previous } = passwords;
  return {
    contract: 1 as const,
    read: async (name: string) =>
      name === 'USER'
        ? { current: version('reader') }
        : { current: version(current), ...(previous === undefined ? {} : { previous: version(previous) }) },
  };
}

function lookupTo(more: Partial<ImapLookupOptions> = {}, secrets = secretsOf({ current: 'word' })): ImapLookup {
  const credentials = { secrets, userSecret: 'USER', passwordSecret: 'PASSWORD' };
  const made = createImapLookup({ host: '127.0.0.1', port: server.port, tls: 'none', credentials, ...more });
  opened.push(made);
  return made;
}

const query = (change: object = {}) => ({
  ...{ key: sampleKey, messageId: sampleMail.messageId, id: null, recipient: 'dev@example.test' },
  ...{ since: new Date(), sinceDataMs: 120_000, signal },
  ...change,
});
const otherKey = 'f'.repeat(32);
const raw = async (key = sampleKey): Promise<string> =>
  (await composeMessage({ ...sampleMail, messageId: `<${key}@example.test>` }, key)).toString('latin1');
const absent = (conclusive: boolean) => ({ kind: 'absent', conclusive });

describe('look-up by IMAP', () => {
  it('NOT-7: finds by Message-ID, and by key where the server replaced it, over one connection', async () => {
    server.deliver(await raw(otherKey));
    const lookup = lookupTo();
    expect(await lookup.find(query())).toEqual(absent(true));
    server.deliver(
      `Received: from x\r\n${(await raw()).replace(/^Message-ID:.*$/m, 'Message-ID: <other@server.test>')}`,
    );
    expect(await lookup.find(query())).toEqual({ kind: 'found', id: '<other@server.test>' });
    server.deliver((await raw()).replace(/^X-Criticizer-Key:.*\r\n/m, ''));
    const found = await Promise.all([1, 2, 3].map(() => lookup.find(query())));
    expect(found.map(({ kind }) => kind)).toEqual(['found', 'found', 'found']);
    expect(server.connections()).toBe(1);
  });

  it('NOT-7: a similar mail is not the mail: what the search finds is compared whole', async () => {
    const longer = `<x${sampleKey}@example.test>`;
    const text = (await raw(otherKey)).replace(/^Message-ID:.*$/m, `Message-ID: ${longer}`);
    server.deliver(text.replace(/^X-Criticizer-Key:.*$/m, `X-Criticizer-Key: ${sampleKey}0`));
    expect(await lookupTo().find(query())).toEqual(absent(true));
  });

  it('NOT-7: absence proves nothing before it settled, past the retention, or in a mailbox without mails', async () => {
    const lookup = lookupTo();
    expect(await lookup.check({ signal })).toBe('empty');
    expect(await lookup.find(query())).toEqual(absent(false));
    server.deliver(await raw(otherKey), new Date(Date.now() - 90 * 86_400_000));
    expect(await lookup.find(query())).toEqual(absent(true)); // an old mail proves the search as well
    expect(await lookup.find(query({ sinceDataMs: 59_999 }))).toEqual(absent(false));
    expect(await lookup.find(query({ sinceDataMs: 8 * 86_400_000 }))).toEqual(absent(false));
    server.recreate();
    server.hangUp();
    expect(await lookup.find(query())).toEqual(absent(false));
    expect(server.connections()).toBe(2);
  });

  it('NOT-7: searches only what came since the mail was written', async () => {
    server.deliver(await raw(), new Date(Date.now() - 10 * 86_400_000));
    expect(await lookupTo().find(query())).toEqual(absent(true));
    expect((await lookupTo().find(query({ since: new Date(Date.now() - 11 * 86_400_000) }))).kind).toBe('found');
  });

  it.each(['misses', 'everything', 'refused'] as const)(
    'NOT-7: a server whose search is wrong (%s) is found out before anything is believed',
    async (search) => {
      server.deliver(await raw(otherKey));
      server.faults.search = search;
      const unfit = { code: 'MAIL_LOOKUP_FAILED', category: 'policy' };
      await expect(lookupTo().check({ signal })).rejects.toMatchObject(unfit);
      await expect(lookupTo().find(query())).rejects.toMatchObject(unfit);
    },
  );

  it('NOT-7: every call has a deadline, and the next look-up opens a new connection', async () => {
    server.deliver(await raw());
    const lookup = lookupTo({ callTimeoutMs: 150 });
    for (const silentAt of ['LOGIN', 'EXAMINE', 'UID SEARCH', 'UID FETCH']) {
      server.faults.silentAt = silentAt;
      await expect(lookup.find(query())).rejects.toMatchObject({ code: 'MAIL_LOOKUP_FAILED', category: 'upstream' });
    }
    delete server.faults.silentAt;
    expect((await lookup.find(query())).kind).toBe('found');
    server.faults.silentAt = 'NOOP';
    const stop = new AbortController();
    const stopped = lookup.find(query({ signal: stop.signal }));
    stop.abort(new Error('stop'));
    await expect(stopped).rejects.toThrow('stop');
  });

  it('SEC-5: logs in with the previous password during a rotation, and tells no word of the server', async () => {
    server.deliver(await raw());
    const rotating = lookupTo({}, secretsOf({ current: 'new', previous: 'word' }));
    expect((await rotating.find(query())).kind).toBe('found');
    const wrong = lookupTo({}, secretsOf({ current: 'other' }));
    const error = await wrong.find(query()).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'MAIL_LOOKUP_FAILED', category: 'auth' });
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toMatch(/reader|other|no such user/);
    await rotating.close();
    await expect(rotating.find(query())).rejects.toMatchObject({ code: 'MAIL_LOOKUP_FAILED' });
  });

  it.each<[string, object]>([
    ['plain text over a network', { host: 'mail.example.test', tls: 'none' }],
    ['a host that is none', { host: 'a b' }],
    ['a mailbox with a line break', { mailbox: 'a\r\nLOGOUT' }],
    ['a port that is none', { port: 0 }],
    ['a time that is none', { settleMs: -1 }],
  ])('refuses %s', (_what, wrong) => {
    expect(() => lookupTo(wrong)).toThrow(TypeError);
  });
});
