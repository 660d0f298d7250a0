/**
 * What a log may say of any error without redaction: its name and stable code. Messages may quote
 * what must not be logged (SEC-3).
 */
export function errorFacts(error: unknown): { error: string; code: string } {
  try {
    const { name, code } = error as { name?: unknown; code?: unknown };
    const known = typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code);
    return {
      error: typeof name === 'string' && /^\w{1,64}$/.test(name) ? name : 'Error',
      code: known ? String(code) : 'UNKNOWN',
    };
  } catch {
    return { error: 'Error', code: 'UNKNOWN' }; // nothing was thrown, or a getter throws
  }
}
