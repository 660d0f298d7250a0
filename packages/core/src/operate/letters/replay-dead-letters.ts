import { checkAbortSignal, checkBoolean, optional } from '../../foundation/option-checks.js';
import { checkMs, checkWhole } from '../../foundation/store-input.js';
import type { DeadLetterStatus } from '../../stores/dead-letter-store.js';
import { checkRequest, type OperatorParts, type OperatorRequest } from '../operation.js';
import {
  countLetters,
  type LetterSelection,
  maxLettersACall,
  readSelection,
  selectionShape,
  walkLetters,
} from './letter-selection.js';
import { type ReplayDeadLetter, type Replayed, replayLetter, replayPlanShape } from './replay-dead-letter.js';
import { type ReplayParts, type ReplayReport, rememberProbe, reportReplay } from './replay-report.js';

/** Which dead letters to run again, and how. `reason` becomes a note of each. */
export interface ReplayDeadLetters
  extends OperatorRequest,
    LetterSelection,
    Pick<ReplayDeadLetter, 'fromStart' | 'evidence' | 'force'> {
  /** Most letters to replay, 1 to 5,000, the default. */
  limit?: number | undefined;
  /** The jobs become due one after the other over so many milliseconds. Default 0: at once. */
  overMs?: number | undefined;
  /** True looks only, and changes nothing. Default false. */
  preview?: boolean | undefined;
  /** Ends the call between two letters. */
  signal?: AbortSignal | undefined;
}

/** What became of a group. */
export interface ReplayedLetters {
  /** Letters that were looked at. */
  examined: number;
  /** Letters that were replayed; with `preview` those that would be. */
  replayed: number;
  /** Letters that a check refused, by check; one letter may count under several. */
  refused: Readonly<Partial<Record<ReplayReport['checks'][number]['name'], number>>>;
  /** Letters that somebody else took meanwhile. */
  taken: number;
  /** Replays whose audit event could not be stored; the platform log has them. */
  degraded: number;
  /** The reports of the first five letters that were refused. */
  refusals: readonly ReplayReport[];
  /** Due times after the store's now at each replay, in milliseconds; null where nothing was replayed. */
  dueAfterMs: { first: number; last: number } | null;
  /** True where `limit` or `signal` ended the call: the same call again goes on. */
  hasMore: boolean;
}

const maxRefusals = 5;
const waiting: readonly DeadLetterStatus[] = ['open', 'triaged'];

/** Counts the answers of one call. */
function createTally() {
  const refused: Partial<Record<ReplayReport['checks'][number]['name'], number>> = {};
  const tally = { examined: 0, replayed: 0, taken: 0, degraded: 0 };
  const refusals: ReplayReport[] = [];
  return {
    tally,
    add({ outcome, audit, report }: Pick<Replayed, 'outcome' | 'audit' | 'report'>): void {
      tally.examined += 1;
      if (outcome === 'replayed') tally.replayed += 1;
      else if (outcome !== 'refused') tally.taken += 1;
      if (audit === 'degraded') tally.degraded += 1;
      if (outcome !== 'refused' || report === null) return;
      if (refusals.length < maxRefusals) refusals.push(report);
      for (const { name, ok } of report.checks) if (!ok) refused[name] = (refused[name] ?? 0) + 1;
    },
    end: (rest: Pick<ReplayedLetters, 'dueAfterMs' | 'hasMore'>): ReplayedLetters => ({
      ...tally,
      refused,
      refusals,
      ...rest,
    }),
  };
}

/**
 * Replays the selected letters (ERR-9), each in its own transaction with its own audit event, so
 * that a call that dies in the middle leaves every letter either replayed and recorded or as it was;
 * the same call again goes on with the rest. Due times are spread over `overMs` by the store's
 * clock. Of two operators each letter goes to one.
 */
export async function replayDeadLetters<Tx>(
  parts: OperatorParts<Tx> & ReplayParts,
  request: ReplayDeadLetters,
): Promise<ReplayedLetters> {
  const { fromStart: checkFromStart, evidence: checkEvidence } = replayPlanShape;
  checkRequest<ReplayDeadLetters>('replayDeadLetters', request, {
    ...selectionShape,
    fromStart: checkFromStart,
    evidence: checkEvidence,
    force: optional(checkBoolean),
    limit: optional((option, value) => checkWhole(option, value, 1, maxLettersACall)),
    overMs: optional(checkMs),
    preview: optional(checkBoolean),
    signal: optional(checkAbortSignal),
  });
  const { actor, reason, fromStart, evidence, force, limit = maxLettersACall, overMs = 0, preview, signal } = request;
  const { deadLetters } = parts.stores;
  const selection = readSelection('replayDeadLetters', request);
  const counted = Math.min(limit, await countLetters(deadLetters, selection, waiting));
  const remembering = { ...parts, probe: rememberProbe(parts.probe) };
  const { tally, add, end } = createTally();
  const delayOf = (n: number): number => Math.floor((overMs * n) / Math.max(1, counted));
  const conclude = (hasMore: boolean): ReplayedLetters =>
    end({ hasMore, dueAfterMs: tally.replayed === 0 ? null : { first: 0, last: delayOf(tally.replayed - 1) } });
  for await (const letter of walkLetters(deadLetters, selection, waiting)) {
    if (tally.replayed >= limit || signal?.aborted === true) return conclude(true);
    const plan = { fromStart, evidence, force };
    if (preview === true) {
      const report = await reportReplay(remembering, letter, plan);
      add({ outcome: report.ok ? 'replayed' : 'refused', audit: 'none', report });
    } else add(await replayLetter(remembering, letter, { ...plan, actor, reason, delayMs: delayOf(tally.replayed) }));
  }
  return conclude(false);
}
