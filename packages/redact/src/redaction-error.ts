/**
 * Redaction failed and the text must not leave (RED-10). Match on `code`, which is stable within a major version. Holds neither the text
 * nor the cause's message in its own, so that printing it leaks nothing of either.
 */
export class RedactionError extends Error {
  readonly code: 'REDACTION_RULE_FAILED';

  constructor(code: 'REDACTION_RULE_FAILED', message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause: cause instanceof Error ? cause.name : typeof cause });
    this.name = 'RedactionError';
    this.code = code;
  }
}
