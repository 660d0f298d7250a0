import type { GateSettings } from './gate-settings.js';
import { type Judgement, judgeDropped, judgeFindings, judgeRejected, type Sides } from './judge-side.js';
import { addSums, type CountSums, measureClustering } from './review-counts.js';

/** What the gates measure, by the names in reports, alerts and audit events. */
export type GateName = 'rejected' | 'findings' | 'dropped';

/** What a gate says of a candidate. Only `passes` of all gates promotes, only `fails` rolls back. */
export type GateVerdict = 'passes' | 'fails' | 'inconclusive';

/** One gate, over one window. */
export interface GateReport {
  gate: GateName;
  verdict: GateVerdict;
  windowMs: number;
  /** Rejected replies a reply, valid findings a review, dropped findings a finding; null: none counted. */
  candidate: number | null;
  baseline: number | null;
  /** What the candidate's rate is held to; null: unknown without a baseline. */
  limit: number | null;
  /** Replies, reviews or findings that the candidate is judged by. */
  sample: number;
}

/** Sums of both sides over the last `ms` milliseconds of the rollout. */
export type ReadSums = (ms: number) => { candidate: CountSums; baseline: CountSums };

/** The chance that a candidate at the limit of a gate is called good by it. */
export const promotionChance = 0.05;

/**
 * Windows that each look judges, as multiples of `windowMs`, and the chance at each look that a candidate
 * as good as the baseline fails. Chosen by `npm run bench:rollout`: fewer than 1 in 100 such candidates is
 * rolled back in a day, and most of that chance is spent where a threefold rise is first certain.
 */
export const looks: readonly { times: number; rejected: number; findings: number }[] = [
  { times: 1, rejected: 5e-6, findings: 1e-5 },
  { times: 2, rejected: 8e-5, findings: 3e-5 },
  { times: 4, rejected: 3e-5, findings: 3e-5 },
  { times: 8, rejected: 3e-5, findings: 3e-5 },
  { times: 48, rejected: 1e-4, findings: 1e-4 },
];

/** How long the baseline's rate is measured, in multiples of `windowMs`. */
const baselineTimes = 8;

/** The longest window, in multiples of `windowMs`. */
export const longestLook = Math.max(...looks.map(({ times }) => times));

const divide = (events: number, exposure: number): number | null => (exposure > 0 ? events / exposure : null);

/** What a report says of rates, without its verdict. */
function measureGate(
  gate: GateName,
  { candidate, baseline }: Sides,
  gates: GateSettings,
): Omit<GateReport, 'verdict' | 'windowMs'> {
  if (gate === 'rejected') {
    const usual = divide(baseline.rejected, baseline.responses);
    const limit = usual === null ? null : gates.rejectedRatio * Math.max(gates.rejectedFloor, usual);
    const rate = divide(candidate.rejected, candidate.responses);
    return { gate, candidate: rate, baseline: usual, limit, sample: candidate.responses };
  }
  if (gate === 'findings') {
    const usual = divide(baseline.valid, baseline.jobs);
    const limit = usual === null ? null : Math.max(gates.findingsShare * usual, gates.findingsFloor ?? 0);
    const rate = divide(candidate.valid, candidate.jobs);
    return { gate, candidate: rate, baseline: usual, limit, sample: candidate.jobs };
  }
  const sent = candidate.valid + candidate.dropped;
  return {
    ...{ gate, limit: gates.droppedShare, sample: sent },
    candidate: divide(candidate.dropped, sent),
    baseline: divide(baseline.dropped, baseline.valid + baseline.dropped),
  };
}

/** The judgement of a gate; null: too little was counted. */
function judgeGate(gate: GateName, sides: Sides, gates: GateSettings): Judgement | null {
  const { candidate, baseline } = sides;
  const hasJobs = Math.min(candidate.jobs, baseline.jobs) >= gates.minJobs;
  if (gate === 'findings') return hasJobs ? judgeFindings(sides, gates) : null;
  if (gate === 'dropped') return candidate.valid + candidate.dropped > 0 ? judgeDropped(sides, gates) : null;
  const hasReplies = Math.min(candidate.responses, baseline.responses) >= gates.minResponses;
  return hasReplies ? judgeRejected(sides, gates) : null;
}

/**
 * Whether the candidate is to be rolled back: the first gate that fails over one of the windows, the
 * shortest first; null where none does, or too little was counted. `elapsedMs`: since the slice began.
 */
export function findFailure(read: ReadSums, elapsedMs: number, gates: GateSettings): GateReport | null {
  const whole = read(elapsedMs);
  const clustering = measureClustering(addSums(whole.candidate, whole.baseline));
  const usual = read(Math.min(baselineTimes * gates.windowMs, elapsedMs)).baseline;
  for (const look of looks) {
    const windowMs = Math.min(look.times * gates.windowMs, elapsedMs);
    const sums = read(windowMs);
    const sides: Sides = { ...sums, usual: look.times > baselineTimes ? sums.baseline : usual, clustering };
    for (const gate of ['rejected', 'findings'] as const)
      if (judgeGate(gate, sides, gates)?.isMissed(look[gate]))
        return { ...measureGate(gate, sides, gates), verdict: 'fails', windowMs };
    if (windowMs === elapsedMs) return null;
  }
  return null;
}

/** What the gates say of a promotion: `held` where one of them does not know yet. */
export interface PromotionReport {
  outcome: 'ready' | 'failing' | 'held';
  reports: readonly GateReport[];
}

/**
 * All gates over the whole time of the slice. Only a candidate that passes every one, with enough
 * reviews, is ready: what cannot be known holds (PR-4).
 */
export function judgePromotion(read: ReadSums, elapsedMs: number, gates: GateSettings): PromotionReport {
  const whole = read(elapsedMs);
  const sides: Sides = {
    ...{ ...whole, usual: whole.baseline },
    clustering: measureClustering(addSums(whole.candidate, whole.baseline)),
  };
  const reports = (['rejected', 'findings', 'dropped'] as const).map((gate): GateReport => {
    const judgement = judgeGate(gate, sides, gates);
    const isMissed = judgement?.isMissed(promotionChance) ?? false;
    const isKept = judgement?.isKept(promotionChance) ?? false;
    const verdict = isMissed ? 'fails' : isKept ? 'passes' : 'inconclusive';
    return { ...measureGate(gate, sides, gates), verdict, windowMs: elapsedMs };
  });
  if (reports.some(({ verdict }) => verdict === 'fails')) return { outcome: 'failing', reports };
  const isReady = whole.candidate.jobs >= gates.promoteJobs && reports.every(({ verdict }) => verdict === 'passes');
  return { outcome: isReady ? 'ready' : 'held', reports };
}

/** How far a candidate is from the limit of a gate. */
export interface GateExcess {
  gate: GateName;
  /** Over 1: beyond the limit, whether by chance or not. 0: too little was counted. At most 1,000. */
  value: number;
}

/** For a graph and an alarm: how far the candidate is from the limits of the gates that roll back, over one window. */
export function measureExcess(sums: ReturnType<ReadSums>, gates: GateSettings): readonly GateExcess[] {
  const sides: Sides = { ...sums, usual: sums.baseline, clustering: { rejected: 1, valid: 1, dropped: 1 } };
  return (['rejected', 'findings'] as const).map((gate) => {
    const { candidate, limit } = measureGate(gate, sides, gates);
    if (judgeGate(gate, sides, gates) === null || candidate === null || limit === null) return { gate, value: 0 };
    const [over, under] = gate === 'rejected' ? [candidate, limit] : [limit, candidate];
    return { gate, value: over === 0 ? 0 : Math.min(1_000, over / under) };
  });
}
