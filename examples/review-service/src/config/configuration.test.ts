import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@criticizer/core';
import { llmProtocols } from '@criticizer/core/llm';
import { afterAll, describe, expect, it } from 'vitest';
import { createModels } from '../compose/configured-parts.js';
import { readConfiguration } from './configuration.js';
import { UsageError } from './usage-error.js';

const folder = mkdtempSync(join(tmpdir(), 'criticizer-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, value: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}

const env = {
  P4PORT: 'perforce.example.test:1666',
  P4USER: 'reviewbot',
  ALLOW: '//depot/main/..., //depot/libs/...',
  LLM_PROTOCOL: 'openai-chat',
  LLM_BASE_URL: 'https://llm.example.test/v1',
  LLM_MODEL: 'm-1',
  LLM_KEY_FILE: '/run/secrets/LLM_KEY',
  LLM_PUBLIC_PATHS: '//depot/main/...',
  LLM_DAILY_REQUESTS: '500',
  SMTP_URL: 'smtp://mail.example.test',
  MAIL_FROM: 'reviews@studio.example',
  MAIL_DOMAINS: 'studio.example,Other.example',
};

function mistakes(more: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfiguration({ ...env, ...more });
    return [];
  } catch (error) {
    if (error instanceof UsageError) return error.lines;
    throw error;
  }
}

describe('readConfiguration', () => {
  it('takes what is needed, and delivers to nobody by default', () => {
    expect(readConfiguration(env)).toMatchObject({
      directory: '/var/lib/criticizer',
      database: { kind: 'sqlite', file: '/var/lib/criticizer/queue.sqlite' },
      http: { host: '127.0.0.1', port: 8_080 },
      servers: [{ serverId: 'main', allow: ['//depot/main/...', '//depot/libs/...'], pollSeconds: 30 }],
      models: [{ limits: { contextTokens: 128_000, maxOutputTokens: 8_192 }, price: null }],
      delivery: { mode: 'shadow' },
      mail: {
        smtp: { host: 'mail.example.test', port: 587, tls: 'starttls', login: null },
        domains: ['studio.example', 'other.example'],
        recipients: { kind: 'perforce' },
        reviewers: false,
      },
      settings: {
        ...{ review: { severityFloor: 'medium', fullFindings: 5 }, mail: { whenNothingToSay: false } },
        egress: {
          mailDomains: ['studio.example', 'other.example'],
          policy: [
            { paths: ['//...'], providers: [] },
            { paths: ['//depot/main/...'], providers: ['openai-chat.llm.example.test'] },
          ],
        },
        llm: { budget: { perDay: { requests: 500 } } },
      },
    });
  });

  it('INT-3: reads who else is mailed from MAIL_RULES_FILE, and names what is wrong in it', () => {
    const directory = mkdtempSync(join(tmpdir(), 'criticizer-mail-rules-'));
    const file = join(directory, 'rules.json');
    const owners = { minSeverity: 'high' };
    const list = { to: ['lead@studio.example'], paths: ['//depot/main/...'] };
    writeFileSync(file, JSON.stringify({ owners, lists: [list] }));
    expect(readConfiguration({ ...env, MAIL_RULES_FILE: file }).mail?.rules).toEqual({
      owners: { fileName: 'OWNERS', minSeverity: 'high', required: false },
      lists: [{ ...list, to: [{ address: 'lead@studio.example' }], required: false }],
    });
    writeFileSync(file, JSON.stringify({ lists: [{ ...list, to: ['nobody'] }], owner: owners }));
    expect(mistakes({ MAIL_RULES_FILE: file })).toHaveLength(2);
    rmSync(directory, { recursive: true });
  });

  it('says every mistake at once, one line each, those over two variables too', () => {
    const said = mistakes({
      P4USER: '',
      HTTP_PORT: '70000',
      LLM_KEY_FILE: '',
      LLM_MODLE: 'm-1',
      MAIL_DOMAINS: '',
      DELIVERY: 'redirect:nobody',
      SMTP_URL: 'smtp://bot:pw@mail.example.test',
    });
    expect(said.map((line) => line.split(':')[0])).toEqual([
      'HTTP_PORT',
      'SMTP_URL',
      'DELIVERY',
      'P4USER',
      'MAIL_DOMAINS',
      'SMTP_PASSWORD_FILE',
      'LLM_MODLE',
      'LLM_KEY_FILE',
    ]);
    expect(said.join('\n')).not.toContain('bot:pw');
    expect(said.every((line) => !line.includes('\n'))).toBe(true);
  });

  it('needs no endpoint and no key without a model', () => {
    const none = { LLM_PROTOCOL: 'none', LLM_BASE_URL: '', LLM_MODEL: '', LLM_KEY_FILE: '' };
    expect(readConfiguration({ ...env, ...none }).models).toEqual([]);
    expect(mistakes({ LLM_BASE_URL: '', LLM_MODEL: '' })).toEqual([
      'LLM_BASE_URL: is missing',
      'LLM_MODEL: is missing',
    ]);
  });

  it('EGR-2: refuses a rule for a model that is none, or that may see none of its paths', () => {
    const rule = (provider: string, path: string) => {
      const review = { rules: [{ paths: [path], provider }] };
      return mistakes({ SETTINGS_FILE: file('rules.json', { review }) });
    };
    const model = 'openai-chat.llm.example.test';
    expect(rule('gpt', '//...')).toEqual([`SETTINGS_FILE: review.rules names gpt; the models are ${model}`]);
    expect(rule(model, '//depot/libs/...')).toEqual([
      `SETTINGS_FILE: review.rules.0 names ${model}, which may see none of its paths`,
    ]);
    expect(rule(model, '//depot/main/a.c')).toEqual([]);
  });

  it('refuses a reply as long as the window, which holds the prompt too', () => {
    const said = 'expected less than the context tokens: the window holds the prompt too';
    const window = { LLM_CONTEXT_TOKENS: '8192' };
    expect(mistakes({ ...window, LLM_MAX_OUTPUT_TOKENS: '8192' })).toEqual([`LLM_MAX_OUTPUT_TOKENS: ${said}`]);
    expect(mistakes(window)).toEqual([`LLM_MAX_OUTPUT_TOKENS: ${said}`]); // the default is no smaller
    expect(mistakes({ ...window, LLM_MAX_OUTPUT_TOKENS: '8191' })).toEqual([]);
  });

  it.each(['azure-openai', 'bedrock'])('wants a key for %s on this machine too', (protocol) => {
    const here = { LLM_PROTOCOL: protocol, LLM_BASE_URL: 'http://127.0.0.1:8000/v1', LLM_KEY_FILE: '' };
    expect(mistakes(here)).toEqual(['LLM_KEY_FILE: is missing: name a file of mode 0600 that holds the API key']);
    expect(mistakes({ ...here, LLM_PROTOCOL: 'openai-chat' })).toEqual([]);
  });

  it('names a provider of limits or prices in the settings file that is none, or limited twice', () => {
    const limit = (provider: string) => ({ provider, requests: 3 });
    const known = 'openai-chat.llm.example.test';
    const llm = {
      rateLimit: { perMinute: [limit('gateway'), limit(known), limit(known)] },
      budget: { prices: [{ provider: 'vendor', inputPerMillion: 3, outputPerMillion: 15 }] },
    };
    expect(mistakes({ SETTINGS_FILE: file('names.json', { llm }) })).toEqual([
      `SETTINGS_FILE: llm.rateLimit.perMinute names gateway; the models are ${known}`,
      `SETTINGS_FILE: llm.budget.prices names vendor; the models are ${known}`,
      `SETTINGS_FILE: llm.rateLimit.perMinute has ${known} twice`,
    ]);
  });

  it('EGR-2: wants paths and a daily budget for a model outside the house, and neither for one inside', () => {
    const neither = { LLM_PUBLIC_PATHS: '', LLM_DAILY_REQUESTS: '' };
    expect(mistakes(neither)).toEqual([
      'LLM_PUBLIC_PATHS: is missing: llm.example.test is outside the house; name the depot paths that may go there, or the host in INTERNAL_HOSTS',
      'LLM_DAILY_REQUESTS: is missing, and LLM_DAILY_COST too: llm.example.test is outside the house; say what 24 hours may take',
    ]);
    const inside = { ...env, ...neither, INTERNAL_HOSTS: '.example.test' };
    expect(readConfiguration(inside).settings.egress).toEqual({
      internalHosts: ['.example.test'],
      mailDomains: ['studio.example', 'other.example'],
    });
    const priced = { LLM_DAILY_REQUESTS: '', LLM_DAILY_COST: '20', LLM_PRICE_INPUT: '3', LLM_PRICE_OUTPUT: '15' };
    expect(readConfiguration({ ...env, ...priced }).settings.llm?.budget).toEqual({
      perDay: { cost: 20 },
      prices: [{ provider: 'openai-chat.llm.example.test', inputPerMillion: 3, outputPerMillion: 15 }],
    });
    expect(mistakes({ LLM_DAILY_REQUESTS: '', LLM_DAILY_COST: '20' })).toEqual([
      'LLM_PRICE_INPUT: is missing: without a price no cost counts for LLM_DAILY_COST',
    ]);
  });

  it('makes a fallback of several models, of which only the named paths go outside', () => {
    const second = { LLM_2_PROTOCOL: 'openai-chat', LLM_2_BASE_URL: 'http://127.0.0.1:8000/v1', LLM_2_MODEL: 'm-2' };
    const third = { LLM_3_PROTOCOL: 'openai-chat', LLM_3_BASE_URL: env.LLM_BASE_URL, LLM_3_MODEL: 'm-3' };
    const more = { ...second, ...third, LLM_3_KEY_FILE: env.LLM_KEY_FILE };
    const [one, two, three] = [
      'openai-chat.llm.example.test',
      'openai-chat.127.0.0.1-8000',
      'openai-chat.llm.example.test-3',
    ];
    const configuration = readConfiguration({ ...env, ...more });
    const observers = { securityEvents: { emit: () => undefined }, logger: silentLogger };
    expect(createModels(configuration, observers)).toMatchObject({
      kind: 'fallback',
      providers: [{ id: one }, { id: two, model: 'm-2' }, { id: three }],
    });
    expect(configuration.settings.egress?.policy).toEqual([
      { paths: ['//...'], providers: [two] },
      { paths: ['//depot/main/...'], providers: [one, two, three] },
    ]);
    expect(mistakes({ LLM_2_MODEL: 'm-2' })).toEqual(['LLM_2_PROTOCOL: is missing']);
    expect(mistakes({ ...third, LLM_3_MODEL: '' })).toEqual(['LLM_2_PROTOCOL: is missing: LLM_3_PROTOCOL is set']);
    expect(mistakes({ ...more, LLM_2_MODEL: '', LLM_3_KEY_FILE: '' })).toEqual([
      'LLM_2_MODEL: is missing',
      'LLM_3_KEY_FILE: is missing: name a file of mode 0600 that holds the API key',
    ]);
    expect(mistakes({ ...second, LLM_PROTOCOL: 'none' })).toEqual([
      'LLM_PROTOCOL: expected no none where several models are set',
    ]);
  });

  it('EGR-2: takes paths and budget from the settings file too, and names a provider there that is none', () => {
    const rule = (provider: string) => [{ paths: ['//depot/main/...'], providers: [provider] }];
    const settings = (provider: string) =>
      file('policy.json', { egress: { policy: rule(provider) }, llm: { budget: { perDay: { inputTokens: 1_000 } } } });
    const given = { LLM_PUBLIC_PATHS: '', LLM_DAILY_REQUESTS: '' };
    const found = readConfiguration({ ...env, ...given, SETTINGS_FILE: settings('openai-chat.llm.example.test') });
    expect(found.settings.egress?.policy).toEqual(rule('openai-chat.llm.example.test'));
    expect(mistakes({ ...given, SETTINGS_FILE: settings('openai') })).toEqual([
      'SETTINGS_FILE: egress.policy names openai; the models are openai-chat.llm.example.test',
    ]);
    expect(mistakes({ SETTINGS_FILE: settings('openai-chat.llm.example.test') })).toEqual([
      'LLM_PUBLIC_PATHS: is set beside egress.policy of SETTINGS_FILE: unset one of them',
    ]);
  });

  it.each<[string, NodeJS.ProcessEnv, string]>([
    [
      'an unknown protocol',
      { LLM_PROTOCOL: 'messages' },
      'LLM_PROTOCOL: expected one of openai-chat, openai-responses, ',
    ],
    ['plain http elsewhere', { LLM_BASE_URL: 'http://llm.example.test/v1' }, 'LLM_BASE_URL: expected https'],
    ['a pattern that is none', { LLM_PUBLIC_PATHS: 'main' }, 'LLM_PUBLIC_PATHS: expected //depot'],
    ['half a price', { LLM_PRICE_INPUT: '3' }, 'LLM_PRICE_OUTPUT: and the price of input belong together'],
    ['a mode that is none', { DELIVERY: 'on' }, 'DELIVERY: expected shadow'],
    ['a redirect elsewhere', { DELIVERY: 'redirect:ann@example.test' }, 'DELIVERY: redirects to an address outside'],
    ['an address without {user}', { RECIPIENT_ADDRESS: 'all@studio.example' }, 'RECIPIENT_ADDRESS: expected {user}'],
    ['a rule that is none', { ALLOW: 'depot/main' }, 'the server main: ALLOW: expected //depot'],
    ['a port that is none', { P4PORT: 'rsh:p4d' }, 'the server main: port: expected host:port'],
    ['ssl: without a pin', { P4PORT: 'ssl:p4.example.test:1666' }, 'the server main: trustFingerprint: expected'],
    [
      'a link to stop mails that opens nothing',
      { MAIL_UNSUBSCRIBE: 'ftp://x/{user}' },
      'MAIL_UNSUBSCRIBE: expected an https',
    ],
    ['a link for no change', { CHANGE_URL: 'https://swarm.example.test/' }, 'CHANGE_URL: expected {change} in the URL'],
    ['two ways to name servers', { P4_SERVERS_FILE: '/etc/servers.json' }, 'P4PORT: is set beside'],
    ['a database that is none', { DATABASE_URL: 'mysql://db' }, 'DATABASE_URL: expected postgres'],
    ['a relative folder', { DATA_DIR: 'data' }, 'DATA_DIR: expected an absolute path'],
    ['a file that is not there', { SETTINGS_FILE: '/nonexistent/settings.json' }, 'SETTINGS_FILE /nonexistent'],
    ['half a runner', { P4_RUNNER_SOCKET: '/run/p4/p4.sock' }, 'P4_RUNNER_KEY_FILE: and P4_RUNNER_SOCKET belong'],
    ['half a login', { SMTP_PASSWORD_FILE: '/run/pw' }, 'SMTP_PASSWORD_FILE: and a user in SMTP_URL belong'],
  ])('refuses %s', (_what, more, line) => {
    expect(mistakes(more)).toEqual([expect.stringContaining(line)]);
  });

  it('refuses a redirect to an address that may get no findings, wherever its domain is left out', () => {
    const redirect = (egress: object) =>
      mistakes({ DELIVERY: 'redirect:ann@other.example', SETTINGS_FILE: file('redirect.json', { egress }) });
    expect(redirect({})).toEqual([]);
    expect(redirect({ mailDomains: ['studio.example', 'Other.example'] })).toEqual([]);
    expect(redirect({ content: [{ destination: 'mail:smtp', highest: 'findings' }], mailDomains: [] })).toEqual([]);
    for (const egress of [{ mailDomains: [] }, { mailDomains: ['studio.example', '.other.example'] }])
      expect(redirect(egress)).toEqual([
        expect.stringMatching(/^DELIVERY: redirects to .* outside egress\.mailDomains/),
      ]);
  });

  it('names what is wrong in the files beside what is wrong in the variables', () => {
    const settings = file('settings.json', { llm: { maxChunk: 3 } });
    const map = file('map.json', { ada: 'ada' });
    expect(mistakes({ HTTP_PORT: 'x', SETTINGS_FILE: settings, RECIPIENT_MAP_FILE: map })).toEqual([
      expect.stringContaining('HTTP_PORT: '),
      expect.stringMatching(/^SETTINGS_FILE: settings\.llm: unknown key "maxChunk"/),
      'RECIPIENT_MAP_FILE: ada: expected one address, such as ann@example.com',
    ]);
  });

  it.each([...llmProtocols])('makes a provider of the protocol %s', (protocol) => {
    const observers = { securityEvents: { emit: () => undefined }, logger: silentLogger };
    const configuration = readConfiguration({ ...env, LLM_PROTOCOL: protocol });
    expect(createModels(configuration, observers)).toMatchObject({ id: `${protocol}.llm.example.test`, model: 'm-1' });
  });

  it('counts tokens by the encoding that is named, and refuses one that is none', () => {
    const observers = { securityEvents: { emit: () => undefined }, logger: silentLogger };
    const named = readConfiguration({ ...env, LLM_TOKENIZER: 'o200k_base' });
    expect(createModels(named, observers)).toMatchObject({ tokens: { name: 'o200k_base' } });
    expect(mistakes({ LLM_TOKENIZER: 'o300k' })).toEqual([expect.stringMatching(/^LLM_TOKENIZER: /)]);
  });

  it('takes several servers from a file', () => {
    const server = (serverId: string) => ({ serverId, port: 'p4:1666', user: 'bot', allow: ['//depot/...'] });
    const both = file('servers.json', [server('main'), { ...server('art'), pollSeconds: 5 }]);
    const more = { P4PORT: '', P4USER: '', ALLOW: '', P4_SERVERS_FILE: both };
    expect(readConfiguration({ ...env, ...more }).servers).toMatchObject([
      { serverId: 'main', watch: ['submitted', 'shelved'] },
      { serverId: 'art', pollSeconds: 5 },
    ]);
    const twice = file('twice.json', [server('main'), server('main')]);
    expect(mistakes({ ...more, P4_SERVERS_FILE: twice })).toEqual([
      'P4_SERVERS_FILE: expected a serverId of its own for each server',
    ]);
    const { port: _port, ...portless } = server('Main');
    const wrong = { ...server('art'), pollSeconds: 0.5, allow: [], watch: ['shelf'], containment: 'some', ticket: 'x' };
    const big = { ...server('big'), maxChangeFiles: 200_000, allow: 'all', ticketFile: 'here' };
    expect(mistakes({ ...more, P4_SERVERS_FILE: file('wrong.json', [portless, wrong, big]) })).toEqual([
      'P4_SERVERS_FILE: entry 1: serverId: expected lower-case letters, digits, dots and dashes',
      'P4_SERVERS_FILE: entry 1: port: expected text, found nothing',
      'P4_SERVERS_FILE: entry 2: containment: expected one of auto, required, accept-none',
      'P4_SERVERS_FILE: entry 2: allow: expected 1 or more entries',
      'P4_SERVERS_FILE: entry 2: watch: entry 1: expected one of submitted, shelved',
      'P4_SERVERS_FILE: entry 2: pollSeconds: expected a whole number, found a number',
      'P4_SERVERS_FILE: entry 2: expected no key "ticket": it is not known here',
      'P4_SERVERS_FILE: entry 3: ticketFile: expected an absolute path',
      'P4_SERVERS_FILE: entry 3: allow: expected a list, found text',
      'P4_SERVERS_FILE: entry 3: maxChangeFiles: expected 100000 at most',
    ]);
    expect(mistakes({ ...more, P4_SERVERS_FILE: file('none.json', {}) })).toEqual([
      'P4_SERVERS_FILE: expected a list, found an object',
    ]);
    expect(mistakes({ MIGRATE: 'yes' })).toEqual(['MIGRATE: expected one of auto, never']);
  });
});
