import pLimit from 'p-limit';
import { classifyFailure } from '../../foundation/failures/failure.js';
import type { LlmProvider } from '../../llm/llm-provider.js';
import type { LlmStageOptions, ReviewUnderWay } from './ask-model.js';
import type { PartReading } from './ask-part.js';
import type { PlannedChunk } from './plan-review.js';
import { isUsable } from './read-reply.js';
import { reviewChunk } from './review-chunk.js';
import { type BudgetSpent, isBudgetSpent } from './spending/review-budget.js';
import { type FailedProvider, isProviderFault } from './stand-ins.js';

/** A part that its provider, or a filter there, refused to review. */
export interface RefusedPart {
  provider: LlmProvider;
  part: PartReading;
}

/** How the chunks of one plan ended. */
export interface ChunksRead {
  readings: readonly PartReading[];
  /** Files of chunks that were not read. */
  left: ReadonlySet<number>;
  /** Those of `readings` that are a refusal, and who refused. */
  refused: readonly RefusedPart[];
  failed: FailedProvider | null;
  /** A budget that is spent; the files under it are not reviewed. */
  spent: BudgetSpent | null;
}

/** How one chunk ended; it never rejects, so that concurrent requests are waited for. */
type ChunkEnd = { kind: 'read'; parts: readonly PartReading[] } | { kind: 'failed'; error: unknown } | { kind: 'left' };

/**
 * Asks about chunks, `llm.concurrency` at a time. After a failure no further one is begun. Rejects
 * with a failure that is no provider's own, once every request under way has ended.
 */
export async function readChunks(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  chunks: readonly PlannedChunk[],
): Promise<ChunksRead> {
  const limit = pLimit(options.settings.llm.concurrency);
  let isOver = false;
  let done = 0;
  const readOne = async (planned: PlannedChunk): Promise<ChunkEnd> => {
    if (isOver) return { kind: 'left' };
    try {
      const parts = await reviewChunk(options, review, planned);
      done++;
      review.context.report({ chunk: done, chunks: chunks.length });
      return { kind: 'read', parts };
    } catch (error) {
      isOver = true;
      return { kind: 'failed', error };
    }
  };
  const ends = await Promise.all(chunks.map((planned) => limit(() => readOne(planned))));
  return sumUp(chunks, ends);
}

/** The one that leaves more unread. */
function widest(one: BudgetSpent | null, other: BudgetSpent): BudgetSpent {
  return one === null || other.files === null ? other : one;
}

const isRefusal = (part: PartReading): boolean =>
  !isUsable(part) && part.documents.some(({ state }) => state === 'refused' || state === 'content_filtered');

function listRefusals(chunks: readonly PlannedChunk[], ends: readonly ChunkEnd[]): readonly RefusedPart[] {
  return ends.flatMap((end, n) => {
    const provider = chunks[n]?.share.provider;
    if (end.kind !== 'read' || provider === undefined) return [];
    return end.parts.filter(isRefusal).map((part) => ({ provider, part }));
  });
}

function sumUp(chunks: readonly PlannedChunk[], ends: readonly ChunkEnd[]): ChunksRead {
  const left = new Set<number>();
  let failed: FailedProvider | null = null;
  let spent: BudgetSpent | null = null;
  for (const [n, end] of ends.entries()) {
    const planned = chunks[n];
    if (end.kind === 'read' || planned === undefined) continue;
    for (const { file } of planned.chunk.files) left.add(file);
    if (end.kind === 'left') continue;
    if (isBudgetSpent(end.error)) spent = widest(spent, end.error);
    else if (!isProviderFault(end.error)) throw end.error;
    else failed ??= { provider: planned.share.provider, error: end.error, code: classifyFailure(end.error).code };
  }
  const readings = ends.flatMap((end) => (end.kind === 'read' ? end.parts : []));
  const refused = listRefusals(chunks, ends);
  return { readings, left, refused, failed: spent === null ? failed : null, spent };
}
