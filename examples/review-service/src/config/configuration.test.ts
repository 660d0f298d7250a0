import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@criticizer/core';
import { llmProtocols } from '@criticizer/core/llm';
import { afterAll, describe, expect, it } from 'vitest';
import { createModel } from '../compose/configured-parts.js';
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
      llm: { limits: { contextTokens: 128_000, maxOutputTokens: 8_192 }, price: null },
      smtp: { host: 'mail.example.test', port: 587, tls: 'starttls', login: null },
      mail: {
        domains: ['studio.example', 'other.example'],
        recipients: { kind: 'perforce' },
        reviewers: false,
        delivery: { mode: 'shadow' },
      },
      settings: { review: { severityFloor: 'medium', fullFindings: 5 }, mail: { whenNothingToSay: false } },
    });
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
      'MAIL_DOMAINS',
      'DELIVERY',
      'P4USER',
      'LLM_KEY_FILE',
      'SMTP_PASSWORD_FILE',
      'LLM_MODLE',
    ]);
    expect(said.join('\n')).not.toContain('bot:pw');
    expect(said.every((line) => !line.includes('\n'))).toBe(true);
  });

  it('needs no endpoint and no key without a model', () => {
    const none = { LLM_PROTOCOL: 'none', LLM_BASE_URL: '', LLM_MODEL: '', LLM_KEY_FILE: '' };
    expect(readConfiguration({ ...env, ...none }).llm).toBeNull();
    expect(mistakes({ LLM_BASE_URL: '', LLM_MODEL: '' })).toEqual([
      'LLM_BASE_URL: is missing',
      'LLM_MODEL: is missing',
    ]);
  });

  it.each<[string, NodeJS.ProcessEnv, string]>([
    [
      'an unknown protocol',
      { LLM_PROTOCOL: 'messages' },
      'LLM_PROTOCOL: expected one of openai-chat, openai-responses, ',
    ],
    ['plain http elsewhere', { LLM_BASE_URL: 'http://llm.example.test/v1' }, 'LLM_BASE_URL: expected https'],
    ['a mode that is none', { DELIVERY: 'on' }, 'DELIVERY: expected shadow'],
    ['a redirect elsewhere', { DELIVERY: 'redirect:ann@example.test' }, 'DELIVERY: redirects to an address outside'],
    ['an address without {user}', { RECIPIENT_ADDRESS: 'all@studio.example' }, 'RECIPIENT_ADDRESS: expected {user}'],
    ['a rule that is none', { ALLOW: 'depot/main' }, 'the server main: ALLOW: expected //depot'],
    ['a port that is none', { P4PORT: 'rsh:p4d' }, 'the server main: port: expected host:port'],
    ['ssl: without a pin', { P4PORT: 'ssl:p4.example.test:1666' }, 'the server main: trustFingerprint: expected'],
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

  it('names what is wrong in the files, all of them at once', () => {
    const settings = file('settings.json', { llm: { maxChunk: 3 } });
    const map = file('map.json', { ada: 'ada' });
    expect(mistakes({ SETTINGS_FILE: settings, RECIPIENT_MAP_FILE: map })).toEqual([
      expect.stringMatching(/^SETTINGS_FILE: settings\.llm: unknown key "maxChunk"/),
      'RECIPIENT_MAP_FILE.ada: expected one address, such as ann@example.com',
    ]);
  });

  it.each([...llmProtocols])('makes a provider of the protocol %s', (protocol) => {
    const observers = { securityEvents: { emit: () => undefined }, logger: silentLogger };
    const configuration = readConfiguration({ ...env, LLM_PROTOCOL: protocol });
    expect(createModel(configuration, observers)).toMatchObject({ id: `${protocol}.llm.example.test`, model: 'm-1' });
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
  });
});
