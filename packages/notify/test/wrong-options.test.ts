// Options that would fail a review later are refused when a channel, composer or mailer is made.
import { createEnvironmentSecrets } from '@criticizer/core';
import { createHttpClient } from '@criticizer/core/http';
import { describe, expect, it } from 'vitest';
import { createReviewMailComposer } from '../src/index.js';
import { createCodeReviewChannel, createCodeReviewClient } from '../src/p4-code-review/index.js';
import { createSlackChannel, createSlackWebhookChannel } from '../src/slack/index.js';
import { createSmtpMailer } from '../src/smtp/index.js';
import { createTeamsChannel } from '../src/teams/index.js';
import { createWebhookChannel } from '../src/webhook/index.js';

const secret = { source: createEnvironmentSecrets({ env: {} }), name: 'SECRET' };
const http = createHttpClient();
const from = { address: 'reviews@example.test' };
const server = { url: 'https://swarm.example.test', user: 'reviews', ticket: secret, http };
const client = createCodeReviewClient(server);
const { host: _host, ...hostless } = client;

/** Each with right options and those of a case. */
const makers = {
  createReviewMailComposer: (more: object) => createReviewMailComposer({ from, host: 'example.test', ...more }),
  createSlackChannel: (more: object) => createSlackChannel({ token: secret, conversations: ['C1'], http, ...more }),
  createSlackWebhookChannel: (more: object) => createSlackWebhookChannel({ url: secret, http, ...more }),
  createTeamsChannel: (more: object) => createTeamsChannel({ url: secret, http, ...more }),
  createWebhookChannel: (more: object) =>
    createWebhookChannel({ url: 'https://hooks.example.test', secret, http, ...more }),
  createCodeReviewClient: (more: object) => createCodeReviewClient({ ...server, ...more }),
  createCodeReviewChannel: (more: object) => createCodeReviewChannel({ client, serverId: 'main', ...more }),
  createSmtpMailer: (more: object) =>
    createSmtpMailer({ host: 'smtp.example.test', helloName: 'reviews.example.test', ...more }),
};
const withLabels = [
  ...(['createReviewMailComposer', 'createSlackChannel'] as const),
  ...(['createSlackWebhookChannel', 'createTeamsChannel'] as const),
];
const wrongLabels: readonly [name: string, labels: unknown][] = [
  ['labels.high', { high: 5 }],
  ['labels.footer', { footer: null }],
  ['labels.why', { why: 'because' }],
  ['labels.why', { why: ['because'] }],
  ['labels.why.author', { why: { author: 5 } }],
  ['labels.reasons', { reasons: null }],
  ['labels.reasons.deleted', { reasons: { deleted: undefined } }],
];
type Case = [maker: keyof typeof makers, name: string, more: object];
const cases: readonly Case[] = [
  ...withLabels.flatMap((maker) => wrongLabels.map(([name, labels]): Case => [maker, name, { labels }])),
  ['createReviewMailComposer', 'changeUrl', { changeUrl: 5 }],
  ['createReviewMailComposer', 'changeUrl', { changeUrl: null }],
  ['createReviewMailComposer', 'changeUrl', { changeUrl: 'https://swarm.example.test/' }],
  ['createReviewMailComposer', 'from.name', { from: { ...from, name: 5 } }],
  ['createReviewMailComposer', 'replyTo.name', { replyTo: { ...from, name: 5 } }],
  ['createReviewMailComposer', 'host', { host: 5 }],
  ['createReviewMailComposer', 'envelopeFrom', { envelopeFrom: null }],
  ['createTeamsChannel', 'allowedHosts', { allowedHosts: [] }],
  ['createSlackWebhookChannel', 'allowedHosts', { allowedHosts: [] }],
  ['createWebhookChannel', 'id', { id: 'x'.repeat(65) }],
  ['createWebhookChannel', 'id', { id: 'a:b' }],
  ['createCodeReviewChannel', 'id', { id: 'x'.repeat(65) }],
  ['createCodeReviewChannel', 'id', { id: 'a b' }],
  ['createCodeReviewChannel', 'client', { client: hostless }],
  ['createCodeReviewClient', 'ticket.name', { ticket: { ...secret, name: ' ' } }],
  ['createSmtpMailer', 'id', { id: 5 }],
];

describe('wrong options', () => {
  it.each(cases)('%s refuses %s at once: %j', (maker, name, more) => {
    let error: unknown;
    try {
      makers[maker](more);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain(`${maker}: ${name}: expected`);
  });

  it.each(Object.keys(makers) as (keyof typeof makers)[])('%s takes what is left out', (maker) => {
    expect(() => makers[maker]({})).not.toThrow();
  });

  it.each(withLabels)('%s takes some words of another language, and words of its own for reasons', (maker) => {
    const labels = { high: 'hoch', low: undefined, why: { boss: 'Sie sind Chef.' }, reasons: { deleted: 'gelöscht' } };
    expect(() => makers[maker]({ labels })).not.toThrow();
  });
});
