import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createP4Simulator } from '@criticizer/p4/testing';
import PostalMime from 'postal-mime';
import { afterAll, describe, expect, it } from 'vitest';
import { openAskedServer, requireSameServer, serverIdOf } from '../src/perforce/demo-perforce.js';
import { readDemoArguments } from '../src/settings/demo-arguments.js';
import { UsageError } from '../src/settings/usage-error.js';
import { bundleDemo } from './demo-bundle.js';
import { type DemoRun, runDemo } from './run-demo.js';

const { demo } = await bundleDemo();
const top = mkdtempSync(join(tmpdir(), 'criticizer-demo-perforce-test-'));
const ticket = randomBytes(16).toString('hex').toUpperCase();
const fingerprint = Array.from(randomBytes(20), (byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(':');
const file = (path: string, content: string) => ({ path, action: 'add' as const, content });
const change = (number: number, files: ReturnType<typeof file>[]) => ({
  number,
  user: 'ada',
  status: 'submitted' as const,
  description: `Change ${number}`,
  files,
});

/** A server of somebody's own, reached through the settings of every other. */
const server = createP4Simulator({
  port: 'ssl:p4.example.test:1667',
  fingerprint,
  users: ['ada', 'bot'].map((user) => ({
    user,
    email: `${user}@example.test`,
    fullName: user,
    ticket,
    ticketExpiresInS: 500_000,
  })),
  changes: [
    ...[20, 21, 22, 23].map((number) =>
      change(number, [
        file(`//stream/app/${number}.js`, `export const find = (db, id) => db.query('SELECT ' + id + ${number});\n`),
      ]),
    ),
    change(24, [file('//stream/secret/plans.js', 'export const plans = 1;\n')]),
  ],
});
afterAll(() => {
  server.dispose();
  rmSync(top, { recursive: true, force: true });
});

const ticketFile = join(top, 'ticket');
writeFileSync(ticketFile, `${ticket}\n`, { mode: 0o600 });
const settings = {
  P4PORT: server.port,
  P4USER: 'bot',
  P4_EXECUTABLE: server.executable,
  P4_FINGERPRINT: fingerprint,
  P4_TICKET_FILE: ticketFile,
  ALLOW: '//stream/app/...',
};
const run = (args: readonly string[], env: NodeJS.ProcessEnv = settings, options: DemoRun = {}) =>
  runDemo(demo, args, { ...options, env: { HOME: top, ...env } });
const mails = (folder: string): string[] => readdirSync(join(folder, 'mail')).filter((name) => name.endsWith('.eml'));

describe('npm run demo with P4PORT', { timeout: 120_000 }, () => {
  it('reviews the newest changes inside ALLOW on the server that P4PORT names, and keeps their mails', async () => {
    const folder = join(top, 'newest');
    const { code, out, err } = await run(['--state', folder]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const said of ['reviewing 21, 22, 23', 'p4.example.test-1667/23', 'ada@example.test: sent', '1 critical'])
      expect(out).toContain(said);
    expect(out).not.toContain('plans.js');
    expect(mails(folder)).toHaveLength(3);
    const mail = await PostalMime.parse(readFileSync(join(folder, 'mail', mails(folder)[0] ?? '')));
    expect(mail.text).toContain('//stream/app/2');
    expect(server.log().flatMap(({ violations }) => violations)).toEqual([]);
    expect(JSON.stringify([out, server.log().map(({ argv }) => argv)])).not.toContain(ticket);

    // Reviewed before, and one that may not be read.
    const more = await run(['--state', folder, '--change', '23', '--change', '24']);
    expect(more).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('Change p4.example.test-1667/24 was not reviewed: path'),
    });
    expect(mails(folder)).toHaveLength(3);
    expect(() => requireSameServer(folder, null)).toThrow(/P4PORT/);
  });

  it('names in one line every setting that is missing, and begins nothing', async () => {
    const folder = join(top, 'several');
    const { code, out, err } = await run(['--state', folder], { ...settings, ALLOW: '', P4_FINGERPRINT: '' });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    for (const word of ['allow_list.empty', 'ALLOW', 'trust.pin_missing', 'P4_FINGERPRINT', fingerprint])
      expect(err).toContain(word);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(existsSync(join(folder, 'queue.sqlite'))).toBe(false);
  });
});

describe('openAskedServer', () => {
  const refusal = async (env: NodeJS.ProcessEnv): Promise<string> => {
    const asked = readDemoArguments([], { ...settings, ...env })?.perforce;
    if (asked === undefined || asked === null) throw new Error('no server was asked for');
    return openAskedServer(asked, () => undefined, new AbortController().signal).then(
      () => 'accepted',
      (error: unknown) => (error instanceof UsageError ? error.message : String(error)),
    );
  };

  it.each<[string, NodeJS.ProcessEnv, string[]]>([
    ['an allow-list that is none', { ALLOW: '//...' }, ['allow_list.invalid', 'ALLOW']],
    [
      'another pin',
      { P4_FINGERPRINT: fingerprint.replace(/^../, fingerprint.startsWith('00') ? '01' : '00') },
      ['trust.mismatch', 'P4_FINGERPRINT', fingerprint],
    ],
    ['no ticket', { P4_TICKET_FILE: '' }, ['ticket.refused', 'P4_TICKET_FILE']],
    [
      'a ticket file that is not there',
      { P4_TICKET_FILE: join(top, 'absent') },
      ['ticket.unreadable', 'P4_TICKET_FILE'],
    ],
    ['no server', { P4PORT: 'ssl:elsewhere.example.test:1' }, ['connection.failed', 'P4_UNREACHABLE', 'P4PORT']],
    ['a port that runs a command', { P4PORT: 'rsh:id' }, ['settings.invalid', 'port']],
    ['no p4', { P4_EXECUTABLE: 'p4' }, ['settings.invalid', 'executable']],
    ['nothing to review', { ALLOW: '//stream/nothing/...' }, ['ALLOW', '--change']],
  ])('says what to set for %s', async (_what, env, named) => {
    const said = await refusal(env);
    for (const word of named) expect(said).toContain(word);
    expect(said).not.toContain(ticket);
  });

  it('accepts what the run above was given', async () => {
    expect(await refusal({})).toBe('accepted');
  });
});

describe('serverIdOf', () => {
  it.each([
    ['ssl:p4.example.test:1666', 'p4.example.test-1666'],
    ['P4.Example.test:1666', 'p4.example.test-1666'],
    ['tcp6:[::1]:1666', '1-1666'],
    ['ssl:ssl:1', 'ssl-1'],
  ])('%s is %s', (port, id) => {
    expect(serverIdOf(port)).toBe(id);
  });
});
