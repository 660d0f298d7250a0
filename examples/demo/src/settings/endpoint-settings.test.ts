import { describe, expect, it } from 'vitest';
import { readMailEndpoint } from '../mail/mail-endpoint.js';
import { readModelEndpoint } from '../model/model-endpoint.js';
import { UsageError } from './usage-error.js';

function refusal(read: () => unknown): string {
  try {
    read();
    return 'accepted';
  } catch (error) {
    return error instanceof UsageError ? error.message : `not a UsageError: ${String(error)}`;
  }
}

const llm = {
  LLM_PROTOCOL: 'openai-chat',
  LLM_BASE_URL: 'https://llm.example.test/v1',
  LLM_MODEL: 'm-1',
  LLM_KEY_FILE: 'key',
};
const smtp = { SMTP_URL: 'smtp://bot@mail.example.test', SMTP_PASSWORD_FILE: '/run/smtp', MAIL_TO: 'ann@example.test' };

describe('readModelEndpoint', () => {
  it('takes an endpoint with all that belongs to it', () => {
    expect(readModelEndpoint({ ...llm, INIT_CWD: '/somewhere', LLM_CONTEXT_TOKENS: '8000' })).toEqual({
      id: 'openai-chat.llm.example.test',
      model: 'm-1',
      protocol: 'openai-chat',
      baseUrl: 'https://llm.example.test/v1',
      keyFile: '/somewhere/key',
      limits: { contextTokens: 8_000, maxOutputTokens: 4_000 },
    });
    expect(readModelEndpoint({})).toBeNull();
    expect(readModelEndpoint({ LLM_PROTOCOL: '' })).toBeNull();
  });

  it('needs no key on this machine', () => {
    const { LLM_KEY_FILE: _none, ...local } = { ...llm, LLM_BASE_URL: 'http://127.0.0.1:11434/v1' };
    expect(readModelEndpoint(local)).toMatchObject({ keyFile: undefined });
  });

  it.each<[string, NodeJS.ProcessEnv, string]>([
    ['no address', { LLM_BASE_URL: '' }, 'LLM_BASE_URL'],
    ['no model', { LLM_MODEL: '' }, 'LLM_MODEL'],
    ['no protocol', { LLM_PROTOCOL: '' }, 'LLM_PROTOCOL'],
    ['no key', { LLM_KEY_FILE: '' }, 'LLM_KEY_FILE'],
    ['another protocol', { LLM_PROTOCOL: 'messages' }, 'openai-chat'],
    ['plain http to another machine', { LLM_BASE_URL: 'http://llm.example.test/v1' }, 'https'],
    ['credentials in the address', { LLM_BASE_URL: 'https://a:b@llm.example.test/v1' }, 'LLM_BASE_URL'],
    ['no address at all', { LLM_BASE_URL: 'llm.example.test' }, 'LLM_BASE_URL'],
    ['a number that is none', { LLM_CONTEXT_TOKENS: '8k' }, 'LLM_CONTEXT_TOKENS'],
    ['a name that is not known', { LLM_URL: 'https://llm.example.test' }, 'LLM_URL'],
  ])('says in one line what to set for %s', (_what, env, named) => {
    const said = refusal(() => readModelEndpoint({ ...llm, ...env }));
    expect(said).toContain(named);
    expect(said.split('\n')).toHaveLength(1);
  });
});

describe('readMailEndpoint', () => {
  it.each([
    ['smtp://bot@mail.example.test', { host: 'mail.example.test', port: 587, tls: 'starttls' }],
    ['smtps://bot@mail.example.test', { host: 'mail.example.test', port: 465, tls: 'implicit' }],
    ['smtp://bot@localhost:2525/', { host: 'localhost', port: 2525, tls: 'none' }],
    [
      'smtps://bot%40example.test@[::1]:4650',
      { host: '::1', port: 4650, tls: 'implicit', login: { user: 'bot@example.test' } },
    ],
  ])('reads %s', (url, expected) => {
    expect(readMailEndpoint({ ...smtp, SMTP_URL: url })).toMatchObject(expected);
  });

  it('mails from and to one address, and takes another sender', () => {
    expect(readMailEndpoint(smtp)).toMatchObject({
      from: 'ann@example.test',
      to: 'ann@example.test',
      hasJournal: false,
    });
    expect(readMailEndpoint({ ...smtp, MAIL_FROM: 'reviews@example.test' })).toMatchObject({
      from: 'reviews@example.test',
    });
    expect(readMailEndpoint({})).toBeNull();
  });

  it.each<[string, NodeJS.ProcessEnv, string]>([
    ['nobody to mail', { MAIL_TO: '' }, 'MAIL_TO'],
    ['no server', { SMTP_URL: '' }, 'SMTP_URL'],
    ['several addresses', { MAIL_TO: 'ann@example.test,bob@example.test' }, 'MAIL_TO'],
    ['a sender that is no address', { MAIL_FROM: 'reviews' }, 'MAIL_FROM'],
    ['a user without a password', { SMTP_PASSWORD_FILE: '' }, 'SMTP_PASSWORD_FILE'],
    ['a password without a user', { SMTP_URL: 'smtp://mail.example.test' }, 'SMTP_URL'],
    ['a password in the address', { SMTP_URL: 'smtp://bot:pw@mail.example.test' }, 'SMTP_PASSWORD_FILE'],
    ['another scheme', { SMTP_URL: 'mailto:ann@example.test' }, 'SMTP_URL'],
    ['a path', { SMTP_URL: 'smtp://mail.example.test/inbox' }, 'SMTP_URL'],
    ['a name that is not known', { SMTP_HOST: 'mail.example.test' }, 'SMTP_HOST'],
  ])('says in one line what to set for %s', (_what, env, named) => {
    const said = refusal(() => readMailEndpoint({ ...smtp, ...env }));
    expect(said).toContain(named);
    expect(said.split('\n')).toHaveLength(1);
    expect(said).not.toContain(':pw@');
  });
});
