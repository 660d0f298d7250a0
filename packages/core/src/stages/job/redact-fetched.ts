import type { Change } from '../../changes/change.js';
import { redactChange } from '../../changes/redact-change.js';
import type { RedactedChange } from '../../changes/redacted-change.js';
import { CriticizerError, isCriticizerError } from '../../foundation/errors.js';
import type { Redactor } from '../../foundation/redactor.js';

/**
 * The redacted form of a change just fetched. A rule that throws stops the review, and what it
 * threw is not kept: it may quote the text (RED-10).
 */
export function redactFetched(redactor: Redactor, change: Change): RedactedChange {
  try {
    return redactChange(change, redactor.session(), redactor.rules);
  } catch (error) {
    if (isCriticizerError(error)) throw error;
    throw new CriticizerError('REDACTION_FAILED', 'A redaction rule failed; the change is not reviewed.', {
      category: 'policy',
    });
  }
}
