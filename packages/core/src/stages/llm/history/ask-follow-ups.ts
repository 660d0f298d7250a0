import type { CheckedFinding } from '../../../prompt/check/check-prompt.js';
import type { CheckOutcome } from '../../../review/check/read-verdicts.js';
import type { FindingMatch } from '../../../review/history/comparable-finding.js';
import type { AnsweredFinding } from '../../../review/history/follow-up-answer.js';
import { placeNow, type Whereabouts } from '../../../review/history/locate-findings.js';
import type { OpenFinding } from '../../../review/history/open-finding.js';
import type { LlmStageOptions, ReviewUnderWay } from '../ask-model.js';
import type { PartReading } from '../ask-part.js';
import { askGroups, type CheckGroup, nothing, type Took } from '../check/ask-groups.js';
import { createReplyRedaction } from '../reply-redaction.js';

/** Earlier findings, and what is known of them without a question. */
export interface Unsettled {
  open: readonly OpenFinding[];
  /** Of each of `open`. */
  places: readonly Whereabouts[];
  matches: readonly FindingMatch[];
  /** Ids of those that a suppression hid: nobody is to be told of them, so nobody is asked. */
  hidden: ReadonlySet<string>;
}

/** What the models said, and what it took. */
export interface FollowUps extends Took {
  /** By id of the finding. */
  answers: ReadonlyMap<string, AnsweredFinding>;
}

/**
 * Findings to ask about, by the reading that shows their file: the model's, with text to look at, and
 * not surely reported again. In the order of `open`.
 */
function groupUnsettled(
  { redactor }: LlmStageOptions,
  { change, replyRedaction }: ReviewUnderWay,
  { open, places, matches, hidden }: Unsettled,
  readings: readonly PartReading[],
): readonly CheckGroup[] {
  const reported = new Set(matches.filter(({ grade }) => grade !== 'uncertain').map(({ earlier }) => earlier));
  const unnumbered = createReplyRedaction(redactor, change);
  const redact = (text: string): string => unnumbered.redact(replyRedaction.redact(text));
  const groups = new Map<PartReading, CheckedFinding[]>();
  open.forEach((finding, at) => {
    const place = places[at];
    if (finding.origin !== 'model' || place?.kind !== 'here' || reported.has(at) || hidden.has(finding.id)) return;
    const reading = readings.find(({ chunk }) =>
      chunk.files.some(({ file }) => change.files[file]?.path === place.file),
    );
    if (reading === undefined) return;
    const { title, message, suggestion, ...rest } = finding;
    const texts = {
      title: redact(title),
      message: redact(message),
      suggestion: suggestion === undefined ? undefined : redact(suggestion),
    };
    const candidate = { ...rest, ...texts, file: place.file, place: placeNow(finding, place) };
    groups.set(reading, [...(groups.get(reading) ?? []), candidate]);
  });
  return [...groups].map(([reading, findings]) => ({ reading, findings }));
}

/** To keep or to lower a finding is to say that the code still has it. */
function toAnswer(outcome: CheckOutcome): AnsweredFinding | null {
  if (outcome.verdict === null) return null;
  return { answer: outcome.verdict === 'drop' ? 'resolved' : 'still_open', reason: outcome.reason };
}

/**
 * Asks whether the code still has earlier findings that were not reported again (GRD-6). It is the
 * question of the check pass, with the finding's place as it is now: what the model drops with a
 * reason is resolved. Each request is a checkpoint, and goes to the provider that read the file.
 * Nothing is asked with `review.followUps` off, or by a variant that has no check.
 */
export async function askFollowUps(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  unsettled: Unsettled,
  readings: readonly PartReading[],
): Promise<FollowUps> {
  const template = review.variant.check;
  const isWanted = options.settings.review.followUps && template !== undefined;
  const groups = isWanted ? groupUnsettled(options, review, unsettled, readings) : [];
  if (template === undefined || groups.length === 0) return { answers: new Map(), ...nothing };
  const { outcomes, ...took } = await askGroups(options, review, groups, template);
  const answers = [...outcomes].flatMap(([id, outcome]): [string, AnsweredFinding][] => {
    const answer = toAnswer(outcome);
    return answer === null ? [] : [[id, answer]];
  });
  return { answers: new Map(answers), ...took };
}
