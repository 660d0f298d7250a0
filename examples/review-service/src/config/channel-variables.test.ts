import { describe, expect, it } from 'vitest';
import { createChannels } from '../compose/channels.js';
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

const codeReview = {
  CODE_REVIEW_URL: 'https://swarm.example.test',
  CODE_REVIEW_USER: 'reviewbot',
  CODE_REVIEW_TICKET_FILE: '/run/secrets/SWARM',
};

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
    expect(readConfiguration({ ...perforce, ...mail }).channels).toEqual({
      ...{ webhook: null, slack: null, teams: null, codeReview: null },
    });
    expect([...mistakes({})].sort()).toEqual([
      'MAIL_DOMAINS: is missing',
      'MAIL_FROM: is missing',
      'SMTP_URL: is missing',
    ]);
  });

  it('SEC-3: takes plain http to the P4 Code Review and the webhook that the operator names', () => {
    const CODE_REVIEW_URL = 'http://swarm.internal';
    const WEBHOOK_URL = 'http://hooks.internal:8080/reviews';
    const configuration = readConfiguration({ ...perforce, ...codeReview, ...webhook, CODE_REVIEW_URL, WEBHOOK_URL });
    expect(configuration.channels).toMatchObject({
      codeReview: { url: CODE_REVIEW_URL },
      webhook: { url: WEBHOOK_URL },
    });
    const live = { ...configuration, delivery: { ...configuration.delivery, mode: 'live' as const } };
    expect(createChannels(live).map(({ host }) => host)).toEqual(['swarm.internal', 'hooks.internal:8080']);
  });

  it('CHN-1: a chat alone is enough, too', () => {
    const slack = { SLACK_TOKEN_FILE: '/run/secrets/SLACK', SLACK_CONVERSATIONS: 'C0123456789, G1' };
    expect(readConfiguration({ ...perforce, ...slack }).channels.slack).toEqual({
      ...{ kind: 'app', tokenFile: '/run/secrets/SLACK', conversations: ['C0123456789', 'G1'] },
      ...{ hasLookup: true, url: undefined },
    });
    const others = { SLACK_WEBHOOK_FILE: '/run/secrets/HOOK', TEAMS_WORKFLOW_FILE: '/run/secrets/FLOW' };
    expect(readConfiguration({ ...perforce, ...others, TEAMS_HOSTS: '*.flows.example' }).channels).toEqual({
      webhook: null,
      codeReview: null,
      slack: { kind: 'webhook', addressFile: '/run/secrets/HOOK' },
      teams: { addressFile: '/run/secrets/FLOW', hosts: ['*.flows.example'] },
    });
  });

  it.each([
    [
      'half an app of Slack',
      { ...mail, SLACK_TOKEN_FILE: '/run/secrets/SLACK' },
      /^SLACK_CONVERSATIONS: and SLACK_TOKEN_FILE/,
    ],
    ['a name for a conversation', { ...mail, SLACK_CONVERSATIONS: '#reviews' }, /^SLACK_CONVERSATIONS: expected ids/],
    [
      'two ways to Slack',
      { SLACK_TOKEN_FILE: '/run/a', SLACK_CONVERSATIONS: 'C1', SLACK_WEBHOOK_FILE: '/run/b' },
      /^SLACK_WEBHOOK_FILE: and SLACK_TOKEN_FILE/,
    ],
    ['hosts of no flow', { ...mail, TEAMS_HOSTS: 'flows.example' }, /^TEAMS_HOSTS: is set without/],
    ['half a webhook', { ...mail, WEBHOOK_URL: webhook.WEBHOOK_URL }, /^WEBHOOK_SECRET_FILE: and WEBHOOK_URL/],
    ['half a mail server', { ...webhook, MAIL_FROM: mail.MAIL_FROM }, /^SMTP_URL: is missing/m],
    [
      'an address of Slack without its app',
      { ...mail, SLACK_API_URL: 'https://slack.example.test/api' },
      /^SLACK_API_URL: is set without SLACK_TOKEN_FILE$/,
    ],
    [
      'a look-up of Slack for a webhook, which has none',
      { SLACK_WEBHOOK_FILE: '/run/secrets/HOOK', SLACK_LOOKUP: 'on' },
      /^SLACK_LOOKUP: is set without SLACK_TOKEN_FILE$/,
    ],
    [
      'ids that no endpoint keeps',
      { ...mail, WEBHOOK_KEEPS_IDS_HOURS: '5' },
      /^WEBHOOK_KEEPS_IDS_HOURS: is set without WEBHOOK_URL$/,
    ],
    ...['SERVER_ID', 'MAX_COMMENTS', 'REQUEST_SECONDS', 'TASKS'].map((name): [string, NodeJS.ProcessEnv, RegExp] => [
      `no P4 Code Review, and ${name}`,
      { ...mail, [`CODE_REVIEW_${name}`]: name === 'TASKS' ? 'yes' : '7' },
      new RegExp(`^CODE_REVIEW_${name}: is set without CODE_REVIEW_URL$`),
    ]),
    [
      '101 conversations',
      {
        SLACK_TOKEN_FILE: '/run/a',
        SLACK_CONVERSATIONS: Array.from({ length: 101 }, (_, n) => `C${n}`).join(','),
      },
      /^SLACK_CONVERSATIONS: expected ids .*at most 100/,
    ],
    [
      'a control character in an account',
      { ...codeReview, CODE_REVIEW_USER: 'review\u0001bot' },
      /^CODE_REVIEW_USER: expected the name of an account/,
    ],
    ['a typing error', { ...webhook, WEBHOOK_SECRET: 'x' }, /^WEBHOOK_SECRET: no variable/m],
    ['another scheme', { ...webhook, WEBHOOK_URL: 'ftp://hooks.example.test' }, /^WEBHOOK_URL: expected/],
    [
      'plain http to Slack on another machine',
      { SLACK_TOKEN_FILE: '/run/a', SLACK_CONVERSATIONS: 'C1', SLACK_API_URL: 'http://slack.example.test/api' },
      /^SLACK_API_URL: expected https/,
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

  it('CHN-2: with P4 Code Review reviews are not mailed, unless somebody says so; pages are', () => {
    const read = (env: NodeJS.ProcessEnv) => readConfiguration({ ...perforce, ...codeReview, ...env });
    expect(read({})).toMatchObject({
      ...{ mail: null, pagerMail: null },
      channels: {
        codeReview: {
          ...{ url: 'https://swarm.example.test', user: 'reviewbot', ticketFile: '/run/secrets/SWARM' },
          ...{ serverId: undefined, maxComments: 10, requestLimitMs: 120_000, openTasks: false },
        },
      },
    });
    expect(read({ ...mail, PAGER_MAIL: 'ops@studio.example' })).toMatchObject({
      ...{ mail: null, pagerMail: { from: mail.MAIL_FROM }, pagers: { mail: 'ops@studio.example' } },
    });
    expect(read({ ...mail, MAIL: 'on' }).mail?.from).toBe(mail.MAIL_FROM);
    expect(mistakes({ ...codeReview, MAIL: 'on' })).toEqual(['MAIL: is on, and SMTP_URL is not set']);
    expect(mistakes({ ...mail, MAIL: 'off' })).toEqual(['MAIL: is off, and reviews are posted nowhere']);
    expect(mistakes({ CODE_REVIEW_URL: codeReview.CODE_REVIEW_URL })).toEqual([
      'CODE_REVIEW_USER: and CODE_REVIEW_URL belong together: set both or neither',
      'CODE_REVIEW_TICKET_FILE: and CODE_REVIEW_URL belong together: set both or neither',
    ]);
    expect(mistakes({ ...codeReview, CODE_REVIEW_SERVER_ID: 'other' })).toEqual([
      'CODE_REVIEW_SERVER_ID: names no server of the configuration',
    ]);
  });
});
