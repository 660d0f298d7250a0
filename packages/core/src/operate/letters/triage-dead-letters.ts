import { checkAbortSignal, optional } from '../../foundation/option-checks.js';
import { checkText, checkWhole } from '../../foundation/store-input.js';
import { checkRequest, type OperatorParts, type OperatorRequest } from '../operation.js';
import {
  type LetterSelection,
  maxLettersACall,
  readSelection,
  selectionShape,
  walkLetters,
} from './letter-selection.js';
import { triageDeadLetter } from './triage-dead-letter.js';

/** Which open dead letters somebody has looked at; `reason` is their cause. */
export interface TriageDeadLetters extends OperatorRequest, LetterSelection {
  /** What was mended, where that is known: 1 to 8,192 characters. */
  evidence?: string | undefined;
  /** Most letters to triage, 1 to 5,000, the default. */
  limit?: number | undefined;
  /** Ends the call between two letters. */
  signal?: AbortSignal | undefined;
}

/** What became of a group. */
export interface TriagedLetters {
  triaged: number;
  /** Letters that somebody else took meanwhile. */
  taken: number;
  /** Triages whose audit event could not be stored; the platform log has them. */
  degraded: number;
  /** True where `limit` or `signal` ended the call: the same call again goes on. */
  hasMore: boolean;
}

/** As `triageDeadLetter`, for all selected letters that are open, each in its own transaction. */
export async function triageDeadLetters<Tx>(
  parts: OperatorParts<Tx>,
  request: TriageDeadLetters,
): Promise<TriagedLetters> {
  checkRequest<TriageDeadLetters>('triageDeadLetters', request, {
    ...selectionShape,
    evidence: optional((option, value) => checkText(option, value, 8_192)),
    limit: optional((option, value) => checkWhole(option, value, 1, maxLettersACall)),
    signal: optional(checkAbortSignal),
  });
  const { actor, reason, evidence, limit = maxLettersACall, signal } = request;
  const selection = readSelection('triageDeadLetters', request);
  const done = { triaged: 0, taken: 0, degraded: 0 };
  for await (const { id: deadLetterId } of walkLetters(parts.stores.deadLetters, selection, ['open'])) {
    if (done.triaged >= limit || signal?.aborted === true) return { ...done, hasMore: true };
    const { outcome, audit } = await triageDeadLetter(parts, { deadLetterId, actor, reason, evidence });
    if (outcome === 'triaged') done.triaged += 1;
    else done.taken += 1;
    if (audit === 'degraded') done.degraded += 1;
  }
  return { ...done, hasMore: false };
}
