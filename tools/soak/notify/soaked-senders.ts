// The real senders of a worker, each over its far end.
import { type CriticizerOptions, createStaticRecipients } from '@criticizer/core';
import { createHttpClient } from '@criticizer/core/http';
import { type Channel, Secret, type SecretSource } from '@criticizer/core/ports';
import { createReviewMailComposer } from '@criticizer/notify';
import { createImapLookup } from '@criticizer/notify/imap';
import { createCodeReviewChannel, createCodeReviewClient } from '@criticizer/notify/p4-code-review';
import { createSlackChannel, createSlackWebhookChannel } from '@criticizer/notify/slack';
import { createMaildirLookup, createSmtpMailer, type MailLookup } from '@criticizer/notify/smtp';
import { createTeamsChannel } from '@criticizer/notify/teams';
import { createWebhookChannel } from '@criticizer/notify/webhook';
import type { NotifyWork, SoakedChannel } from './notify-work.js';

/** What a Criticizer sends by. */
export type Senders = Pick<CriticizerOptions<unknown>, 'channels' | 'composer' | 'mailer' | 'recipients'>;

type Reach = NotifyWork['reach'];

/** A far end is in the parent, which is busy at times: what a dead worker sent may lie there unread for so long. */
const settleMs = 1_000;

const secretOf = (text: string | undefined): { source: SecretSource; name: string } => ({
  name: 'SOAK',
  source: { contract: 1, read: async () => ({ current: { secret: new Secret(text ?? ''), version: '1' } }) },
});

const httpTo = (url: string) => createHttpClient({ allowPrivateOrigins: [new URL(url).origin] });

type MailWay = 'smtp' | 'smtp-imap' | 'smtp-maildir';

const lookups: Readonly<Record<MailWay, (reach: Reach) => MailLookup | undefined>> = {
  smtp: () => undefined,
  'smtp-maildir': ({ journal = '' }) => createMaildirLookup({ directory: journal, settleMs }),
  'smtp-imap': ({ imapPort, user, password }) =>
    createImapLookup({
      ...{ host: '127.0.0.1', port: Number(imapPort), tls: 'none', settleMs, callTimeoutMs: 5_000 },
      credentials: {
        ...{ userSecret: 'USER', passwordSecret: 'PASSWORD' },
        secrets: {
          contract: 1,
          read: async (name) => ({
            current: { secret: new Secret((name === 'USER' ? user : password) ?? ''), version: '1' },
          }),
        },
      },
    }),
};

function mailBy(way: MailWay, reach: Reach): Senders {
  return {
    mailer: createSmtpMailer({
      ...{ host: '127.0.0.1', port: Number(reach['port']), tls: 'none', helloName: 'soak.example.test' },
      lookup: lookups[way](reach),
    }),
    composer: createReviewMailComposer({ from: { address: 'soak@example.test' }, host: 'example.test' }),
    recipients: createStaticRecipients([{ address: 'ada@example.test', required: true }]),
  };
}

function postToCodeReview({ url = '', ticket }: Reach): Channel {
  const access = { url, user: 'reviews', ticket: secretOf(ticket), http: httpTo(url), requestTimeoutMs: 5_000 };
  return createCodeReviewChannel({
    client: createCodeReviewClient(access),
    serverId: 'main',
    requestLimitMs: settleMs,
  });
}

const channels: Readonly<Record<Exclude<SoakedChannel, MailWay>, (reach: Reach) => Channel>> = {
  webhook: ({ url = '', secret }) => createWebhookChannel({ url, secret: secretOf(secret), http: httpTo(url) }),
  'webhook-forgetful': ({ url = '', secret }) =>
    createWebhookChannel({ url, secret: secretOf(secret), http: httpTo(url), idsKeptMs: 0 }),
  'code-review': postToCodeReview,
  slack: ({ url = '', token }) =>
    createSlackChannel({
      ...{ url, token: secretOf(token), conversations: ['C0123456789'], http: httpTo(url), lookup: { settleMs } },
    }),
  'slack-webhook': ({ webhook = '' }) =>
    createSlackWebhookChannel({ url: secretOf(webhook), allowedHosts: ['127.0.0.1'], http: httpTo(webhook) }),
  teams: ({ url = '' }) => createTeamsChannel({ url: secretOf(url), allowedHosts: ['127.0.0.1'], http: httpTo(url) }),
};

/** The senders of the channel that is soaked. */
export function openSenders({ channel, reach }: NotifyWork): Senders {
  if (channel === 'smtp' || channel === 'smtp-maildir' || channel === 'smtp-imap') return mailBy(channel, reach);
  return { channels: [channels[channel](reach)] };
}
