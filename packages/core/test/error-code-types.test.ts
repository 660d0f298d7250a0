import { describe, expect, it } from 'vitest';
import { CriticizerError, type ErrorCode, isCriticizerError } from '../src/index.js';

/** What a host does: it switches over the codes that it knows, and keeps a default branch. */
function adviceFor(error: unknown): string {
  if (!isCriticizerError(error)) return 'look at the stack';
  switch (error.code) {
    case 'P4_AUTH_EXPIRED':
    case 'AUTH_DENIED':
      return 'renew the credential';
    case 'LLM_QUOTA_EXHAUSTED':
      return 'pay';
    // @ts-expect-error: no code of ours, so a slip of the pen does not compile
    case 'NETWORK_TIMOUT':
      return 'never';
    default:
      return 'wait';
  }
}

describe('CriticizerError.code', () => {
  it('ERR-7: hosts switch over a union of every code; a part of theirs may throw codes of its own', () => {
    const code: ErrorCode = 'AUTH_DENIED';
    expect(adviceFor(new CriticizerError(code, 'x'))).toBe('renew the credential');
    const own: CriticizerError<'VENDOR_DOWN'> = new CriticizerError('VENDOR_DOWN', 'x');
    expect(adviceFor(own)).toBe('wait');
    // @ts-expect-error: a code of theirs is none of ours
    const ours: CriticizerError = own;
    expect(isCriticizerError(ours)).toBe(true);
  });
});
