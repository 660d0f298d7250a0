import promises, { mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { composeMessage } from '../src/smtp/compose-message.js';
import type { MailLookupQuery } from '../src/smtp/mail-lookup.js';
import { createMaildirLookup } from '../src/smtp/maildir-lookup.js';
import { sampleKey, sampleMail } from './sample-mail.js';

/** Counts calls of Node's own functions, in modules too that other test files have loaded. */
function countCalls() {
  const [stat, open] = [vi.spyOn(promises, 'stat'), vi.spyOn(promises, 'open')];
  syncBuiltinESMExports();
  return {
    take() {
      const counts = { stat: stat.mock.calls.length, open: open.mock.calls.length };
      for (const spy of [stat, open]) spy.mockClear();
      return counts;
    },
    [Symbol.dispose]() {
      for (const spy of [stat, open]) spy.mockRestore();
      syncBuiltinESMExports();
    },
  };
}

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'criticizer-maildir-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const query = (change: Partial<MailLookupQuery> = {}): MailLookupQuery => ({
  key: sampleKey,
  messageId: sampleMail.messageId,
  id: null,
  recipient: 'dev@example.test',
  since: new Date(Date.now() - 60_000),
  sinceDataMs: 120_000,
  signal: new AbortController().signal,
  ...change,
});
const otherKey = 'f'.repeat(32);
const other = { ...sampleMail, messageId: `<${otherKey}@example.test>` };

describe('mail journal on disk', () => {
  it('NOT-7: finds by key or Message-ID, also where the server replaced one of them, and after Maildir moved the file', async () => {
    await mkdir(join(directory, 'new'));
    await mkdir(join(directory, 'cur'));
    const lookup = createMaildirLookup({ directory });
    const raw = (await composeMessage(sampleMail, sampleKey)).toString('latin1');
    await writeFile(
      join(directory, 'new', '1.host'),
      `Received: from somewhere\r\n${raw.replace(/^Message-ID:.*$/m, 'Message-ID: <replaced@server.test>')}`,
    );
    expect(await lookup.find(query())).toEqual({ kind: 'found', id: '<replaced@server.test>' });
    await rename(join(directory, 'new', '1.host'), join(directory, 'cur', '1.host:2,S'));
    expect((await lookup.find(query())).kind).toBe('found');
    await writeFile(
      join(directory, 'new', '2.host'),
      (await composeMessage(other, otherKey)).toString('latin1').replace(/^X-Criticizer-Key:.*\r\n/m, ''),
    );
    expect((await lookup.find(query({ key: otherKey, messageId: other.messageId }))).kind).toBe('found');
  });

  it('NOT-7: a similar mail is not this mail, and a body does not pass for a header', async () => {
    const fake = `From: a@b.test\r\n\r\nX-Criticizer-Key: ${sampleKey}\r\nMessage-ID: ${sampleMail.messageId}\r\n`;
    await writeFile(join(directory, 'a.eml'), fake);
    await writeFile(join(directory, 'b.eml'), await composeMessage(other, `${sampleKey.slice(0, 31)}0`));
    expect(await createMaildirLookup({ directory }).find(query())).toEqual({ kind: 'absent', conclusive: true });
  });

  it('NOT-7: absence proves nothing before the settle time, past the retention, or in an empty journal', async () => {
    const lookup = createMaildirLookup({ directory, settleMs: 60_000, retentionMs: 3_600_000 });
    expect(await lookup.find(query())).toEqual({ kind: 'absent', conclusive: false });
    await writeFile(join(directory, 'a.eml'), await composeMessage(other, otherKey));
    expect(await lookup.find(query())).toEqual({ kind: 'absent', conclusive: true });
    expect(await lookup.find(query({ sinceDataMs: 59_999 }))).toEqual({ kind: 'absent', conclusive: false });
    expect(await lookup.find(query({ sinceDataMs: 3_600_001 }))).toEqual({ kind: 'absent', conclusive: false });
  });

  it('reads each file once, and none that is older than the mail', async () => {
    await writeFile(join(directory, 'a.eml'), await composeMessage(sampleMail, sampleKey));
    const long = new Date(Date.now() - 86_400_000);
    await utimes(join(directory, 'a.eml'), long, long);
    expect((await createMaildirLookup({ directory }).find(query())).kind).toBe('absent');
    const lookup = createMaildirLookup({ directory });
    expect((await lookup.find(query({ since: long }))).kind).toBe('found');
    await writeFile(join(directory, 'a.eml'), 'changed');
    expect((await lookup.find(query({ since: long }))).kind).toBe('found');
  });

  it.each([
    ['a Maildir', true],
    ['a plain folder', false],
  ])('NOT-7: keeps an index by name of %s: no file is read or asked for its time twice', async (_name, isMaildir) => {
    const folder = isMaildir ? join(directory, 'new') : directory;
    await mkdir(folder, { recursive: true });
    const now = Math.floor(Date.now() / 1_000);
    const add = async (n: number, ageSeconds: number): Promise<void> => {
      const path = join(folder, isMaildir ? `${now - ageSeconds}.M${n}P1.host` : `${n}.eml`);
      await writeFile(path, 'From: a@b.test\r\n\r\n');
      await utimes(path, now - ageSeconds, now - ageSeconds);
    };
    for (let n = 0; n < 200; n++) await add(n, 86_400);
    for (let n = 200; n < 205; n++) await add(n, 0);
    const lookup = createMaildirLookup({ directory });
    using calls = countCalls();
    const look = async () => {
      expect(await lookup.find(query())).toEqual({ kind: 'absent', conclusive: true });
      return calls.take();
    };
    // A Maildir's names say when each mail came; other files are asked for it, once.
    expect(await look()).toEqual({ stat: isMaildir ? 0 : 205, open: 5 });
    expect(await look()).toEqual({ stat: 0, open: 0 });
    await add(205, 0);
    expect(await look()).toEqual({ stat: isMaildir ? 0 : 1, open: 1 });
  });

  it('says so when the journal cannot be read', async () => {
    const lookup = createMaildirLookup({ directory: join(directory, 'missing') });
    await expect(lookup.find(query())).rejects.toMatchObject({ code: 'MAIL_LOOKUP_FAILED', category: 'upstream' });
    expect(() => createMaildirLookup({ directory: '' })).toThrow(TypeError);
    expect(() => createMaildirLookup({ directory, settleMs: -1 })).toThrow(TypeError);
  });
});
