import type { RedactedChange } from '../../changes/redacted-change.js';
import type { RedactionSession, Redactor } from '../../foundation/redactor.js';

/** Redacts a model's texts about one change: summaries, findings, keys, values in diagnostics. */
export interface ReplyRedaction {
  /**
   * Marks of the change stand as they are. A value that the change does not have gets a mark of its
   * own, the same in every text. Any other numbered mark, which the model made up, loses its
   * number. A second pass changes nothing. Throws what the redactor throws.
   */
  redact(text: string): string;
}

const NUMBERED_MARK = /\[REDACTED:([a-z0-9-]{1,48}):([0-9]{1,9})\]/g;
const UNNUMBERED_MARK = '[REDACTED]';
/** Added to the numbers of known marks while a text is redacted, to keep them apart from the session's own marks. */
const KNOWN = 500_000_000;

/** The marks that stand in the change, and the greatest number of each rule. */
function collectMarks(change: RedactedChange): { marks: Set<string>; last: Map<string, number> } {
  const marks = new Set<string>();
  const last = new Map<string, number>();
  for (const [mark, rule = '', digits] of JSON.stringify(change).matchAll(NUMBERED_MARK)) {
    marks.add(mark);
    last.set(rule, Math.max(last.get(rule) ?? 0, Number(digits)));
  }
  return { marks, last };
}

/**
 * One redaction for all replies about `change`, continuing the change's numbers:
 * `[REDACTED:rule:2]` in a reply is the value that the change hides under it, and no other (ruling
 * R15). Marks of another shape than `[REDACTED:<rule>:<number>]` are used as the redactor gives
 * them.
 */
export function createReplyRedaction(redactor: Redactor, change: RedactedChange): ReplyRedaction {
  let session: RedactionSession | undefined;
  let known: ReturnType<typeof collectMarks> | undefined;
  return {
    redact(text) {
      session ??= redactor.session();
      known ??= collectMarks(change);
      const { marks, last } = known;
      const shifted = text.replace(NUMBERED_MARK, (mark, rule: string, digits: string) =>
        marks.has(mark) ? `[REDACTED:${rule}:${Number(digits) + KNOWN}]` : UNNUMBERED_MARK,
      );
      return session.redact(shifted).text.replace(NUMBERED_MARK, (_, rule: string, digits: string) => {
        const number = Number(digits);
        const own = number > KNOWN ? number - KNOWN : number + (last.get(rule) ?? 0);
        const mark = `[REDACTED:${rule}:${own}]`;
        marks.add(mark);
        return mark;
      });
    },
  };
}
