import { randomBytes } from 'node:crypto';
import { CriticizerError, type LookupOutcome, type Mailer } from '@criticizer/core/ports';
import { KEY_HEADER } from '../key-header.js';
import { createImapConnection, type OpenMailbox } from './imap-connection.js';
import { checkImapOptions, type ImapLookupOptions } from './imap-options.js';

type Query = Parameters<NonNullable<Mailer['lookup']>>[0];

/** A mailbox that knows which mails the server took; fits `lookup` of `createSmtpMailer`. */
export interface ImapLookup {
  readonly settleMs: number;
  readonly retentionMs: number;
  find(query: Query): Promise<LookupOutcome>;
  /**
   * Logs in, and finds out whether the server's search can be trusted: it finds the newest mail by its
   * Message-ID and no mail by a random one. Call it at the start. `empty`: there is no mail yet, so
   * that nothing was proved. Rejects with `MAIL_LOOKUP_FAILED`.
   */
  check(options: { signal: AbortSignal }): Promise<'trusted' | 'empty'>;
  /** Ends the connection. Idempotent; look-ups reject afterwards. */
  close(): Promise<void>;
}

/** Clocks of mailbox and outbox may differ by this much; `SINCE` knows days alone, in the server's time zone. */
const skewMs = 36 * 3_600_000;
/** Mails that one search may name at most before the mailbox is called unfit: a key is in one mail. */
const mostMatches = 1_000;

interface Headers {
  messageId: string | undefined;
  key: string | undefined;
}

function headerOf(block: string, name: string): string | undefined {
  return new RegExp(`^${name}:[ \\t]*((?:[^\\n]|\\n[ \\t])*)`, 'im').exec(block)?.[1]?.replace(/\s+/g, ' ').trim();
}

const unfit = (why: string): CriticizerError =>
  new CriticizerError('MAIL_LOOKUP_FAILED', `The mailbox cannot tell which mails were sent: ${why}.`, {
    category: 'policy',
    details: { step: 'canary', why },
  });

/** The numbers that a search gives, rising. */
async function search(
  { client, call }: OpenMailbox,
  criteria: Parameters<OpenMailbox['client']['search']>[0],
  signal: AbortSignal,
): Promise<readonly number[]> {
  const found = await call('search', client.search(criteria, { uid: true }), signal);
  if (!Array.isArray(found)) throw unfit('it refuses to search');
  return [...found].sort((a, b) => a - b);
}

async function readHeaders(
  { client, call }: OpenMailbox,
  uids: readonly number[],
  signal: AbortSignal,
): Promise<readonly Headers[]> {
  if (uids.length > mostMatches) throw unfit('its search names every mail');
  const wanted = { headers: [KEY_HEADER.toLowerCase(), 'message-id'] };
  const mails = await call('fetch', client.fetchAll(uids.join(','), wanted, { uid: true }), signal);
  return mails.map(({ headers }) => {
    const block = (headers ?? Buffer.alloc(0)).toString('latin1').replaceAll('\r\n', '\n');
    return { key: headerOf(block, KEY_HEADER), messageId: headerOf(block, 'Message-ID') };
  });
}

/** Substrings match: the search is asked for the id without its brackets, and what it finds is compared whole. */
const bare = (messageId: string): string => messageId.replace(/^<|>$/g, '');

/** True where the mailbox has a mail that its own search finds; false where it has none at all. */
async function proveSearch(mailbox: OpenMailbox, signal: AbortSignal): Promise<boolean> {
  const random = await search(
    mailbox,
    { header: { 'message-id': `${randomBytes(16).toString('hex')}@none.invalid` } },
    signal,
  );
  if (random.length > 0) throw unfit('it finds a mail that was never sent');
  const { exists } = mailbox.client.mailbox || { exists: 0 };
  if (exists === 0) return false;
  const [newest = 0] = (await search(mailbox, { all: true }, signal)).slice(-1);
  const [known] = await readHeaders(mailbox, [newest], signal);
  if (known?.messageId === undefined) return false;
  const found = await search(mailbox, { header: { 'message-id': bare(known.messageId) } }, signal);
  if (!found.includes(newest)) throw unfit('its search misses a mail that is there');
  return true;
}

// long: a look-up and what it needs, each short
/**
 * Finds a mail in a mailbox by its `X-Criticizer-Key`, or by its Message-ID: in the journal that the mail
 * server files every mail into, or where the provider keeps what was sent. One connection, opened for
 * the first look-up and kept a while. Searches only mails that came since the mail was written, and
 * compares what it finds whole. A mailbox without any mail never proves absence, and one whose search
 * failed the canary throws. Every call has a deadline. Throws `MAIL_LOOKUP_FAILED` (`upstream`,
 * `auth`, or `policy` for a server that cannot tell), `TypeError` for wrong options.
 */
export function createImapLookup(options: ImapLookupOptions): ImapLookup {
  const settings = checkImapOptions(options);
  const { settleMs, retentionMs } = settings;
  const connection = createImapConnection(settings);
  /** Whether the search of the mailbox under this UIDVALIDITY was proved. */
  let proved: { uidValidity: bigint } | null = null;

  async function prove(mailbox: OpenMailbox, isNew: boolean, signal: AbortSignal): Promise<boolean> {
    const { uidValidity } = mailbox.client.mailbox || { uidValidity: 0n };
    if (!isNew && proved?.uidValidity === uidValidity) return true;
    proved = null;
    if (!(await proveSearch(mailbox, signal))) return false;
    proved = { uidValidity };
    return true;
  }

  async function findIn(mailbox: OpenMailbox, query: Query): Promise<LookupOutcome> {
    const { key, messageId, since, signal } = query;
    const window = await search(mailbox, { since: new Date(since.getTime() - skewMs) }, signal);
    const [first] = window;
    const headers = [{ 'message-id': bare(messageId) }, { [KEY_HEADER.toLowerCase()]: key }];
    for (const header of first === undefined ? [] : headers) {
      const uids = await search(mailbox, { uid: `${first}:*`, header }, signal);
      const same = (await readHeaders(mailbox, uids, signal)).find(
        (one) => one.key === key || one.messageId === messageId,
      );
      if (same !== undefined) return { kind: 'found', id: same.messageId ?? messageId };
    }
    return { kind: 'absent', conclusive: query.sinceDataMs >= settleMs && query.sinceDataMs <= retentionMs };
  }

  return {
    settleMs,
    retentionMs,
    check: ({ signal }) =>
      connection.use(signal, async (mailbox) => ((await prove(mailbox, true, signal)) ? 'trusted' : 'empty')),
    find: (query) =>
      connection.use(query.signal, async (mailbox, isNew) => {
        const isTrusted = await prove(mailbox, isNew, query.signal);
        const outcome = await findIn(mailbox, query);
        return outcome.kind === 'absent' && !isTrusted ? { ...outcome, conclusive: false } : outcome;
      }),
    close: () => connection.close(),
  };
}
