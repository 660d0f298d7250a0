import { isCriticizerError } from '../../foundation/errors.js';
import type { LlmReply, StructuredMode } from '../../llm/llm-provider.js';
import { modeLadder, nextMode, strongestMode } from '../../llm/mode-ladder.js';
import { digestShown } from '../../prompt/build-prompt.js';
import type { ContextExtent, PromptChunk } from '../../prompt/prompt-chunk.js';
import { renderRepairNote } from '../../prompt/repair-note.js';
import type { AskedAgain } from '../../review/diagnostics.js';
import { askModel, type LlmStageOptions, type ReviewUnderWay } from './ask-model.js';
import { nameReply } from './chunk-question.js';
import type { ModelUsage } from './model-usage.js';
import type { ProviderShare } from './provider-shares.js';
import {
  countKept,
  countSent,
  isBetter,
  isUsable,
  keepDoubt,
  maxReplyBytes,
  type ReplyReading,
  readReply,
} from './read-reply.js';
import { type ModelAnswer, type Reviewer, readStoredReply, type StoredReply, storeReply } from './stored-reply.js';

/** What one request asks about, and how much it may answer. */
export interface Part {
  share: ProviderShare;
  chunk: PromptChunk;
  maxOutputTokens: number;
  /** Of a half: tokens of user text that the model may take; the whole proved to be more. */
  maxUserTokens?: number | undefined;
}

/** What became of one part of a change. */
export interface PartReading extends ReplyReading {
  /** What was asked about, and who. */
  share: ProviderShare;
  chunk: PromptChunk;
  maxUserTokens?: number | undefined;
  files: PromptChunk['files'];
  /** What the request showed round the hunks. */
  context?: readonly ContextExtent[] | undefined;
  /** Null where no usable reply was given. */
  reviewer: Reviewer | null;
  /** Of every reply that was read for this part. */
  usage: readonly ModelUsage[];
}

function nameFor(review: ReviewUnderWay, { share, chunk, maxOutputTokens }: Part, mode: StructuredMode): string {
  const { variant, snapshotDigest: snapshot } = review;
  const guidance = review.guide(chunk.files.map(({ file }) => file));
  const { template } = variant;
  const isDescribed = share.change.description === review.change.description;
  const shown = template.context === undefined ? undefined : digestShown(share.change, chunk, template);
  return nameReply({
    snapshot,
    provider: share.provider,
    variant,
    guidance,
    mode,
    maxOutputTokens,
    turns: [{ role: 'user', files: chunk.files, isDescribed, shown }],
  });
}

/** Name of the job output that says why this part is asked about in another size. */
export function nameResize(review: ReviewUnderWay, part: Part): string {
  return nameFor(review, part, strongestMode(part.share.provider.modes)).replace('llm.reply.', 'llm.resize.');
}

/**
 * The stored reply to this very question (GRD-1), in whichever mode it was given. One that the
 * parser in force rejects is none; one that still lacks its repair gets it.
 */
export async function findPart(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  part: Part,
): Promise<PartReading | null> {
  for (const mode of modeLadder.filter((one) => part.share.provider.modes.includes(one))) {
    const stored = await readStoredReply(options.artifacts, review.context, nameFor(review, part, mode));
    if (stored === null) continue;
    const [first, second] = stored.answers.map((answer) => read(options, review, part, answer));
    if (first === undefined || ![first, second].some((one) => one !== undefined && isUsable(one.reading))) continue;
    return second === undefined ? repair(options, review, part, first) : combine(review, part, first, second);
  }
  return null;
}

/**
 * Asks, and stores a usable reply. A reply that is rejected, or of which no finding can be kept,
 * gets one repair request that says what was wrong (ruling R8); the better of the two is used.
 * Throws what `askModel` throws.
 */
export async function askPart(options: LlmStageOptions, review: ReviewUnderWay, part: Part): Promise<PartReading> {
  const first = read(
    options,
    review,
    part,
    await askModel(options, review, { ...part, mode: strongestMode(part.share.provider.modes) }),
  );
  if (isUsable(first.reading)) await store(options, review, part, first.answer.mode, [first]);
  return repair(options, review, part, first);
}

/** An answer, and what the parser in force makes of it. */
interface ReadAnswer {
  answer: ModelAnswer;
  reading: ReplyReading;
}

function read(options: LlmStageOptions, review: ReviewUnderWay, part: Part, answer: ModelAnswer): ReadAnswer {
  return { answer, reading: readReply(options, review, part.chunk, answer.reply) };
}

/**
 * Why a reply is worth a repair request; null where it is good enough, or would only come again:
 * cut, or too large to read.
 */
function findFault({ stop, text }: LlmReply, reading: ReplyReading): AskedAgain['reason'] | null {
  if (stop !== 'complete' || Buffer.byteLength(text) > maxReplyBytes || countKept(reading) > 0) return null;
  if (reading.documents.some((document) => document.outcome === 'rejected')) return 'reply_rejected';
  return countSent(reading) > 0 ? 'all_findings_dropped' : null;
}

async function repair(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  part: Part,
  first: ReadAnswer,
): Promise<PartReading> {
  const fault = findFault(first.answer.reply, first.reading);
  const answer = fault === null ? null : await askRepair(options, review, part, first);
  if (answer === null) return toPart(review, part, first);
  const second = read(options, review, part, answer);
  const { mode } = chooseBetter(first, second).answer;
  if (isUsable(first.reading) || isUsable(second.reading)) await store(options, review, part, mode, [first, second]);
  return combine(review, part, first, second);
}

/** The answer to a repair request; null where none came and the first reply can be used as it is. */
async function askRepair(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  part: Part,
  { answer, reading }: ReadAnswer,
): Promise<ModelAnswer | null> {
  const { modes } = part.share.provider;
  // A reply that has nothing in the right form may be the mode's fault; findings that break the rules are not.
  const mode = isUsable(reading) ? answer.mode : (nextMode(answer.mode, modes) ?? answer.mode);
  try {
    return await askModel(options, review, {
      ...part,
      mode,
      repairNote: renderRepairNote(reading.diagnostics, review.variant),
    });
  } catch (error) {
    if (isUsable(reading) && isCriticizerError(error) && error.code === 'LLM_NO_ANSWER') return null;
    throw error;
  }
}

function chooseBetter(first: ReadAnswer, second: ReadAnswer): ReadAnswer {
  return isBetter(second.reading, first.reading) ? second : first;
}

/** The better of two answers, with the diagnostics of both. */
function combine(review: ReviewUnderWay, asked: Part, first: ReadAnswer, second: ReadAnswer): PartReading {
  const reason = findFault(first.answer.reply, first.reading) ?? 'reply_rejected';
  const diagnostics = [
    ...first.reading.diagnostics,
    { code: 'asked_again', reason } as const,
    ...second.reading.diagnostics,
  ];
  const used = chooseBetter(first, second);
  const part = toPart(review, asked, used);
  const usage = [first, second].flatMap((one) => toPart(review, asked, one).usage);
  return { ...(used === second ? keepDoubt(part, first.reading) : part), diagnostics, usage };
}

/** Who is asked, and by which variant. */
export function describeAsked(
  { variant }: Pick<ReviewUnderWay, 'variant'>,
  { share: { provider } }: Pick<Part, 'share'>,
): StoredReply['asked'] {
  const { id, promptVersion, schemaVersion } = variant;
  return { provider: provider.id, model: provider.model, variant: id, promptVersion, schemaVersion };
}

function toPart(review: ReviewUnderWay, part: Part, { answer, reading }: ReadAnswer): PartReading {
  const asked = describeAsked(review, part);
  const { provider, model } = asked;
  const reviewer: Reviewer = { ...asked, mode: answer.mode };
  const usage = { provider, model, replies: 1, ...answer.reply.usage };
  const { share, chunk, maxUserTokens } = part;
  return {
    ...reading,
    share,
    chunk,
    maxUserTokens,
    files: chunk.files,
    context: chunk.context?.extents,
    reviewer: isUsable(reading) ? reviewer : null,
    usage: [usage],
  };
}

async function store(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  part: Part,
  mode: StructuredMode,
  read: readonly [ReadAnswer] | readonly [ReadAnswer, ReadAnswer],
): Promise<void> {
  const asked = describeAsked(review, part);
  const answers = read.map(({ answer }) => answer);
  await storeReply(options.artifacts, review.context, nameFor(review, part, mode), { format: 2, asked, answers });
}
