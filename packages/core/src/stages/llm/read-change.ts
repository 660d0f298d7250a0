import pLimit from 'p-limit';
import { classifyFailure } from '../../foundation/failure.js';
import type { LlmProvider } from '../../llm/llm-provider.js';
import type { Diagnostic } from '../../review/diagnostics.js';
import { metric } from '../../telemetry/names.js';
import type { LlmStageOptions, ReviewUnderWay } from './ask-model.js';
import type { PartReading } from './ask-part.js';
import { type PlannedChunk, planReview } from './plan-review.js';
import { type ProviderShare, shareChange } from './provider-shares.js';
import { reviewChunk } from './review-chunk.js';
import { type BudgetSpent, isBudgetSpent } from './spending/review-budget.js';
import { type FailedProvider, findStandIns, isProviderFault } from './stand-ins.js';

/** What was read of a change, and the steps that led there. */
export interface ChangeReading {
  readings: readonly PartReading[];
  diagnostics: readonly Diagnostic[];
}

/** How the chunks of one plan ended. */
interface ChunksRead {
  readings: readonly PartReading[];
  /** Files of chunks that were not read. */
  left: ReadonlySet<number>;
  failed: FailedProvider | null;
  /** A budget that is spent; what is under it is not asked about. */
  spent: BudgetSpent | null;
}

/**
 * Reads a change by its providers, `llm.concurrency` chunks at a time. Where a provider of a
 * fallback fails, what is left is planned anew for those that may stand in. Where the budget of
 * some files is spent these are left unread and the rest is planned anew; any other spent budget
 * leaves all that is left. Rejects with the first failure that nobody can stand in for, once every
 * request under way has ended.
 */
export async function readChange(options: LlmStageOptions, review: ReviewUnderWay): Promise<ChangeReading> {
  const readings: PartReading[] = [];
  const diagnostics: Diagnostic[] = [];
  let providers: readonly LlmProvider[] = options.providers;
  let left: ReadonlySet<number> | null = null;
  for (;;) {
    const shares = shareChange({ ...options, ...review, providers });
    const { chunks } = planReview(keepLeft(shares, left), { variant: review.variant, settings: options.settings.llm });
    const read = await readChunks(options, review, chunks);
    readings.push(...read.readings);
    if (read.spent !== null) {
      const { budget, files } = read.spent;
      diagnostics.push({ code: 'budget_spent', budget });
      if (files === null) return { readings, diagnostics };
      left = new Set([...read.left].filter((file) => !files.has(file)));
      continue;
    }
    if (read.failed === null) return { readings, diagnostics };
    const { provider, error, code } = read.failed;
    const others = findStandIns(options, review, providers, provider);
    if (others.length === 0) throw error;
    diagnostics.push({ code: 'provider_failed', provider: provider.id, reason: code });
    options.telemetry.count(metric.llmFallback, 1, { 'gen_ai.provider.name': provider.id, 'error.type': code });
    review.context.logger.warn(
      { provider: provider.id, errorCode: code, next: others.map(({ id }) => id) },
      'a model provider failed; another one reads what is left of the change',
    );
    providers = others;
    left = read.left;
  }
}

/** Only the files that nobody has read yet. */
function keepLeft(shares: readonly ProviderShare[], left: ReadonlySet<number> | null): readonly ProviderShare[] {
  if (left === null) return shares;
  return shares
    .map((share) => ({ ...share, files: new Set([...share.files].filter((file) => left.has(file))) }))
    .filter(({ files }) => files.size > 0);
}

/** How one chunk ended; it never rejects, so that requests beside it are waited for. */
type ChunkEnd = { kind: 'read'; parts: readonly PartReading[] } | { kind: 'failed'; error: unknown } | { kind: 'left' };

async function readChunks(
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
  return { readings, left, failed: spent === null ? failed : null, spent };
}
