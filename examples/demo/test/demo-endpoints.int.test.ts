// The demo against a model server and a mail server that are not ours.
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { LLMock } from '@copilotkit/aimock';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SampleServer } from '../src/perforce/sample-change.js';
import { bundleDemo } from './demo-bundle.js';
import { type DemoRun, runDemo } from './run-demo.js';

const { demo } = await bundleDemo();
const top = mkdtempSync(join(tmpdir(), 'criticizer-demo-endpoints-test-'));
const makeSecret = (): string => randomBytes(18).toString('hex');
const [key, password] = [makeSecret(), makeSecret()];

function secretFile(name: string, value: string): string {
  const file = join(top, name);
  writeFileSync(file, `${value}\n`, { mode: 0o600 });
  return file;
}
const files = {
  key: secretFile('llm-key', key),
  wrongKey: secretFile('wrong-key', makeSecret()),
  password: secretFile('smtp-password', password),
};

const model = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', auth: { apiKeys: [key] } });
/** What the demo had printed when each request arrived. */
const printedBefore: string[] = [];
let printed = '';
const reply = {
  schema_version: '1.0',
  prompt_version: '1.0',
  summary: 'One defect.',
  findings: [
    {
      id: 'f1',
      severity: 'medium', // the check of grave findings is not at issue here
      category: 'correctness',
      title: 'Seen by a model of somebody else',
      file: '',
      line: 1,
      message: 'The amount is not checked.',
    },
  ],
};

interface TakenMail {
  from: string;
  to: string[];
  user: unknown;
  message: string;
}
const taken: TakenMail[] = [];
const server = new SMTPServer({
  disabledCommands: ['STARTTLS'],
  allowInsecureAuth: true,
  onAuth: ({ username, password: given }, _session, done) =>
    given === password ? done(null, { user: username }) : done(new Error('535 5.7.8 refused')),
  onData: (stream, session, done) =>
    void text(stream).then((message) => {
      const { mailFrom, rcptTo } = session.envelope;
      taken.push({
        from: mailFrom === false ? '' : mailFrom.address,
        to: rcptTo.map(({ address }) => address),
        user: session.user,
        message,
      });
      done();
    }),
});

beforeAll(async () => {
  model.onMessage(/./s, (request) => {
    printedBefore.push(printed);
    const user = request.messages.findLast(({ role }) => role === 'user')?.content;
    const file = / changed_files\n(\/\/depot\/\S+)/.exec(typeof user === 'string' ? user : '')?.[1] ?? '';
    const system = String(request.messages[0]?.content);
    const versionIn = (name: string): string => new RegExp(`"${name}": "([0-9.]+)"`).exec(system)?.[1] ?? '';
    const versions = { schema_version: versionIn('schema_version'), prompt_version: versionIn('prompt_version') };
    return { content: JSON.stringify({ ...reply, ...versions, findings: [{ ...reply.findings[0], file }] }) };
  });
  await model.start();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterAll(async () => {
  await model.stop();
  await new Promise<void>((done) => server.close(() => done()));
  rmSync(top, { recursive: true, force: true });
});
beforeEach(() => {
  model.clearRequests();
  taken.length = 0;
  printedBefore.length = 0;
  printed = '';
});

const modelSettings = () => ({
  LLM_PROTOCOL: 'openai-chat',
  LLM_BASE_URL: `${model.url}/v1`,
  LLM_MODEL: 'gpt-somebody',
  LLM_KEY_FILE: files.key,
});
const mailSettings = () => ({
  SMTP_URL: `smtp://bot@127.0.0.1:${(server.server.address() as AddressInfo).port}`,
  SMTP_PASSWORD_FILE: files.password,
  MAIL_TO: 'ann@example.test',
});
const onOut: DemoRun['onOut'] = (out) => {
  printed = out;
};
const run = (name: string, env: NodeJS.ProcessEnv, args: readonly string[] = []) =>
  runDemo(demo, ['--state', join(top, name), ...args], { onOut, env: { HOME: top, ...env } });
const sentBodies = (): string =>
  model
    .getRequests()
    .map(({ body }) => JSON.stringify(body))
    .join('\n');
const plantedIn = (name: string): readonly string[] =>
  (JSON.parse(readFileSync(join(top, name, 'perforce.json'), 'utf8')) as SampleServer).planted;
const mailsIn = (name: string): string[] =>
  existsSync(join(top, name, 'mail'))
    ? readdirSync(join(top, name, 'mail')).filter((file) => file.endsWith('.eml'))
    : [];

describe('npm run demo with a named model and mail server', { timeout: 120_000 }, () => {
  // Each protocol has tests of its own; `npm run check:demo` runs the demo with all.
  it.each(
    [
      ['openai-responses', '/v1'],
      ['anthropic', ''],
      ['gemini', '/v1beta'],
      ['ollama', ''],
    ].slice(process.env['MODE'] === 'soak' ? 0 : 3),
  )('EGR-3: reviews by a model that speaks %s', async (protocol, path) => {
    const endpoint = { LLM_PROTOCOL: protocol, LLM_BASE_URL: `${model.url}${path}` };
    const { code, out, err } = await run(protocol, { ...modelSettings(), ...endpoint });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Seen by a model of somebody else');
    expect(model.getRequests()).toHaveLength(1);
  });

  it('says what leaves and to whom, asks that model, and mails one address alone', async () => {
    const { code, out, err } = await run('both', { ...modelSettings(), ...mailSettings() });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Seen by a model of somebody else');

    const host = new URL(model.url).host;
    expect(printedBefore).toHaveLength(1);
    expect(printedBefore[0]).toMatch(new RegExp(`sends [0-9]+ bytes to ${host} \\(gpt-somebody\\); withheld: [1-9]`));
    expect(printedBefore[0]).toContain(
      'as bot (this machine, no TLS), from ann@example.test to ann@example.test alone',
    );
    for (const secret of [...plantedIn('both'), key, password]) expect(sentBodies() + out).not.toContain(secret);
    expect(plantedIn('both').length).toBeGreaterThan(0);

    expect(taken.map(({ from, to, user }) => ({ from, to, user }))).toEqual([
      { from: 'ann@example.test', to: ['ann@example.test'], user: 'bot' },
    ]);
    const mail = await PostalMime.parse(taken[0]?.message ?? '');
    expect(mail.to).toEqual([{ address: 'ann@example.test', name: '' }]);
    expect(mail.text).toContain('Seen by a model of somebody else');
    expect(mailsIn('both')).toEqual([]);

    // The same command again sends nothing anywhere.
    const again = await run('both', { ...modelSettings(), ...mailSettings() });
    expect(again).toMatchObject({ code: 0, err: '', out: expect.stringContaining('nothing was sent') });
    expect({ requests: printedBefore.length, mails: taken.length }).toEqual({ requests: 1, mails: 1 });
  });

  it('opens the model alone: mails stay in the folder', async () => {
    const { code, out, err } = await run('model', modelSettings());
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).not.toContain('Mail: through');
    expect(printedBefore).toHaveLength(1);
    expect({ here: mailsIn('model').length, taken: taken.length }).toEqual({ here: 2, taken: 0 });
    // One that waits there must not go to somebody else later.
    const later = await run('model', { ...modelSettings(), ...mailSettings() });
    expect(later).toMatchObject({ code: 2, out: '', err: expect.stringContaining('SMTP_URL') });
  });

  it('opens the mail server alone: the stand-in reviews', async () => {
    const { code, out, err } = await run('mail', mailSettings());
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('2 critical');
    expect(model.getRequests()).toEqual([]);
    expect(taken.map(({ to }) => to)).toEqual([['ann@example.test']]);
  });

  it('writes the requests of a dry run for the named model, and opens nothing', async () => {
    const { code, out, err } = await run('dry', modelSettings(), ['--dry-run', '--out', join(top, 'requests')]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`to ${new URL(model.url).host} (gpt-somebody)`);
    expect(model.getRequests()).toEqual([]);
  });

  it.each<[string, () => NodeJS.ProcessEnv, string]>([
    ['a key the endpoint refuses', () => ({ ...modelSettings(), LLM_KEY_FILE: files.wrongKey }), 'LLM_KEY_FILE'],
    ['a key file that is not there', () => ({ ...modelSettings(), LLM_KEY_FILE: join(top, 'absent') }), 'LLM_KEY_FILE'],
    [
      'a password file that is not there',
      () => ({ ...mailSettings(), SMTP_PASSWORD_FILE: join(top, 'absent') }),
      'SMTP_PASSWORD_FILE',
    ],
    [
      'a password the server refuses',
      () => ({ ...mailSettings(), SMTP_PASSWORD_FILE: files.wrongKey }),
      'SMTP_PASSWORD_FILE',
    ],
  ])('ends with one line for %s', async (what, env, named) => {
    const { code, err } = await run(what.replaceAll(' ', '-'), env());
    expect({ code, lines: err.trim().split('\n').length }, err).toEqual({ code: 2, lines: 1 });
    expect(err).toContain(named);
    expect(taken).toEqual([]);
  });

  it('refuses a key file that others can read', async () => {
    chmodSync(files.wrongKey, 0o644);
    const { code, out, err } = await run('open-key', { ...modelSettings(), LLM_KEY_FILE: files.wrongKey });
    chmodSync(files.wrongKey, 0o600);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('SECRET_REJECTED mode');
  });
});
