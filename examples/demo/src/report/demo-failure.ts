import { isCriticizerError, type Logger } from '@criticizer/core';
import { UsageError } from '../settings/usage-error.js';

const wayOut = 'Fix it, start over with --fresh, or choose another folder with --state DIR.';
const waysOut: readonly [RegExp, string][] = [
  [/^PG_/, 'Look at the PostgreSQL that DATABASE_URL names.'],
  [/^AUTH_DENIED$/, 'Look at the key in the file that LLM_KEY_FILE names.'],
  [/^SMTP_(CLIENT|SENDER)_REFUSED$/, 'Look at SMTP_URL: the server wants a login, or another sender.'],
  [/^SMTP_AUTH$/, 'Look at the user in SMTP_URL and the password in the file that SMTP_PASSWORD_FILE names.'],
];
const wayOutOf = (code: string): string => waysOut.find(([codes]) => codes.test(code))?.[1] ?? wayOut;

const oneLine = (text: string): string => text.trim().replace(/\s*\n\s*/g, '; ');
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/**
 * One line for a person of whatever stopped the demo: the code, what happened, what to do. Null for
 * what is no setting but a bug.
 */
export function complaintOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof UsageError) return oneLine(error.message);
  if (isCriticizerError(error)) {
    const facts = Object.entries(error.details).map(
      ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    const about = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
    return `${error.code}: ${oneLine(sentence(`${error.message.replace(/^SQLite:/, 'queue.sqlite:').replace(/\.$/, '')}${about}`))} ${wayOutOf(error.code)}`;
  }
  if (error instanceof TypeError)
    return `${sentence(oneLine(error.message))} Correct it in examples/demo/src/review-service.ts.`;
  // Of Node and of SQLite: both begin with or carry a stable code.
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string') return null;
  const message = oneLine(error.message);
  return `${sentence(message.startsWith(code) ? message : `${code}: ${message}`)} ${wayOut}`;
}

/**
 * What waiting does not cure on one's own machine: a full disk, a broken database, a lost key or
 * right, a refused login.
 */
const lasting =
  /^(SQLITE_(?!BUSY|LOCKED)|PG_(AUTH|FORBIDDEN|READ_ONLY)$|ARTIFACT_STORE_|KEY_|SECRET_|AUTH_DENIED$|SMTP_(AUTH|CLIENT_REFUSED|SENDER_REFUSED)$|E(NOSPC|DQUOT|ROFS|IO)$)/;

export interface TroubleWatch {
  logger: Logger;
  /** Throws `UsageError` once the service has logged a failure that lasts: in a demo nobody comes and repairs it. */
  check(): void;
}

/** The service retries whatever might pass; the demo's person would look at a still screen. */
export function createTroubleWatch(): TroubleWatch {
  let complaint: string | undefined;
  const look = (fields: object, text: string): void => {
    const { code, message } = fields as { code?: unknown; message?: unknown };
    if (typeof code === 'string' && lasting.test(code))
      complaint ??= `${code}: ${sentence(oneLine(typeof message === 'string' ? message : text))} ${wayOutOf(code)}`;
  };
  const nothing = (): void => undefined;
  return {
    logger: { debug: nothing, info: nothing, warn: look, error: look },
    check() {
      if (complaint !== undefined) throw new UsageError(complaint);
    },
  };
}
