import { digest } from '../merge/identity.js';
import { comparePlaced } from '../merge/place-findings.js';
import type { ReviewFinding } from '../merge/review-finding.js';
import type { ReviewState } from '../merge/review-state.js';
import type { FindingMatch } from './comparable-finding.js';
import type { SecretCounts } from './count-secrets.js';
import type { EarlierFinding, EarlierReason, EarlierState } from './earlier-finding.js';
import type { AnsweredFinding, FollowUpAnswer } from './follow-up-answer.js';
import { placeNow, type Whereabouts } from './locate-findings.js';
import type { OpenFinding } from './open-finding.js';

/** What is carried forward, and all that decides what becomes of it. */
export interface CarryInput {
  reviewVersion: number;
  open: readonly OpenFinding[];
  /** Of each of `open`, in their order. */
  places: readonly Whereabouts[];
  present: readonly ReviewFinding[];
  matches: readonly FindingMatch[];
  /** Those of `open`, by place, whose text was not read again: they are as they were (`listAsBefore`). */
  asBefore: ReadonlySet<number>;
  /** Of the present change. */
  secrets: SecretCounts;
  /** By id of an open finding. One without an answer stays open. */
  answers: ReadonlyMap<string, AnsweredFinding>;
}

/** The present findings with ids and states, and what became of the others. */
export interface CarriedFindings {
  /** Those that were reported, and earlier ones whose text was not read again, gravest first. */
  findings: readonly ReviewFinding[];
  /** Gravest first. */
  earlier: readonly EarlierFinding[];
  /** By the id that a present finding had, its id now, where that is another one. */
  ids: ReadonlyMap<string, string>;
}

type Decision = Pick<EarlierFinding, 'state' | 'because' | 'reason'>;

const decide = (state: EarlierState, because: EarlierReason, reason = ''): Decision => ({ state, because, reason });

const stateOf: Readonly<Record<FollowUpAnswer, EarlierState>> = {
  resolved: 'resolved',
  still_open: 'open',
  not_verifiable: 'not_verifiable',
};

/**
 * A credential is resolved by redaction alone, never by a model: where its rule finds no place in the
 * file that is not another earlier credential's. Only some credentials are findings.
 */
function decideSecret(place: Whereabouts, isLeft: boolean): Decision {
  if (place.kind === 'here' || place.kind === 'change')
    return isLeft ? decide('open', 'unanswered') : decide('resolved', 'secret_gone');
  if (place.kind === 'deleted') return decide('resolved', 'file_deleted');
  return decide('not_verifiable', place.kind === 'left' ? 'file_left' : 'secret_unknown');
}

const secretKey = (place: Whereabouts | undefined, rule: string): string =>
  JSON.stringify([place?.kind === 'here' ? place.file : null, rule]);

/** Says whether a rule finds more places in a file than earlier credentials of it were found again. */
function createSecretsLeft(
  { open, places, secrets }: CarryInput,
  reported: ReadonlySet<number>,
): (finding: OpenFinding, place: Whereabouts) => boolean {
  const found = new Map<string, number>();
  for (const at of reported) {
    const { origin, rule_id: rule = '' } = open[at] ?? {};
    if (origin !== 'redaction') continue;
    const key = secretKey(places[at], rule);
    found.set(key, (found.get(key) ?? 0) + 1);
  }
  return ({ rule_id: rule = '' }, place) =>
    secrets(place.kind === 'here' ? place.file : null, rule) > (found.get(secretKey(place, rule)) ?? 0);
}

/** What became of an open finding of the model that no present one surely is. */
function decideState(
  { id }: OpenFinding,
  place: Whereabouts,
  isReportedLike: boolean,
  answers: CarryInput['answers'],
): Decision {
  if (place.kind === 'deleted') return decide('resolved', 'file_deleted');
  if (place.kind === 'left') return decide('not_verifiable', 'file_left');
  if (place.kind === 'unread') return decide('not_verifiable', 'file_unread');
  const answered = answers.get(id);
  if (answered === undefined) return decide('open', 'unanswered');
  const isUntouched = place.kind === 'here' && place.isUntouched;
  if (answered.answer === 'resolved' && isUntouched && isReportedLike)
    return decide('open', 'overruled', answered.reason);
  return decide(stateOf[answered.answer], 'answered', answered.reason);
}

/** The finding where it is now. */
function replace(finding: OpenFinding, now: Whereabouts): OpenFinding {
  return now.kind === 'here' ? { ...finding, file: now.file, place: placeNow(finding, now) } : finding;
}

/** An id made from `id` that none of `taken` is. */
function deriveId(id: string, taken: ReadonlySet<string>): string {
  let derived = id;
  while (taken.has(derived)) derived = digest(derived);
  return derived;
}

/** Matched findings take the earlier id; no other present finding may have an id of an earlier one. */
function nameFindings(
  { open, present, reviewVersion }: CarryInput,
  sure: readonly FindingMatch[],
): readonly ReviewFinding[] {
  const earlierOf = new Map(sure.map((match) => [match.present, open[match.earlier]]));
  const taken = new Set([...open.map(({ id }) => id), ...present.map(({ id }) => id)]);
  const reserved = new Set(open.map(({ id }) => id));
  return present.map((finding, at): ReviewFinding => {
    const earlier = earlierOf.get(at);
    if (earlier !== undefined) return { ...finding, id: earlier.id, state: 'open', since: earlier.since };
    const id = reserved.has(finding.id) ? deriveId(finding.id, taken) : finding.id;
    taken.add(id);
    return { ...finding, id, state: 'new', since: reviewVersion };
  });
}

/** An earlier finding as one of this review, where it is now. */
function keepAsBefore(finding: OpenFinding, place: Whereabouts): ReviewFinding {
  const { lastReported: _lastReported, ...kept } = replace(finding, place);
  return { ...kept, state: 'open' };
}

/**
 * Compares a review with an earlier one of the change (GRD-6). A present finding that is surely an
 * earlier one takes its id and is `open`; the others are `new`. An earlier one whose text was not read
 * again is `open`, too. Of the earlier ones that are left,
 * each is open, resolved or not verifiable: by its file, by redaction for a withheld credential, else
 * by the model's answer, which can neither resolve what is reported again nor change a severity.
 * Pure and deterministic.
 */
export function carryFindings(input: CarryInput): CarriedFindings {
  const { open, places, present, matches, answers, asBefore } = input;
  const sure = matches.filter(({ grade }) => grade !== 'uncertain');
  const reported = new Set(sure.map((match) => match.earlier));
  const alike = new Set(matches.map((match) => match.earlier));
  const findings = nameFindings(input, sure);
  const isSecretLeft = createSecretsLeft(input, reported);
  const earlier = open.flatMap((finding, at): EarlierFinding[] => {
    const place = places[at];
    if (reported.has(at) || place === undefined || asBefore.has(at)) return [];
    const decision =
      finding.origin === 'redaction'
        ? decideSecret(place, isSecretLeft(finding, place))
        : decideState(finding, place, alike.has(at), answers);
    return [{ ...replace(finding, place), ...decision }];
  });
  const ids = present.flatMap(({ id }, at): [string, string][] => {
    const now = findings[at]?.id ?? id;
    return now === id ? [] : [[id, now]];
  });
  const kept = open.flatMap((finding, at): ReviewFinding[] => {
    const place = places[at];
    return asBefore.has(at) && !reported.has(at) && place !== undefined ? [keepAsBefore(finding, place)] : [];
  });
  return {
    findings: [...findings, ...kept].sort(comparePlaced),
    earlier: [...earlier].sort(comparePlaced),
    ids: new Map(ids),
  };
}

/**
 * The state of a review with earlier findings: with an open one it is never clean, and one that could
 * not be verified makes it inconclusive, unless its file is no part of the change any more.
 */
export function judgeWithEarlier(
  state: ReviewState,
  { findings, earlier }: Pick<CarriedFindings, 'findings' | 'earlier'>,
): ReviewState {
  if (state.verdict === 'findings') return state;
  if (findings.length > 0) return { ...state, verdict: 'findings' };
  if (earlier.some((one) => one.state === 'open')) return { ...state, verdict: 'findings' };
  const isDoubted = earlier.some((one) => one.state === 'not_verifiable' && one.because !== 'file_left');
  return isDoubted ? { ...state, verdict: 'inconclusive' } : state;
}
