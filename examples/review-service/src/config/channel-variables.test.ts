import { describe, expect, it } from 'vitest';
import { readConfiguration } from './configuration.js';
import { UsageError } from './usage-error.js';

const perforce = {
  P4PORT: 'perforce.example.test:1666',
  P4USER: 'reviewbot',
  ALLOW: '//depot/main/...',
  LLM_PROTOCOL: 'none',
};
const mail = {
  SMTP_URL: 'smtp://mail.example.test',
  MAIL_FROM: 'reviews@studio.example',
  MAIL_DOMAINS: 'studio.example',
};
const webhook = { WEBHOOK_URL: 'https://hooks.example.test/reviews', WEBHOOK_SECRET_FILE: '/run/secrets/HOOK' };

function mistakes(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfiguration({ ...perforce, ...env });
    return [];
  } catch (error) {
    if (error instanceof UsageError) return error.lines;
    throw error;
  }
}

describe('channels of the service', () => {
  it('CHN-1: with a channel nobody need be mailed; without one the mail server is missing', () => {
    expect(readConfiguration({ ...perforce, ...webhook })).toMatchObject({
      mail: null,
      channels: { webhook: { url: webhook.WEBHOOK_URL, secretFile: '/run/secrets/HOOK', idsKeptMs: 270_000_000 } },
    });
    expect(readConfiguration({ ...perforce, ...mail }).channels).toEqual({ webhook: null });
    expect([...mistakes({})].sort()).toEqual([
      'MAIL_DOMAINS: is missing',
      'MAIL_FROM: is missing',
      'SMTP_URL: is missing',
    ]);
  });

  it.each([
    ['half a webhook', { ...mail, WEBHOOK_URL: webhook.WEBHOOK_URL }, /^WEBHOOK_SECRET_FILE: and WEBHOOK_URL/],
    ['half a mail server', { ...webhook, MAIL_FROM: mail.MAIL_FROM }, /^SMTP_URL: is missing/m],
    ['a typing error', { ...webhook, WEBHOOK_SECRET: 'x' }, /^WEBHOOK_SECRET: no variable/m],
    [
      'plain http to another machine',
      { ...webhook, WEBHOOK_URL: 'http://hooks.example.test' },
      /^WEBHOOK_URL: expected/,
    ],
    [
      'a redirect of mails that are none',
      { ...webhook, DELIVERY: 'redirect:a@b.example' },
      /^DELIVERY: redirects mails/,
    ],
    [
      'pages by mail without a server',
      { ...webhook, PAGER_MAIL: 'ops@studio.example' },
      /^PAGER_MAIL: is set, and SMTP/,
    ],
  ])('CHN-1: refuses %s', (_what, env, message) => {
    expect(mistakes(env).join('\n')).toMatch(message);
  });
});
