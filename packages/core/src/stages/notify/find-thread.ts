import { decodeFrozenMail, type MessageVault } from '../../outbox/frozen/frozen-mail.js';
import { isPostRow } from '../../outbox/senders/post-sender.js';
import type { OutboxRow } from '../../stores/notify-outbox.js';
import type { MailThread } from './mail-composer.js';

/**
 * Finds the thread that an earlier version's mail began, by a recipient's key: of `rows` below
 * `reviewVersion` the newest of this recipient, else the newest of anybody. A description may be
 * edited between two versions, and Gmail threads by subject too, so the first subject stays. Gives
 * undefined where there is none or its message is gone or unreadable: a subject is no reason to hold
 * a review.
 */
export function createThreadFinder(
  rows: readonly OutboxRow[],
  reviewVersion: number,
  vault: Pick<MessageVault, 'load'>,
): (recipientKey: string) => Promise<MailThread | undefined> {
  const earlier = rows
    .filter((row) => row.reviewVersion < reviewVersion && !isPostRow(row))
    .sort((a, b) => b.reviewVersion - a.reviewVersion);
  return async (recipientKey) => {
    const row = earlier.find((one) => one.recipientKey === recipientKey) ?? earlier[0];
    if (row === undefined) return undefined;
    try {
      const bytes = await vault.load(row.messageArtifactId);
      if (bytes === null) return undefined;
      const { subject, content } = decodeFrozenMail(bytes, row.messageSha256);
      return { subject, content };
    } catch {
      return undefined;
    }
  };
}
