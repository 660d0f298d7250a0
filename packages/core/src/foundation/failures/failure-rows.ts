// The failure table (ERR-1) by the codes, names and messages of Node, drivers and SDKs.
import type { ErrorCode } from '../error-codes.js';
import type { FailureCategory } from '../errors.js';

/** One row: our stable code and the failure table's category. */
export interface FailureRow {
  code: ErrorCode;
  category: FailureCategory;
}

export const reset: FailureRow = { code: 'NETWORK_RESET', category: 'network' };
const refused: FailureRow = { code: 'NETWORK_REFUSED', category: 'network' };
const unreachable: FailureRow = { code: 'NETWORK_UNREACHABLE', category: 'network' };
const dns: FailureRow = { code: 'NETWORK_DNS', category: 'network' };
const timeout: FailureRow = { code: 'NETWORK_TIMEOUT', category: 'network' };
const tls: FailureRow = { code: 'NETWORK_TLS', category: 'network' };
const aborted: FailureRow = { code: 'ABORTED', category: 'conflict' };
export const denied: FailureRow = { code: 'AUTH_DENIED', category: 'auth' };
export const throttled: FailureRow = { code: 'RATE_LIMITED', category: 'rate_limit' };
export const quota: FailureRow = { code: 'LLM_QUOTA_EXHAUSTED', category: 'policy' };
const hostResources: FailureRow = { code: 'HOST_RESOURCES', category: 'upstream' };
export const malformed: FailureRow = { code: 'HTTP_MALFORMED', category: 'upstream' };
const upstream: FailureRow = { code: 'UPSTREAM_ERROR', category: 'upstream' };
export const pgConnection: FailureRow = { code: 'PG_CONNECTION', category: 'network' };

/** By `error.code` of the operating system, c-ares, Node's streams and undici. */
const networkRows: Readonly<Record<string, FailureRow>> = {
  ECONNRESET: reset,
  ECONNABORTED: reset,
  ENETRESET: reset,
  EPIPE: reset,
  ERR_STREAM_PREMATURE_CLOSE: reset,
  ERR_SOCKET_CLOSED: reset,
  ERR_SOCKET_CLOSED_BEFORE_CONNECTION: reset,
  ERR_HTTP2_STREAM_ERROR: reset,
  ERR_HTTP2_SESSION_ERROR: reset,
  ERR_HTTP2_GOAWAY_SESSION: reset,
  UND_ERR_SOCKET: reset,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: reset,
  ECONNREFUSED: refused,
  ENETUNREACH: unreachable,
  ENETDOWN: unreachable,
  EHOSTUNREACH: unreachable,
  EHOSTDOWN: unreachable,
  EADDRNOTAVAIL: unreachable,
  ENOTFOUND: dns,
  EAI_AGAIN: dns,
  EAI_FAIL: dns,
  EAI_NODATA: dns,
  EAI_NONAME: dns,
  ENODATA: dns,
  ESERVFAIL: dns,
  EREFUSED: dns,
  EBADRESP: dns,
  ETIMEOUT: dns,
  ETIMEDOUT: timeout,
  ESOCKETTIMEDOUT: timeout,
  UND_ERR_CONNECT_TIMEOUT: timeout,
  UND_ERR_HEADERS_TIMEOUT: timeout,
  UND_ERR_BODY_TIMEOUT: timeout,
  ERR_SOCKET_CONNECTION_TIMEOUT: timeout,
};

const tlsCode = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|EPROTO$)/;

/** By `error.code` of libraries: axios, nodemailer, mysql2, model providers; and of the host's own resources. */
export const libraryRows: Readonly<Record<string, FailureRow>> = {
  ERR_NETWORK: reset,
  ECONNECTION: reset,
  ESOCKET: reset,
  PROTOCOL_CONNECTION_LOST: reset,
  EDNS: dns,
  ETLS: tls,
  EAUTH: denied,
  ENOAUTH: denied,
  ABORT_ERR: aborted,
  ERR_CANCELED: aborted,
  UND_ERR_ABORTED: aborted,
  UND_ERR_CLOSED: aborted,
  UND_ERR_DESTROYED: aborted,
  ENOSPC: hostResources,
  EDQUOT: hostResources,
  EMFILE: hostResources,
  ENFILE: hostResources,
  ENOMEM: hostResources,
  EAGAIN: hostResources,
  EBUSY: hostResources,
  EIO: hostResources,
  insufficient_quota: quota,
  credit_balance_exhausted: quota,
  billing_hard_limit_reached: quota,
  billing_not_active: quota,
};

/**
 * By the error's name or its class's: what has no code, or a status that says less. AWS throttles
 * with 400 as well as 429.
 */
export const throttlingName =
  /^(Throttl\w+|\w*Throttled(Exception)?|TooManyRequests(Exception)?|RequestLimitExceeded|SlowDown|\w*ThroughputExceeded\w*)$/;
export const nameRows: Readonly<Record<string, FailureRow>> = {
  ZodError: { code: 'SCHEMA_INVALID', category: 'validation' },
  $ZodError: { code: 'SCHEMA_INVALID', category: 'validation' },
  TimeoutError: timeout,
  AbortError: aborted,
  HTTPParserError: malformed,
  RequestTimeout: timeout,
  RequestTimeoutException: timeout,
  ServiceUnavailable: { code: 'UPSTREAM_UNAVAILABLE', category: 'network' },
  ServiceUnavailableException: { code: 'UPSTREAM_UNAVAILABLE', category: 'network' },
  InternalServerException: upstream,
};

/** The same, where a status beside the name says less: AWS answers 400 for a credential that expired. */
export const credentialRows: Readonly<Record<string, FailureRow>> = {
  CredentialsProviderError: denied,
  ExpiredToken: denied,
  ExpiredTokenException: denied,
  UnrecognizedClientException: denied,
};

/** The same for SDKs that wrap: consulted only where no cause of the error says more. */
export const wrapperRows: Readonly<Record<string, FailureRow>> = {
  APIConnectionError: reset,
  APIConnectionTimeoutError: timeout,
  APIUserAbortError: aborted,
};

/**
 * By SQLSTATE, the longest prefix that fits first. One table for the PostgreSQL store and for raw
 * errors of a host's driver.
 */
const sqlStateRows: readonly (FailureRow & { prefix: string })[] = [
  { prefix: '40001', code: 'PG_SERIALIZATION_FAILURE', category: 'conflict' },
  { prefix: '40P01', code: 'PG_DEADLOCK', category: 'conflict' },
  { prefix: '42501', code: 'PG_FORBIDDEN', category: 'auth' },
  { prefix: '55P03', code: 'PG_LOCK_TIMEOUT', category: 'conflict' },
  { prefix: '57014', code: 'PG_CANCELED', category: 'upstream' },
  { prefix: '25P02', code: 'PG_TX_ABORTED', category: 'conflict' },
  { prefix: '25P03', code: 'PG_CONNECTION', category: 'network' },
  { prefix: '25P04', code: 'PG_CONNECTION', category: 'network' },
  { prefix: '25006', code: 'PG_READ_ONLY', category: 'upstream' },
  { prefix: '26000', code: 'PG_CONNECTION', category: 'network' },
  { prefix: '57P', code: 'PG_CONNECTION', category: 'network' },
  { prefix: '08', code: 'PG_CONNECTION', category: 'network' },
  { prefix: '22', code: 'PG_DATA', category: 'validation' },
  { prefix: '23', code: 'PG_CONSTRAINT', category: 'conflict' },
  { prefix: '28', code: 'PG_AUTH', category: 'auth' },
  { prefix: '53', code: 'PG_RESOURCES', category: 'upstream' },
  { prefix: '54', code: 'PG_LIMIT', category: 'validation' },
  { prefix: '58', code: 'PG_IO', category: 'upstream' },
];

/** SQLite's primary result codes by number, as far as policy differs. */
const sqliteRows: Readonly<Record<number, FailureRow>> = {
  3: { code: 'SQLITE_PERM', category: 'auth' },
  5: { code: 'SQLITE_BUSY', category: 'conflict' },
  6: { code: 'SQLITE_LOCKED', category: 'conflict' },
  8: { code: 'SQLITE_READONLY', category: 'auth' },
  10: { code: 'SQLITE_IOERR', category: 'upstream' },
  11: { code: 'SQLITE_CORRUPT', category: 'bug' },
  13: { code: 'SQLITE_FULL', category: 'upstream' },
  14: { code: 'SQLITE_CANTOPEN', category: 'auth' },
  19: { code: 'SQLITE_CONSTRAINT', category: 'conflict' },
  26: { code: 'SQLITE_NOTADB', category: 'bug' },
};

/**
 * What pg and its pool say without a code: the connection broke, or none was free or made in the
 * time the host allows.
 */
const pgOutageMessage =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|timeout expired|Query read timeout)/;

/** The own row under `key`, never one that the prototype lends. */
export function readRow<Row>(rows: Readonly<Record<string, Row>>, key: string): Row | undefined {
  return Object.hasOwn(rows, key) ? rows[key] : undefined;
}

/** The row of a native network or TLS code; undefined for any other. */
export function networkFailureRow(nativeCode: string): FailureRow | undefined {
  return readRow(networkRows, nativeCode) ?? (tlsCode.test(nativeCode) ? tls : undefined);
}

/** The row of a SQLSTATE; undefined where it has none: a bug for whoever wrote the statement. */
export function sqlStateRow(sqlState: string): FailureRow | undefined {
  const found = sqlStateRows.find(({ prefix }) => sqlState.startsWith(prefix));
  return found === undefined ? undefined : { code: found.code, category: found.category };
}

/** True for what pg and its pool say of a lost or unavailable connection, without a code. */
export function isPgOutageMessage(message: string): boolean {
  return pgOutageMessage.test(message);
}

/**
 * The row of a SQLite error: by `errcode` of node:sqlite, or by a name such as better-sqlite3's
 * `SQLITE_BUSY_SNAPSHOT`.
 */
export function sqliteRow(result: number | string): FailureRow | undefined {
  if (typeof result === 'number') return sqliteRows[result & 0xff];
  return Object.values(sqliteRows).find(({ code }) => result.startsWith(code));
}
