// The far ends of a soak: each lives in the parent and outlives every worker.

import { randomBytes } from 'node:crypto';
import type { OutboxRow } from '@criticizer/core/ports';
import {
  startCodeReviewServer,
  startImapServer,
  startSlackServer,
  startTeamsServer,
  startWebhookReceiver,
} from '@criticizer/notify/testing';
import type { FarEnd } from './far-end.js';
import { startJournalingMailServer } from './journaling-mail-server.js';
import type { SoakedChannel } from './notify-work.js';

type Opened = Omit<FarEnd, 'onTaken'>;
type Open = (folder: string, taken: () => void) => Promise<Opened>;

/** Calls `happen` after each push, which these servers do before they answer. */
function watchPushes<Entry>(list: readonly Entry[], happen: () => void): void {
  Object.assign(list, {
    push(...added: Entry[]): number {
      const length = Array.prototype.push.apply(list, added);
      happen();
      return length;
    },
  });
}

/** Messages that name the change and carry no key. */
const countByChange = (bodies: readonly unknown[], { changelistId }: Pick<OutboxRow, 'changelistId'>): number => {
  const number = new RegExp(`\\b${changelistId.split('/').at(-1)}\\b`);
  return bodies.filter((body) => number.test(body instanceof Uint8Array ? Buffer.from(body).toString() : `${body}`))
    .length;
};

/** The mail server, which files every mail into a mailbox, too, before it answers. */
const startMailServerWithMailbox: Open = async (folder, taken) => {
  const mailbox = await startImapServer();
  mailbox.deliver('X-Criticizer-Key: none\r\n\r\n'); // an empty one proves nothing
  const server = await startJournalingMailServer(folder, taken, (mail) => void mailbox.deliver(mail));
  const { port: imapPort, user, password } = mailbox;
  return {
    ...server,
    reach: { ...server.reach, imapPort: String(imapPort), user, password },
    async close() {
      await server.close();
      await mailbox.close();
    },
  };
};

const startWebhook =
  (keepsIds: boolean): Open =>
  async (_folder, taken) => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const receiver = await startWebhookReceiver({ secret, keepsIds, onTaken: taken });
    return {
      reach: { url: receiver.url, secret },
      // An id that only begins with the key is one more message to the receiver.
      copies: ({ key }) =>
        [...receiver.copies()].reduce((sum, [id, count]) => sum + (id.startsWith(key) ? count : 0), 0),
      close: () => receiver.close(),
    };
  };

const startCodeReview: Open = async (_folder, taken) => {
  const ticket = randomBytes(8).toString('hex');
  const server = await startCodeReviewServer({ users: { reviews: ticket, ada: `${ticket}-ada` } });
  watchPushes(server.written, taken);
  return {
    reach: { url: server.origin, ticket },
    prepare: (change) => void server.addReview({ change, author: 'ada' }),
    copies: ({ key }) => server.state.comments.filter(({ body }) => body.includes(`[crz:${key.slice(0, 12)}]`)).length,
    close: () => server.close(),
  };
};

const startSlack: Open = async (_folder, taken) => {
  const token = randomBytes(8).toString('hex');
  const server = await startSlackServer({ token });
  watchPushes(server.messages, taken);
  return {
    reach: { url: server.apiUrl, webhook: server.webhookUrl, token },
    copies: (row) => {
      const keyed = server.messages.filter((message) => JSON.stringify(message).includes(row.key)).length;
      return keyed > 0 ? keyed : countByChange(server.received, row);
    },
    close: () => server.close(),
  };
};

const startTeams: Open = async (_folder, taken) => {
  const server = await startTeamsServer();
  watchPushes(server.received, taken);
  return {
    reach: { url: server.workflowUrl },
    copies: (row) => countByChange(server.received, row),
    close: () => server.close(),
  };
};

const opens: Readonly<Record<SoakedChannel, Open>> = {
  smtp: startJournalingMailServer,
  'smtp-maildir': startJournalingMailServer,
  'smtp-imap': startMailServerWithMailbox,
  webhook: startWebhook(true),
  'webhook-forgetful': startWebhook(false),
  'code-review': startCodeReview,
  slack: startSlack,
  'slack-webhook': startSlack,
  teams: startTeams,
};

/** Starts the far end of a channel; what it keeps lies in `folder`. */
export async function startFarEnd(channel: SoakedChannel, folder: string): Promise<FarEnd> {
  const opened = await opens[channel](folder, () => far.onTaken());
  const far: FarEnd = { ...opened, onTaken: () => undefined };
  return far;
}
