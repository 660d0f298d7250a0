import { randomUUID } from 'node:crypto';
import { createEnvironmentSecrets, createMemoryMailer, createMemoryStores } from '@criticizer/core';
import { createHttpClient } from '@criticizer/core/http';
import { describe, expect, it } from 'vitest';
import { holdOptions } from '../../../tools/testing/hold-options.js';
import * as imap from '../src/imap/index.js';
import * as main from '../src/index.js';
import * as codeReview from '../src/p4-code-review/index.js';
import * as slack from '../src/slack/index.js';
import * as smtp from '../src/smtp/index.js';
import * as teams from '../src/teams/index.js';
import * as testing from '../src/testing/index.js';
import * as webhook from '../src/webhook/index.js';

const stores = createMemoryStores();
const from = { address: 'reviews@example.test' };
const vault = { save: async () => randomUUID(), load: async () => null };
const outbox = { stores, vault, mailer: createMemoryMailer(), from };
const mail = { dedupeKey: 'k', to: { address: 'dev@example.test' }, subject: 's', text: 't' };
const server = { host: 'smtp.example.test', helloName: 'reviews.example.test' };
const credentials = { secrets: createEnvironmentSecrets({ env: {} }), userSecret: 'USER', passwordSecret: 'PASSWORD' };
const token = { source: credentials.secrets, name: 'TOKEN' };
const slackApp = { token, conversations: ['C0123456789'], http: createHttpClient() };
const endpoint = {
  url: 'https://hooks.example.test/reviews',
  secret: { source: credentials.secrets, name: 'WEBHOOK' },
  http: { exchange: () => Promise.reject(new TypeError('nothing is sent here')), close: async () => undefined },
};
const counts = {
  change: { serverId: 'main', number: 1, changelistId: 'main/1', kind: 'submitted' },
  reviewVersion: 1,
  findings: { critical: 0, high: 0, medium: 0, low: 0, info: 0 },
  belowFloor: 0,
  floor: 'info',
  conclusive: true,
  files: { reviewed: 1, partial: 0, skipped: 0, total: 1 },
  withheldSecrets: 0,
} as const;
const composed = {
  input: {} as never,
  recipient: mail.to,
  from,
  envelopeFrom: from.address,
  host: 'example.test',
  key: 'k',
  date: new Date(0),
};

const codeReviewServer = {
  url: 'https://swarm.example.test',
  user: 'reviews',
  ticket: { source: credentials.secrets, name: 'TICKET' },
  http: createHttpClient(),
};

describe('options', () => {
  holdOptions({
    folder: new URL('../', import.meta.url),
    entries: {
      '.': main,
      './smtp': smtp,
      './imap': imap,
      './p4-code-review': codeReview,
      './slack': slack,
      './teams': teams,
      './webhook': webhook,
      './testing': testing,
    },
    calls: {
      createMailOutbox: (extra) => main.createMailOutbox({ ...outbox, ...extra }),
      'createMailOutbox from': (extra) => main.createMailOutbox({ ...outbox, from: { ...from, ...extra } }),
      'createMailOutbox settings': (extra) => main.createMailOutbox({ ...outbox, settings: { ...extra } }),
      'createMailOutbox send': (extra) => main.createMailOutbox(outbox).send(mail, { ...extra }),
      'createMailOutbox mail': (extra) => main.createMailOutbox(outbox).send({ ...mail, ...extra }),
      'createMailOutbox sendMany': (extra) => main.createMailOutbox(outbox).sendMany([mail], { ...extra }),
      'createMailOutbox start': (extra) => main.createMailOutbox(outbox).start({ ...extra }),
      'createMailOutbox stop': (extra) => main.createMailOutbox(outbox).stop({ ...extra }),
      'createMailOutbox deliverDue': (extra) => main.createMailOutbox(outbox).deliverDue({ ...extra }),
      createReviewMailComposer: (extra) => main.createReviewMailComposer({ from, host: 'example.test', ...extra }),
      'createReviewMailComposer labels': (extra) =>
        main.createReviewMailComposer({ from, host: 'example.test', labels: { ...extra } }),
      composeReviewMail: (extra) => main.composeReviewMail({ ...composed, ...extra }),
      composeCountsMail: (extra) => main.composeCountsMail({ ...composed, input: { counts }, ...extra }),
      createSmtpMailer: (extra) => smtp.createSmtpMailer({ ...server, ...extra }),
      'createSmtpMailer credentials': (extra) =>
        smtp.createSmtpMailer({ ...server, credentials: { ...credentials, ...extra } }),
      'createSmtpMailer timeouts': (extra) => smtp.createSmtpMailer({ ...server, timeouts: { ...extra } }),
      createImapLookup: (extra) => imap.createImapLookup({ host: 'imap.example.test', credentials, ...extra }),
      'createImapLookup credentials': (extra) =>
        imap.createImapLookup({ host: 'imap.example.test', credentials: { ...credentials, ...extra } }),
      createSlackChannel: (extra) => slack.createSlackChannel({ ...slackApp, ...extra }),
      'createSlackChannel token': (extra) => slack.createSlackChannel({ ...slackApp, token: { ...token, ...extra } }),
      'createSlackChannel lookup': (extra) => slack.createSlackChannel({ ...slackApp, lookup: { ...extra } }),
      'createSlackChannel labels': (extra) => slack.createSlackChannel({ ...slackApp, labels: { ...extra } }),
      createSlackWebhookChannel: (extra) =>
        slack.createSlackWebhookChannel({ url: token, http: createHttpClient(), ...extra }),
      createTeamsChannel: (extra) => teams.createTeamsChannel({ url: token, http: createHttpClient(), ...extra }),
      startTeamsServer: async (extra) => (await testing.startTeamsServer({ ...extra })).close(),
      startSlackServer: async (extra) => (await testing.startSlackServer({ token: 't', ...extra })).close(),
      createCodeReviewClient: (extra) => codeReview.createCodeReviewClient({ ...codeReviewServer, ...extra }),
      createCodeReviewChannel: (extra) => {
        const client = codeReview.createCodeReviewClient(codeReviewServer);
        return codeReview.createCodeReviewChannel({ client, serverId: 'main', ...extra });
      },
      startCodeReviewServer: async (extra) => (await testing.startCodeReviewServer({ users: {}, ...extra })).close(),
      createMaildirLookup: (extra) => smtp.createMaildirLookup({ directory: '/nonexistent', ...extra }),
      startImapServer: async (extra) => (await testing.startImapServer({ ...extra })).close(),
      startWebhookReceiver: async (extra) => (await testing.startWebhookReceiver({ ...extra })).close(),
      createWebhookChannel: (extra) => webhook.createWebhookChannel({ ...endpoint, ...extra }),
      'createWebhookChannel secret': (extra) =>
        webhook.createWebhookChannel({ ...endpoint, secret: { ...endpoint.secret, ...extra } }),
    },
    // They take what a review says, not options.
    without: [
      'renderReviewMail',
      'makeInert',
      'makeInertCode',
      'composeSlackMessage',
      'composeTeamsCard',
      'escapeSlackText',
      'composeReviewWebhook',
    ],
  });

  it('keeps a mail out of the outbox whose transaction was misspelt', async () => {
    const transaction: object = { txx: {} };
    const own = createMemoryStores();
    const { outbox: rows, close } = own;
    await expect(main.createMailOutbox({ ...outbox, stores: own }).send(mail, transaction)).rejects.toThrow(
      /send: options\.txx: unknown option; did you mean tx\?/,
    );
    expect(await rows.list({})).toEqual([]);
    await close();
  });
});
