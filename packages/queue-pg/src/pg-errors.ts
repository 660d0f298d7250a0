import { CriticizerError, type FailureCategory, isCriticizerError } from '@criticizer/core';

interface NativeError extends Error {
  code?: unknown;
  constraint?: unknown;
  table?: unknown;
}

/** By SQLSTATE, the longest prefix first. */
const bySqlState: readonly { prefix: string; code: string; category: FailureCategory }[] = [
  { prefix: '40001', code: 'PG_SERIALIZATION_FAILURE', category: 'conflict' },
  { prefix: '40P01', code: 'PG_DEADLOCK', category: 'conflict' },
  { prefix: '42501', code: 'PG_FORBIDDEN', category: 'auth' },
  { prefix: '55P03', code: 'PG_LOCK_TIMEOUT', category: 'conflict' },
  { prefix: '57P', code: 'PG_CONNECTION', category: 'network' },
  { prefix: '57014', code: 'PG_CANCELED', category: 'upstream' },
  { prefix: '25P02', code: 'PG_TX_ABORTED', category: 'conflict' },
  { prefix: '25006', code: 'PG_READ_ONLY', category: 'upstream' },
  { prefix: '08', code: 'PG_CONNECTION', category: 'network' },
  { prefix: '22', code: 'PG_DATA', category: 'validation' },
  { prefix: '23', code: 'PG_CONSTRAINT', category: 'conflict' },
  { prefix: '28', code: 'PG_AUTH', category: 'auth' },
  { prefix: '53', code: 'PG_RESOURCES', category: 'upstream' },
  { prefix: '58', code: 'PG_IO', category: 'upstream' },
];

const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOENT',
]);
/** What pg and its pool say without a code: the connection broke, or none was free or made in the time the host allows. */
const outageMessage =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|timeout expired|Query read timeout)/;

/** The SQLSTATE of a driver's error; undefined for anything else. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NativeError).code : undefined;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code) ? code : undefined;
}

/** True where the transaction was rolled back for another's sake and may simply run again. */
export function isRepeatable(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === '40001' || state === '40P01';
}

function lostConnection(error: Error): boolean {
  const { code } = error as NativeError;
  return (typeof code === 'string' && socketCodes.has(code)) || outageMessage.test(error.message);
}

/** True for a mapped error that tells of a lost or refused connection: the server restarts, say, or the pool is busy for longer than its host waits. */
export function isOutage(error: unknown): boolean {
  return isCriticizerError(error) && error.code === 'PG_CONNECTION';
}

/**
 * A driver's error as a `CriticizerError`; anything else as it is. PostgreSQL's messages and details may quote values, so neither they nor
 * the native error travel with it, but for lost connections and for rollbacks for another's sake, which the host's own retry may look for.
 */
export function pgError(error: unknown): unknown {
  if (!(error instanceof Error) || isCriticizerError(error)) return error;
  const sqlState = sqlStateOf(error);
  if (sqlState === undefined) {
    if (!lostConnection(error)) return error;
    return new CriticizerError('PG_CONNECTION', 'The connection to PostgreSQL failed.', { category: 'network', cause: error });
  }
  const { code, category } = bySqlState.find(({ prefix }) => sqlState.startsWith(prefix)) ?? { code: 'PG_ERROR', category: 'bug' as const };
  const { constraint, table } = error as NativeError;
  const details = {
    sqlState,
    ...(typeof constraint === 'string' ? { constraint } : {}),
    ...(typeof table === 'string' ? { table } : {}),
  };
  const cause = isRepeatable(error) ? error : undefined;
  return new CriticizerError(code, `PostgreSQL refused with SQLSTATE ${sqlState}.`, { category, details, cause });
}

/** What a statement must have given and did not: a bug here, or a schema that somebody changed. */
export function storeInvariant(message: string): CriticizerError {
  return new CriticizerError('STORE_INVARIANT', message, { category: 'bug' });
}
