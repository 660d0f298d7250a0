import type { Hunk } from '../../../changes/change.js';
import type { RedactedChange } from '../../../changes/redacted-change.js';
import { overlapsHunk } from '../../../prompt/check/candidate-words.js';
import type { CheckedFinding } from '../../../prompt/check/check-prompt.js';
import type { CheckOutcome } from '../../../review/check/read-verdicts.js';
import type { FindingMatch } from '../../../review/history/comparable-finding.js';
import type { AnsweredFinding } from '../../../review/history/follow-up-answer.js';
import { placeNow, type Whereabouts } from '../../../review/history/locate-findings.js';
import type { OpenFinding } from '../../../review/history/open-finding.js';
import type { LlmStageOptions, ReviewUnderWay } from '../ask-model.js';
import type { PartReading } from '../ask-part.js';
import {
  askGroups,
  type CheckGroup,
  createCandidateTexts,
  groupByReading,
  nothing,
  type Took,
} from '../check/ask-groups.js';

/** Earlier findings, and what is known of them without a question. */
export interface Unsettled {
  open: readonly OpenFinding[];
  /** Of each of `open`. */
  places: readonly Whereabouts[];
  matches: readonly FindingMatch[];
  /** Ids of those that a suppression hid: mails do not show them, so no request is spent on them. */
  hidden: ReadonlySet<string>;
  /** Those of `open`, by place, whose text is as it was. */
  asBefore: ReadonlySet<number>;
}

/** What the models said, and what it took. */
export interface FollowUps extends Took {
  /** By id of the finding. */
  answers: ReadonlyMap<string, AnsweredFinding>;
}

/** Finds the reading that shows a place: one with its hunk before one with another part of its file. */
function createShowing(
  { files }: RedactedChange,
  readings: readonly PartReading[],
): (place: { file: string; line: number | null }) => PartReading | undefined {
  return ({ file: path, line }) => {
    const shows = (reading: PartReading, isWanted: (hunk: Hunk | undefined) => boolean): boolean =>
      reading.chunk.files.some(
        ({ file, hunks }) => files[file]?.path === path && hunks.some((at) => isWanted(files[file]?.hunks[at])),
      );
    const holds = (hunk: Hunk | undefined): boolean =>
      line !== null && overlapsHunk(hunk, { startLine: line, endLine: line });
    return readings.find((one) => shows(one, holds)) ?? readings.find((one) => shows(one, () => true));
  };
}

/**
 * Findings to ask about, by the reading that shows their file: the model's, with text to look at, and
 * not surely reported again. In the order of `open`.
 */
function groupUnsettled(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  { open, places, matches, hidden, asBefore }: Unsettled,
  readings: readonly PartReading[],
): readonly CheckGroup[] {
  const reported = new Set(matches.filter(({ grade }) => grade !== 'uncertain').map(({ earlier }) => earlier));
  const redactTexts = createCandidateTexts(options, review);
  const showing = createShowing(review.change, readings);
  return groupByReading(
    open.flatMap((finding, at): [PartReading, CheckedFinding][] => {
      const place = places[at];
      const isSettled = reported.has(at) || asBefore.has(at) || hidden.has(finding.id);
      if (finding.origin !== 'model' || place?.kind !== 'here' || isSettled) return [];
      const reading = showing(place);
      if (reading === undefined) return [];
      return [[reading, redactTexts({ ...finding, file: place.file, place: placeNow(finding, place) })]];
    }),
  );
}

/** To keep or to lower a finding is to say that the code still has it. */
function toAnswer(outcome: CheckOutcome): AnsweredFinding | null {
  if (outcome.verdict === null) return null;
  return { answer: outcome.verdict === 'drop' ? 'resolved' : 'still_open', reason: outcome.reason };
}

/** False with `review.followUps` off, and where the variant has no check. */
export function areFollowUpsAsked(
  { settings }: { settings: Pick<LlmStageOptions['settings'], 'review'> },
  { variant }: Pick<ReviewUnderWay, 'variant'>,
): boolean {
  return settings.review.followUps && variant.check !== undefined;
}

/**
 * Asks whether the code still has earlier findings that were not reported again (GRD-6). It is the
 * question of the check pass, with the finding's place as it is now: what the model drops with a
 * reason is resolved. Each request is a checkpoint, and goes to the provider that read the file.
 * Sends no request with `review.followUps` off, or where the variant has no check.
 */
export async function askFollowUps(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  unsettled: Unsettled,
  readings: readonly PartReading[],
): Promise<FollowUps> {
  const template = review.variant.check;
  const groups = areFollowUpsAsked(options, review) ? groupUnsettled(options, review, unsettled, readings) : [];
  if (template === undefined || groups.length === 0) return { answers: new Map(), ...nothing };
  const { outcomes, ...took } = await askGroups(options, review, groups, template);
  const answers = [...outcomes].flatMap(([id, outcome]): [string, AnsweredFinding][] => {
    const answer = toAnswer(outcome);
    return answer === null ? [] : [[id, answer]];
  });
  return { answers: new Map(answers), ...took };
}
