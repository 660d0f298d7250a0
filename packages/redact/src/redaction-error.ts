/**
 * `REDACTION_RULE_FAILED`: a rule threw while a text was read. `REDACTION_RULE_INVALID`:
 * `defineRule` refused a rule.
 */
export type RedactionErrorCode = 'REDACTION_RULE_FAILED' | 'REDACTION_RULE_INVALID';

/**
 * Redaction failed and the text must not leave (RED-10), or a rule is refused. Match on `code`,
 * which is stable within a major version. Holds neither the text nor the cause's message in its
 * own, so that printing it leaks nothing of either.
 */
export class RedactionError extends Error {
  readonly code: RedactionErrorCode;

  constructor(code: RedactionErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause: cause instanceof Error ? cause.name : typeof cause });
    this.name = 'RedactionError';
    this.code = code;
  }
}
