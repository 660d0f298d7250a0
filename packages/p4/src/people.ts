import { isCriticizerError } from '@criticizer/core';
import type { P4Client } from './p4-client.js';
import type { P4Command } from './p4-command.js';
import { fieldText, type P4Fields } from './p4-output.js';
import { isP4UserName } from './p4-port.js';

/** Mail addresses the server holds for a change. */
export interface ChangePeople {
  userMail: string | null;
  reviewerMails: string[];
}

/**
 * The author's address from the user table and the addresses of `reviews -c`. Soft only where the server withholds them: no permission,
 * no such user. `users` is asked, as `user -o` invents a form, address included, for names that do not exist.
 */
export async function readPeople(client: P4Client, change: { number: number; user: string }, signal: AbortSignal): Promise<ChangePeople> {
  const [users, reviewers] = await Promise.all([
    isP4UserName(change.user) ? readRecords(client, { name: 'users', flags: [], operands: [change.user] }, signal) : [],
    readRecords(client, { name: 'reviews', flags: ['-c', String(change.number)], operands: [] }, signal),
  ]);
  const author = users.find((fields) => fieldText(fields, 'User')?.toLowerCase() === change.user.toLowerCase());
  const userMail = author === undefined ? null : mailAddress(fieldText(author, 'Email'));
  const reviewerMails = reviewers.map((fields) => mailAddress(fieldText(fields, 'email'))).filter((mail) => mail !== null);
  return { userMail, reviewerMails: [...new Set(reviewerMails)] };
}

const soft = new Set(['P4_PERMISSION_DENIED', 'P4_USER_NOT_FOUND']);

async function readRecords(client: P4Client, command: P4Command, signal: AbortSignal): Promise<P4Fields[]> {
  const records: P4Fields[] = [];
  try {
    await client.run(command, {
      signal,
      onOutput(output) {
        if (output.kind === 'stat') records.push(output.fields);
      },
      onWarning: (_message, error) => soft.has(error.code),
    });
  } catch (error) {
    if (isCriticizerError(error) && soft.has(error.code)) return [];
    throw error;
  }
  return records;
}

/** Only what can be an address at all; the mailer's own checks follow. */
function mailAddress(text: string | null): string | null {
  return text !== null && text.length <= 254 && /^[^\s<>(),;:"\\@\p{Cc}]+@[^\s<>(),;:"\\@\p{Cc}]+$/u.test(text) ? text : null;
}
