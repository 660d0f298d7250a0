import { isPgOutageMessage, networkFailureRow, sqlStateRow } from '@criticizer/core/internal';
import { CriticizerError, type FailureClassifier, isCriticizerError } from '@criticizer/core/ports';

interface NativeError extends Error {
  code?: unknown;
  constraint?: unknown;
  table?: unknown;
}

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
  // ENOENT: the Unix socket is not there while the server restarts.
  const isSocketCode = typeof code === 'string' && (code === 'ENOENT' || networkFailureRow(code) !== undefined);
  return isSocketCode || isPgOutageMessage(error.message);
}

/**
 * True for a mapped error that tells of a lost, silent or refused connection: the server restarts,
 * say, or the pool is busy for longer than its host waits. Whether the statement was run is not
 * known.
 */
export function isOutage(error: unknown): boolean {
  return isCriticizerError(error) && (error.code === 'PG_CONNECTION' || error.code === 'PG_TIMEOUT');
}

/** What a log may say of an outage: its code, and the SQLSTATE or the socket's own code. */
export function outageFacts(error: unknown): { code: string; sqlState?: string; socket?: string } {
  if (!isCriticizerError(error)) return { code: 'UNKNOWN' };
  const { sqlState } = error.details;
  const socket = (error.cause as NativeError | undefined)?.code;
  return {
    code: error.code,
    ...(typeof sqlState === 'string' ? { sqlState } : {}),
    ...(typeof socket === 'string' && networkFailureRow(socket) !== undefined ? { socket } : {}),
  };
}

/**
 * A driver's error as a `CriticizerError`; anything else as it is. PostgreSQL's messages and
 * details may quote values, so neither they nor the native error travel with it, but for lost
 * connections and for rollbacks for another's sake, which the host's own retry may look for.
 */
export function pgError(error: unknown): unknown {
  if (!(error instanceof Error) || isCriticizerError(error)) return error;
  const sqlState = sqlStateOf(error);
  if (sqlState === undefined) {
    if (!lostConnection(error)) return error;
    return new CriticizerError('PG_CONNECTION', 'The connection to PostgreSQL failed.', {
      category: 'network',
      cause: error,
    });
  }
  const { code, category } = sqlStateRow(sqlState) ?? { code: 'PG_ERROR', category: 'bug' as const };
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

/**
 * Rows of the failure table for raw errors of `pg` and other drivers that give a SQLSTATE, for
 * `classify` of a worker or your own code: all that the built-in table knows, `PG_ERROR` (bug) for
 * a SQLSTATE without a row of its own. Undefined for anything else.
 */
export const classifyPgFailure: FailureClassifier = (cause) => {
  const mapped = pgError(cause);
  return mapped !== cause && isCriticizerError(mapped) ? { code: mapped.code, category: mapped.category } : undefined;
};
