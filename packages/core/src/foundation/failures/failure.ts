import { type FailureCategory, isCriticizerError } from '../errors.js';
import { isStorable } from '../storable-text.js';
import { systemClock } from '../time/system-clock.js';
import { foreignFailure, readField, vagueFailure } from './foreign-failures.js';

/** One row of the failure table (ERR-1) with what a retry needs to know. */
export interface ClassifiedFailure {
  /** Stable class; the dead letter's `error_class`. */
  code: string;
  category: FailureCategory;
  retryable: boolean;
  /** See `CriticizerError.parks`. */
  parks: boolean;
  /** What the upstream asked for, in milliseconds from now: 0 to `maxRetryAfterMs`. */
  retryAfterMs: number | undefined;
}

/**
 * What a host says of an error: the category decides `retryable` where that is absent; `parks` is
 * false and `retryAfterMs` absent by default.
 */
export type HostClassification = Pick<ClassifiedFailure, 'code' | 'category'> & Partial<ClassifiedFailure>;

/**
 * A host's own rows of the failure table, for errors that this SDK cannot know. Called with the
 * error and then with each of its causes, but never with a `CriticizerError`, which says itself
 * what it is; undefined leaves the error to the built-in table. What it throws, and an answer with
 * an unknown category, count as undefined.
 */
export type FailureClassifier = (cause: unknown) => HostClassification | undefined;

/**
 * A wish beyond this is no wish: a day, in milliseconds. `ERR-3` caps what a retry waits far below;
 * a parked stage waits as long as this at most.
 */
export const maxRetryAfterMs = 86_400_000;

const retryableByCategory: Readonly<Record<FailureCategory, boolean>> = {
  network: true,
  rate_limit: true,
  upstream: true,
  conflict: true,
  validation: false,
  auth: false,
  not_found: false,
  policy: false,
  bug: false,
};

/** Whether waiting may help: what a failure of this category is unless it says otherwise. */
export function isRetryable(category: FailureCategory): boolean {
  return retryableByCategory[category];
}

/** True for one of the nine categories of the failure table (ERR-1). */
export function isCategory(value: unknown): value is FailureCategory {
  return typeof value === 'string' && Object.hasOwn(retryableByCategory, value);
}

/** Not a number, below 0 and no number at all are as if absent; what is too large is cut. */
function boundedWait(retryAfterMs: unknown): number | undefined {
  if (typeof retryAfterMs !== 'number' || !(retryAfterMs >= 0)) return undefined;
  return Math.min(Math.ceil(retryAfterMs), maxRetryAfterMs);
}

/** A code is a row's key to what happened: one that no store could hold is as good as none. */
function storableCode(code: unknown): string {
  return typeof code === 'string' && code.length > 0 && code.length <= 512 && isStorable(code) ? code : 'UNEXPECTED';
}

function classified(
  code: unknown,
  category: FailureCategory,
  rest: Partial<Record<keyof ClassifiedFailure, unknown>> = {},
): ClassifiedFailure {
  const known = isCategory(category) ? category : 'bug';
  return {
    code: storableCode(code),
    category: known,
    retryable: typeof rest.retryable === 'boolean' ? rest.retryable : retryableByCategory[known],
    parks: rest.parks === true,
    retryAfterMs: boundedWait(rest.retryAfterMs),
  };
}

/** What nobody knows. */
const unclassified = (): ClassifiedFailure => classified('UNEXPECTED', 'bug');

function askHost(classify: FailureClassifier | undefined, cause: unknown): ClassifiedFailure | undefined {
  try {
    const answer = classify?.(cause);
    if (answer === undefined || answer === null || !isCategory(answer.category)) return undefined;
    return classified(answer.code, answer.category, answer);
  } catch {
    return undefined; // a classifier's own fault must not hide the failure
  }
}

/** The error and its causes, outermost first; a circle ends. */
function chainOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let at = error; at !== undefined && at !== null && chain.length < 8; at = readField(at, 'cause')) chain.push(at);
  return chain;
}

interface Asking {
  classify: FailureClassifier | undefined;
  nowMs: number;
}

/**
 * What one error says; of several in one (`AggregateError`) the gravest: what no retry cures, else
 * the one that waits longest.
 */
function classifyOne(at: unknown, asking: Asking, depth: number): ClassifiedFailure | undefined {
  if (isCriticizerError(at)) {
    const { parks, retryAfterMs } = at;
    return classified(at.code, at.category, { parks, retryAfterMs });
  }
  const own = askHost(asking.classify, at) ?? foreign(foreignFailure(at, asking.nowMs));
  if (own !== undefined) return own;
  const errors = readField(at, 'errors');
  if (depth >= 3 || !Array.isArray(errors) || errors.length === 0) return undefined;
  const inner = errors.slice(0, 32).map((error) => classifyChain(error, asking, depth + 1));
  const final = inner.find(({ category }) => category === 'bug') ?? inner.find(({ retryable }) => !retryable);
  return final ?? inner.reduce((a, b) => ((b.retryAfterMs ?? 0) > (a.retryAfterMs ?? 0) ? b : a));
}

function foreign(found: ReturnType<typeof foreignFailure>): ClassifiedFailure | undefined {
  return found === undefined ? undefined : classified(found.code, found.category, { retryAfterMs: found.retryAfterMs });
}

function classifyChain(error: unknown, asking: Asking, depth: number): ClassifiedFailure {
  const chain = chainOf(error);
  for (const at of chain) {
    const found = classifyOne(at, asking, depth);
    if (found !== undefined) return found;
  }
  for (const at of chain) {
    const found = foreign(vagueFailure(at));
    if (found !== undefined) return found;
  }
  return unclassified();
}

/** What `classifyFailure` may ask: the host's own classifier, a redactor for messages, the time. */
export interface ClassifyOptions {
  /** The host's own rows, see `FailureClassifier`. */
  classify?: FailureClassifier | undefined;
  /**
   * Given, a code that it changes quotes a secret and is `UNEXPECTED` instead (ERR-8): a code
   * stands in rows, metrics and logs as it is.
   */
  redactText?: ((text: string) => string) | undefined;
  /** What a `Retry-After` date is measured from, in milliseconds since the epoch. Default: the host's clock. */
  nowMs?: number | undefined;
}

function quotesSecret(code: string, redactText: ClassifyOptions['redactText']): boolean {
  try {
    if (redactText === undefined || redactText(code) === code) return false;
    // A redactor that withholds every text says nothing about this one: a word that looks like a
    // code then counts as one.
    return redactText('UNEXPECTED') === 'UNEXPECTED' || !/^[A-Z][A-Z0-9_]{0,63}$/.test(code);
  } catch {
    return true; // text that cannot be redacted is withheld
  }
}

/**
 * Puts any thrown value into the failure table (ERR-1): a `CriticizerError` says itself what it is;
 * then the host's `classify`, then the built-in rows for Node, undici, axios, PostgreSQL, SQLite,
 * nodemailer and the SDKs of AWS and model providers, on the error and its causes. What nobody
 * knows is a bug: not retryable, dead letter, page. Never throws.
 */
export function classifyFailure(
  error: unknown,
  { classify, redactText, nowMs = systemClock.nowMs() }: ClassifyOptions = {},
): ClassifiedFailure {
  try {
    const failure = classifyChain(error, { classify, nowMs }, 0);
    return quotesSecret(failure.code, redactText) ? { ...failure, code: 'UNEXPECTED' } : failure;
  } catch {
    return unclassified(); // a revoked proxy, a getter that throws: whatever it was, it is no known failure
  }
}
