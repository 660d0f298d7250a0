import type { Hit } from '../grammar/rule.js';
import { isDigit } from '../lexicon/charset.js';
import type { ResolvedPolicy } from '../policy/resolve-policy.js';
import { rulesFor } from '../rules/rule-set.js';
import { createIsQuiet, type IsQuiet } from '../scan/trigger-scanner.js';
import { MAX_SCANS } from '../session/find-until-stable.js';
import { createPipeline, type Pipeline, type PipelineContext } from '../session/pipeline.js';
import { replaceHits } from '../session/replace-hits.js';
import { maskCardNumbers } from './card-numbers.js';
import { freeTextRules } from './free-text-rules.js';
import { REDACTED } from './masks.js';

/** Texts this short hold no pattern and no mark. */
const SHORTEST = 8;
/** The fewest digits of a card number. */
const CARD_DIGITS = 13;

/**
 * Redacts free text by the patterns of audit section 3 and by the secret rules of this package, in
 * linear time (AUD-6, ruling R4).
 */
export interface FreeText {
  /**
   * True where nothing in the text could be a pattern or a mark of an earlier pass: most texts,
   * decided in one pass over the characters.
   */
  isPlain(text: string): boolean;
  /** The text with secrets replaced by `[REDACTED]` and card numbers masked. Applying it twice changes nothing. */
  redact(text: string): string;
}

/** Builds the redactor of free text for one policy. Its rules are compiled when a text first asks for them. */
export function createFreeText(policy: ResolvedPolicy): FreeText {
  let compiled: CompiledRules | undefined;
  const rules = (): CompiledRules => {
    compiled ??= compile(policy);
    return compiled;
  };
  return {
    isPlain: (text) => text.length < SHORTEST || rules().isQuiet(text),
    redact(text) {
      const { find } = rules();
      let redacted = text;
      for (let scans = 0; scans < MAX_SCANS; scans += 1) {
        const further = maskCards(hideHits(redacted, find(redacted, READING)));
        if (further === redacted) break;
        redacted = further;
      }
      return redacted;
    },
  };
}

interface CompiledRules {
  readonly find: Pipeline;
  readonly isQuiet: IsQuiet;
}

function compile(policy: ResolvedPolicy): CompiledRules {
  const find = createPipeline([...freeTextRules, ...rulesFor(policy)], MARK_HEADS);
  return { find, isQuiet: createIsQuiet(find.automaton, CARD_DIGITS, (text) => maskCards(text) !== text) };
}

/** A log line or an error's message is no source code: what stands unquoted after `password=` in it is a value. */
const READING: PipelineContext = { kind: 'config', diff: undefined };

function hideHits(text: string, hits: readonly Hit[]): string {
  return hits.length === 0 ? text : replaceHits(text, hits, new Array<string>(hits.length).fill(REDACTED));
}

function maskCards(text: string): string {
  return mayHoldCard(text) ? maskCardNumbers(text) : text;
}

/** What every mark of an earlier pass holds: `[REDACTED]`, or the stars of a masked card. */
const MARK_HEADS = ['[redacted', '***'];
const CARD_MASK = /\d{6}\*{3,9}\d{4}/g;

/** How many marks a redacted text holds. */
export function countMarks(text: string): number {
  if (text.length < SHORTEST) return 0;
  let marks = 0;
  for (let at = text.indexOf(REDACTED); at >= 0; at = text.indexOf(REDACTED, at + REDACTED.length)) marks += 1;
  if (text.includes('***')) marks += text.match(CARD_MASK)?.length ?? 0;
  return marks;
}

/** True where spaces and dashes alone part enough digits: most texts with many are dates. */
function mayHoldCard(text: string): boolean {
  let missing = CARD_DIGITS;
  for (let at = 0; at + missing <= text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) {
      missing -= 1;
      if (missing === 0) return true;
    } else if (code !== 32 && code !== 45) missing = CARD_DIGITS;
  }
  return false;
}
