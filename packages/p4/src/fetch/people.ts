import { type Clock, isCriticizerError } from '@criticizer/core/ports';
import type { P4Client } from '../client/p4-client.js';
import type { P4Command } from '../client/p4-command.js';
import { fieldText, type P4Fields } from '../client/p4-output.js';
import { isP4UserName } from '../client/p4-port.js';
import { readRecords } from '../client/read-records.js';

/** Mail addresses the server holds for a change. */
export interface ChangePeople {
  userMail: string | null;
  reviewerMails: string[];
}

/** Reads them for one change after the other. */
export type PeopleReader = (change: { number: number; user: string }, signal: AbortSignal) => Promise<ChangePeople>;

const maxAgeMs = 3_600_000;
const maxAuthors = 10_000;

/**
 * The author's address from the user table, remembered for an hour, and the addresses of `reviews
 * -c`, which the server finds by the `Reviews:` fields of its users. Soft only where the server
 * withholds them: no permission, no such user. `users` is asked, as `user -o` invents a form,
 * address included, for names that do not exist.
 */
export function createPeopleReader(client: P4Client, clock: Clock): PeopleReader {
  const authors = new Map<string, { mail: string | null; atMs: number }>();
  const authorMail = async (user: string, signal: AbortSignal): Promise<string | null> => {
    if (!isP4UserName(user)) return null;
    const known = authors.get(user);
    if (known !== undefined && clock.monotonicMs() - known.atMs < maxAgeMs) return known.mail;
    const users = await readSoftly(client, { name: 'users', flags: [], operands: [user] }, signal);
    const author = users.find((fields) => fieldText(fields, 'User')?.toLowerCase() === user.toLowerCase());
    const mail = author === undefined ? null : mailAddress(fieldText(author, 'Email'));
    if (authors.size >= maxAuthors) authors.clear();
    authors.set(user, { mail, atMs: clock.monotonicMs() });
    return mail;
  };
  return async (change, signal) => {
    const [userMail, reviewers] = await Promise.all([
      authorMail(change.user, signal),
      readSoftly(client, { name: 'reviews', flags: ['-c', String(change.number)], operands: [] }, signal),
    ]);
    const reviewerMails = reviewers
      .map((fields) => mailAddress(fieldText(fields, 'email')))
      .filter((mail) => mail !== null);
    return { userMail, reviewerMails: [...new Set(reviewerMails)] };
  };
}

const soft = new Set(['P4_PERMISSION_DENIED', 'P4_USER_NOT_FOUND']);

/** No records where the server withholds them. */
async function readSoftly(client: P4Client, command: P4Command, signal: AbortSignal): Promise<readonly P4Fields[]> {
  try {
    return await readRecords(client, command, { signal, onWarning: (_message, error) => soft.has(error.code) });
  } catch (error) {
    if (isCriticizerError(error) && soft.has(error.code)) return [];
    throw error;
  }
}

/**
 * The address of `ann@example.com` or `Ann <ann@example.com>`; only what can be an address at all, the
 * mailer's own checks follow.
 */
function mailAddress(text: string | null): string | null {
  const address = (/^[^<>]*<([^<>]+)>\s*$/.exec(text ?? '')?.[1] ?? text ?? '').trim();
  const isAddress = address.length <= 254 && /^[^\s<>(),;:"\\@\p{Cc}]+@[^\s<>(),;:"\\@\p{Cc}]+$/u.test(address);
  return isAddress ? address : null;
}
