// Finds the row of the failure table (ERR-1) for an error of Node, a driver or another SDK.
import {
  credentialRows,
  denied,
  type FailureRow,
  isPgOutageMessage,
  libraryRows,
  malformed,
  nameRows,
  networkFailureRow,
  pgConnection,
  quota,
  readRow,
  reset,
  sqliteRow,
  sqlStateRow,
  throttled,
  throttlingName,
  wrapperRows,
} from './failure-rows.js';
import { classifyStatus } from './http-failure.js';
import { parseRetryAfter } from './retry-after.js';

/** A property of anything; undefined where there is none and where reading it throws, as a revoked proxy does. */
export function readField(value: unknown, name: string): unknown {
  try {
    const holds = (typeof value === 'object' && value !== null) || typeof value === 'function';
    return holds ? (value as Record<string, unknown>)[name] : undefined;
  } catch {
    return undefined;
  }
}

/** A failure of another's making with what its answer asked for. */
export interface ForeignFailure extends FailureRow {
  retryAfterMs?: number | undefined;
}

/**
 * Headers as a plain lower-case record: of a `Headers`, an AxiosHeaders or a plain object; only
 * those about waiting.
 */
function readWaitHeaders(headers: unknown): Record<string, string | undefined> {
  const read = (name: string): string | undefined => {
    const get = readField(headers, 'get');
    try {
      if (typeof get === 'function') return String(get.call(headers, name) ?? '') || undefined;
      const key =
        typeof headers === 'object' && headers !== null
          ? Object.keys(headers).find((k) => k.toLowerCase() === name)
          : undefined;
      const value = key === undefined ? undefined : readField(headers, key);
      return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
    } catch {
      return undefined;
    }
  };
  return { 'retry-after': read('retry-after'), 'retry-after-ms': read('retry-after-ms') };
}

/**
 * The answer's status, wherever undici, axios, got, ky and the SDKs of AWS, OpenAI and Anthropic
 * keep it; undefined for what is none.
 */
function readStatus(error: unknown): number | undefined {
  const response = readField(error, 'response');
  const places = [
    readField(error, 'status'),
    readField(error, 'statusCode'),
    readField(readField(error, '$metadata'), 'httpStatusCode'),
    readField(response, 'status'),
    readField(response, 'statusCode'),
  ];
  // Exit statuses of processes stand under the same name, and end at 255.
  return places.find(
    (status): status is number => Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599,
  );
}

function readRetryAfter(error: unknown, nowMs: number): number | undefined {
  const holders = [error, readField(error, 'response'), readField(error, '$response')];
  const waits = holders.map((holder) => parseRetryAfter(readWaitHeaders(readField(holder, 'headers')), nowMs));
  return waits.find((wait) => wait !== undefined);
}

/** Nodemailer's reply code: 4xx may be tried again, 5xx is a refusal. */
function smtpRow(error: unknown, code: string): FailureRow | undefined {
  const reply = readField(error, 'responseCode');
  if (typeof reply !== 'number' || reply < 400 || reply > 599) return undefined;
  if (reply < 500) return { code: 'SMTP_UNAVAILABLE', category: 'upstream' };
  if (code === 'EAUTH') return denied;
  if (code === 'EENVELOPE') return { code: 'SMTP_RECIPIENT_REFUSED', category: 'policy' };
  return { code: 'SMTP_MESSAGE_REFUSED', category: 'policy' };
}

function codeRow(error: unknown, code: string): FailureRow | undefined {
  const errcode = readField(error, 'errcode');
  if (code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number') return sqliteRow(errcode);
  if (code.startsWith('SQLITE_')) return sqliteRow(code);
  if (/^HPE_/.test(code)) return malformed;
  if (/^(?=.*\d)[0-9A-Z]{5}$/.test(code)) return sqlStateRow(code);
  return networkFailureRow(code) ?? readRow(libraryRows, code);
}

function readNames(error: unknown): string[] {
  // A class need not set the name of its instances; not every SDK does.
  const ownClass = readField(error, 'constructor');
  return [readField(error, 'name'), readField(ownClass, 'name')].filter(
    (name): name is string => typeof name === 'string' && name !== '',
  );
}

/**
 * What this one error says of itself, its causes aside: first what its body names (a spent quota,
 * throttling), then the answer's status, then its code, then its name. `nowMs` is what a
 * `Retry-After` date is measured from.
 */
export function foreignFailure(error: unknown, nowMs: number): ForeignFailure | undefined {
  const native = readField(error, 'code');
  const code = typeof native === 'string' ? native : '';
  const names = readNames(error);
  const retryAfterMs = readRetryAfter(error, nowMs);
  if (readRow(libraryRows, code) === quota) return quota;
  if (names.some((name) => throttlingName.test(name))) return { ...throttled, retryAfterMs };
  const credential = names.find((name) => Object.hasOwn(credentialRows, name));
  if (credential !== undefined) return credentialRows[credential];
  const status = readStatus(error);
  if (status !== undefined) return { ...classifyStatus(status), retryAfterMs };
  const row = smtpRow(error, code) ?? codeRow(error, code);
  if (row !== undefined) return row;
  const name = names.find((candidate) => Object.hasOwn(nameRows, candidate));
  return name === undefined ? undefined : nameRows[name];
}

/**
 * What an error says that carries neither code nor status: its class where it wraps, its message
 * where a driver has nothing else.
 */
export function vagueFailure(error: unknown): ForeignFailure | undefined {
  const wrapper = readNames(error).find((candidate) => Object.hasOwn(wrapperRows, candidate));
  if (wrapper !== undefined) return wrapperRows[wrapper];
  const message = readField(error, 'message');
  if (typeof message !== 'string') return undefined;
  if (isPgOutageMessage(message)) return pgConnection;
  return message === 'fetch failed' || message === 'terminated' || message === 'Premature close' ? reset : undefined;
}
