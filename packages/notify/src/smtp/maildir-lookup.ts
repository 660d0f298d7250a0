import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { checkedElsewhere, checkOptions, type OptionShape } from '@criticizer/core/internal';
import { CriticizerError, type LookupOutcome } from '@criticizer/core/ports';
import { KEY_HEADER } from '../key-header.js';
import type { MailLookup, MailLookupQuery } from './mail-lookup.js';

/** The folder where a mail server journals what it accepted, and how long it takes and keeps. */
export interface MaildirLookupOptions {
  /**
   * Where the mail server journals what it took: a Maildir (with `new` and `cur`), or a plain
   * folder of one file a mail.
   */
  directory: string;
  /** How long the server may take from its answer to the file. Default 60 s. */
  settleMs?: number | undefined;
  /** How long the host keeps the files. Default 7 days. */
  retentionMs?: number | undefined;
}

const optionShape: OptionShape<MaildirLookupOptions> = {
  directory: checkedElsewhere,
  settleMs: checkedElsewhere,
  retentionMs: checkedElsewhere,
};

interface JournalEntry {
  key: string | undefined;
  messageId: string | undefined;
}

const HEADER_BYTES = 65_536;
/** Clocks of journal and outbox may differ by this much. */
const SKEW_MS = 600_000;

function headerOf(block: string, name: string): string | undefined {
  return new RegExp(`^${name}:[ \\t]*((?:[^\\n]|\\n[ \\t])*)`, 'im').exec(block)?.[1]?.replace(/\s+/g, ' ').trim();
}

async function readEntry(path: string): Promise<JournalEntry | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch {
    return undefined; // moved from new to cur, or removed, since it was listed
  }
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(HEADER_BYTES), 0, HEADER_BYTES, 0);
    const block = buffer.toString('latin1', 0, bytesRead).replaceAll('\r\n', '\n').split('\n\n', 1)[0] ?? '';
    return { key: headerOf(block, KEY_HEADER), messageId: headerOf(block, 'Message-ID') };
  } finally {
    await file.close();
  }
}

async function listFolder(folder: string): Promise<string[] | undefined> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(folder, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Maildir renames files when flags change; the part before the flags stays. */
const identityOf = (path: string): string => path.replace(/^.*[/\\]/, '').replace(/:2,.*$/, '');

/** When the mail came, in milliseconds: a Maildir's names begin with it, in seconds. */
function readArrival(identity: string): number | undefined {
  const seconds = /^(\d{10})\./.exec(identity)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

/**
 * Finds a mail in a journal on this machine's disk by its `X-Criticizer-Key`, or by its Message-ID:
 * what a server writes for every mail it took (postfix `always_bcc` to a local Maildir, a journal
 * rule). An index by name keeps what is known: each file is read at most once, headers only, and one
 * whose name says its time needs no `stat`. An empty journal never proves absence: an unmounted disk
 * looks the same. Throws `MAIL_LOOKUP_FAILED` (category `upstream`) when the folder cannot be read,
 * `TypeError` for wrong options.
 */
export function createMaildirLookup(options: MaildirLookupOptions): MailLookup {
  checkOptions('createMaildirLookup', options, optionShape);
  const { directory, settleMs = 60_000, retentionMs = 7 * 86_400_000 } = options;
  if (typeof directory !== 'string' || directory === '')
    throw new TypeError('createMaildirLookup: directory: expected a path');
  for (const [name, value] of Object.entries({ settleMs, retentionMs })) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new TypeError(`createMaildirLookup: ${name}: expected milliseconds, 0 or more`);
  }
  const known = new Map<string, JournalEntry>();
  const arrivals = new Map<string, number>();

  async function isRecent(path: string, identity: string, since: Date): Promise<boolean> {
    let arrivedMs = arrivals.get(identity) ?? readArrival(identity);
    if (arrivedMs === undefined) {
      arrivedMs = (await stat(path).catch(() => undefined))?.mtimeMs;
      if (arrivedMs === undefined) return false;
      arrivals.set(identity, arrivedMs);
    }
    return arrivedMs >= since.getTime() - SKEW_MS;
  }

  async function readCached(path: string, since: Date): Promise<JournalEntry | undefined> {
    const identity = identityOf(path);
    const cached = known.get(identity);
    if (cached !== undefined) return cached;
    if (!(await isRecent(path, identity, since))) return undefined;
    const entry = await readEntry(path);
    if (entry !== undefined) known.set(identity, entry);
    return entry;
  }

  async function find(query: MailLookupQuery): Promise<LookupOutcome> {
    const files = await listJournal(directory);
    const listed = new Set(files.map(identityOf));
    for (const index of [known, arrivals])
      for (const identity of index.keys()) if (!listed.has(identity)) index.delete(identity);
    for (const path of files) {
      query.signal.throwIfAborted();
      const entry = await readCached(path, query.since);
      if (entry?.key === query.key || entry?.messageId === query.messageId)
        return { kind: 'found', id: entry.messageId ?? query.messageId };
    }
    const settled = query.sinceDataMs >= settleMs && query.sinceDataMs <= retentionMs;
    return { kind: 'absent', conclusive: settled && files.length > 0 };
  }

  return { settleMs, retentionMs, find };
}

/** The files of a Maildir, or of a plain folder. Throws `MAIL_LOOKUP_FAILED` where it cannot be read. */
async function listJournal(directory: string): Promise<string[]> {
  try {
    const folders = await Promise.all([listFolder(join(directory, 'new')), listFolder(join(directory, 'cur'))]);
    const maildir = folders.filter((files) => files !== undefined);
    const files = maildir.length > 0 ? maildir.flat() : await listFolder(directory);
    if (files === undefined) throw new Error('not there');
    return files;
  } catch (error) {
    throw new CriticizerError('MAIL_LOOKUP_FAILED', 'The mail journal cannot be read.', {
      category: 'upstream',
      cause: error,
    });
  }
}
