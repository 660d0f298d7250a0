import type { OptionShape } from '../../foundation/check-options.js';
import { checkBoolean, optional } from '../../foundation/option-checks.js';
import { checkMs, checkText } from '../../foundation/store-input.js';
import type { DeadLetter } from '../../stores/dead-letter-store.js';
import {
  checkRequest,
  type Operated,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from '../operation.js';
import {
  type ReplayCheckName,
  type ReplayParts,
  type ReplayPlan,
  type ReplayReport,
  reportReplay,
} from './replay-report.js';

/** Which dead letter to run again, and from where. `reason` becomes a note. */
export interface ReplayDeadLetter extends OperatorRequest, ReplayPlan {
  deadLetterId: string;
  /** True replays although a check says no, but for `letter`, `job` and `evidence`. Default false. */
  force?: boolean | undefined;
  /** The job is due so many milliseconds from the store's now. Default 0. */
  delayMs?: number | undefined;
}

/** What became of a replay; `report` is what was found before, null where there is no such letter. */
export interface Replayed extends Operated<'replayed' | 'refused' | 'not-open' | 'not-found'> {
  report: ReplayReport | null;
}

const checkNote = optional((option, value) => checkText(option, value, 8_192));

/** The keys of a plan. */
export const replayPlanShape: OptionShape<ReplayPlan> = {
  stage: optional((option, value) => checkText(option, value, 128)),
  fromStart: optional(checkBoolean),
  evidence: checkNote,
};

const neverForced: ReadonlySet<ReplayCheckName> = new Set(['letter', 'job', 'evidence']);

/** The checks that a replay goes against; null where one of them cannot be forced. */
function forcedChecks({ checks }: ReplayReport, force: boolean): ReplayCheckName[] | null {
  const failed = checks.filter(({ ok }) => !ok).map(({ name }) => name);
  if (failed.length === 0) return [];
  return force && !failed.some((name) => neverForced.has(name)) ? failed : null;
}

/** Replays a letter that was read already; the verbs for one letter and for many share it. */
export async function replayLetter<Tx>(
  parts: OperatorParts<Tx> & ReplayParts,
  letter: DeadLetter,
  request: Omit<ReplayDeadLetter, 'deadLetterId'>,
): Promise<Replayed> {
  const { deadLetters } = parts.stores;
  const { actor, reason, evidence, delayMs, force = false } = request;
  const report = await reportReplay(parts, letter, request);
  const forced = forcedChecks(report, force);
  const isOpen = report.checks.every(({ name, ok }) => name !== 'letter' || ok);
  if (forced === null) return { outcome: isOpen ? 'refused' : 'not-open', audit: 'none', report };
  const { jobId, stage, fromStart } = report;
  const given = evidence === undefined ? {} : { evidence };
  const done = await performOperation(parts, {
    action: 'dead_letter.replay',
    targetType: 'dead_letter',
    targetId: letter.id,
    payload: { jobId, stage, fromStart, forced, causeKey: letter.causeKey, ...given },
    actor,
    reason,
    change: (tx) =>
      deadLetters.replay({ deadLetterId: letter.id, stage, fromStart, actor, reason, delayMs, ...given }, { tx }),
    hasChanged: (outcome) => outcome === 'replayed',
  });
  return { ...done, report };
}

/**
 * Queues the job of an open or triaged dead letter again (ERR-9), once the checks of `reportReplay`
 * say yes: `refused` names in its report what is in the way. `force` goes against what an operator
 * may know better; a letter without remediation evidence is never replayed. Of two operators one
 * replays, the other gets `not-open`.
 */
export async function replayDeadLetter<Tx>(
  parts: OperatorParts<Tx> & ReplayParts,
  request: ReplayDeadLetter,
): Promise<Replayed> {
  checkRequest<ReplayDeadLetter>('replayDeadLetter', request, {
    ...replayPlanShape,
    deadLetterId: checkText,
    force: optional(checkBoolean),
    delayMs: optional(checkMs),
  });
  const letter = await parts.stores.deadLetters.get(request.deadLetterId);
  if (letter === null) return { outcome: 'not-found', audit: 'none', report: null };
  return replayLetter(parts, letter, request);
}
