import {
  decodeFrozenMail,
  encodeFrozenMail,
  errorFacts,
  type FrozenMail,
  type Logger,
  type MessageVault,
  type OutboxRow,
  type Stores,
} from '@criticizer/core/ports';
import type { FrozenCopy } from './freeze-outgoing.js';
import type { MailIntent } from './outgoing-mail.js';

/** What a mail outbox uses of stores: those with the module `notify` are enough. */
export type MailStores<Tx> = Pick<Stores<Tx>, 'outbox' | 'messages' | 'transaction' | 'now'>;

/** Where mails are written, and who hears of a difference. */
export interface MailWriterParts<Tx> {
  stores: MailStores<Tx>;
  vault: MessageVault<Tx>;
  logger: Logger;
}

/** A larger batch is mostly new: to write and discard costs less than to look for each. */
const mostLookedUp = 20;

/** Rows that are there already, by key. */
async function findKnown(
  { outbox }: Pick<MailStores<never>, 'outbox'>,
  copies: readonly FrozenCopy[],
): Promise<ReadonlyMap<string, OutboxRow>> {
  const known = new Map<string, OutboxRow>();
  if (copies.length > mostLookedUp) return known;
  for (const { row } of copies) {
    const [found] = await outbox.list({ key: row.key, limit: 1 });
    if (found !== undefined) known.set(row.key, found);
  }
  return known;
}

// long: one write in short steps over the same parts
/**
 * Stores copies with their messages in one transaction, the caller's or one of its own, and says of
 * each whether it was there. In their order. Rejects with what store or vault reject with.
 */
export function createMailWriter<Tx>({ stores, vault, logger }: MailWriterParts<Tx>) {
  /** Dates differ between any two calls, so they are no difference. */
  async function differs(row: OutboxRow, mail: FrozenMail): Promise<boolean | null> {
    try {
      const bytes = await vault.load(row.messageArtifactId);
      if (bytes === null) return null;
      const { date, messageId } = decodeFrozenMail(bytes, row.messageSha256);
      return encodeFrozenMail({ ...mail, date, messageId }).sha256 !== row.messageSha256;
    } catch (error) {
      logger.warn(
        { event: 'mail.compare_failed', rowId: row.id, ...errorFacts(error) },
        'could not compare a mail with the one that is there already',
      );
      return null;
    }
  }

  async function toIntent({ row, isNew }: { row: OutboxRow; isNew: boolean }, mail: FrozenMail): Promise<MailIntent> {
    if (isNew) return { outcome: 'added', row };
    const isOther = await differs(row, mail);
    if (isOther === true)
      logger.warn(
        { event: 'mail.dedupe_key_taken', rowId: row.id },
        'another mail with this dedupe key is there already; it stands, this one is not sent',
      );
    return { outcome: 'existing', row, differs: isOther };
  }

  async function add(copies: readonly FrozenCopy[], tx: Tx): Promise<{ row: OutboxRow; isNew: boolean }[]> {
    const rows = [];
    for (const { row, encoded } of copies) {
      const about = { changelistId: row.changelistId, jobId: null };
      rows.push({ ...row, messageArtifactId: await vault.save(encoded.bytes, about, { tx }) });
    }
    const results = await stores.outbox.add(rows, { tx });
    for (const [at, { outcome, row }] of results.entries()) {
      const saved = rows[at]?.messageArtifactId;
      // What was saved for one that is there already is nobody's, unless a vault of contents gave the same id.
      if (outcome === 'existing' && saved !== undefined && saved !== row.messageArtifactId)
        await vault.discard?.(saved, { tx });
    }
    return results.map(({ outcome, row }) => ({ row, isNew: outcome === 'added' }));
  }

  return async (copies: readonly FrozenCopy[], tx: Tx | undefined): Promise<MailIntent[]> => {
    const known = await findKnown(stores, copies);
    const fresh = copies.filter(({ row }) => !known.has(row.key));
    const write = (own: Tx) => add(fresh, own);
    const added = fresh.length === 0 ? [] : await (tx === undefined ? stores.transaction(write) : write(tx));
    const intents: MailIntent[] = [];
    for (const { row, frozen } of copies) {
      const there = known.get(row.key);
      const stored = there === undefined ? added.shift() : { row: there, isNew: false };
      if (stored === undefined) throw new TypeError('mail outbox: the store answered too few rows');
      intents.push(await toIntent(stored, frozen));
    }
    return intents;
  };
}
