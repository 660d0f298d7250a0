import { type FailureCategory, isCriticizerError } from './errors.js';
import { isStorable } from './storable-text.js';

/** One row of the failure table (ERR-1) with what a retry needs to know. */
export interface ClassifiedFailure {
  /** Stable class; the dead letter's `error_class`. */
  code: string;
  category: FailureCategory;
  retryable: boolean;
  /** See `CriticizerError.parks`. */
  parks: boolean;
  retryAfterMs: number | undefined;
}

const retryableCategories: ReadonlySet<FailureCategory> = new Set(['network', 'rate_limit', 'upstream', 'conflict']);

/** System and undici codes that mean the network, by class. Adapters map their own errors; these are what slips through from Node itself. */
const networkCodes: Readonly<Record<string, string>> = {
  ECONNRESET: 'NETWORK_RESET',
  ECONNREFUSED: 'NETWORK_REFUSED',
  ECONNABORTED: 'NETWORK_RESET',
  EPIPE: 'NETWORK_RESET',
  ETIMEDOUT: 'NETWORK_TIMEOUT',
  ENETUNREACH: 'NETWORK_UNREACHABLE',
  EHOSTUNREACH: 'NETWORK_UNREACHABLE',
  ENOTFOUND: 'NETWORK_DNS',
  EAI_AGAIN: 'NETWORK_DNS',
  UND_ERR_CONNECT_TIMEOUT: 'NETWORK_TIMEOUT',
  UND_ERR_HEADERS_TIMEOUT: 'NETWORK_TIMEOUT',
  UND_ERR_BODY_TIMEOUT: 'NETWORK_TIMEOUT',
  UND_ERR_SOCKET: 'NETWORK_RESET',
};

const classified = (code: string, category: FailureCategory, rest: Partial<ClassifiedFailure> = {}): ClassifiedFailure => ({
  code,
  category,
  retryable: retryableCategories.has(category),
  parks: false,
  retryAfterMs: undefined,
  ...rest,
});

function field(error: unknown, name: 'code' | 'name' | 'cause'): unknown {
  try {
    return typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[name] : undefined;
  } catch {
    return undefined; // a getter that throws tells nothing
  }
}

/** A code is a row's key to what happened: one that no store could hold is as good as none. */
function storableCode(code: unknown): string {
  return typeof code === 'string' && code.length > 0 && code.length <= 512 && isStorable(code) ? code : 'UNEXPECTED';
}

/**
 * Puts any thrown value into the failure table (ERR-1). Typed errors say themselves what they are; what is unknown is a bug:
 * non-retryable, dead letter, page. Follows `cause` to find a network error that was wrapped.
 */
export function classifyFailure(error: unknown): ClassifiedFailure {
  for (let at = error, depth = 0; at !== undefined && at !== null && depth < 8; at = field(at, 'cause'), depth++) {
    if (isCriticizerError(at)) return classified(storableCode(at.code), at.category, { parks: at.parks, retryAfterMs: at.retryAfterMs });
    const code = field(at, 'code');
    const network = typeof code === 'string' ? networkCodes[code] : undefined;
    if (network !== undefined) return classified(network, 'network');
    const name = field(at, 'name');
    if (name === 'ZodError' || name === '$ZodError') return classified('SCHEMA_INVALID', 'validation');
    if (name === 'TimeoutError') return classified('NETWORK_TIMEOUT', 'network');
    if (name === 'AbortError') return classified('ABORTED', 'conflict');
    if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EMFILE' || code === 'ENFILE') return classified('HOST_RESOURCES', 'upstream');
  }
  return classified('UNEXPECTED', 'bug');
}
