import { z } from 'zod';
import { type Artifacts, isArtifactGone } from '../../artifacts/artifacts.js';
import type { LlmReply, StructuredMode } from '../../llm/llm-provider.js';
import { modeLadder } from '../../llm/mode-ladder.js';
import type { StageContext } from '../../worker/run/stage.js';
import type { ReviewJob } from '../job/review-job.js';
import { usageSchema } from './model-usage.js';

/** Who gave a reply, how it was asked for, and by which variant and versions of prompt and schema. */
export interface Reviewer {
  provider: string;
  model: string;
  mode: StructuredMode;
  /** Id of the prompt variant. */
  variant: string;
  promptVersion: string;
  schemaVersion: string;
}

/** Each reviewer once, in the order of the first replies. */
export function listDistinct(reviewers: readonly Reviewer[]): readonly Reviewer[] {
  return [...new Map(reviewers.map((reviewer) => [JSON.stringify(reviewer), reviewer])).values()];
}

/** A reply, and the mode that it was given in. */
export interface ModelAnswer {
  mode: StructuredMode;
  reply: LlmReply;
}

/** A reply at rest, raw. */
export interface StoredReply {
  format: 2;
  /** Who was asked, and by which versions. */
  asked: Omit<Reviewer, 'mode'>;
  /** The first answer and, where it got one, the answer to its repair request. */
  answers: readonly ModelAnswer[];
}

const replyNotes = [
  'text_beside_tool_call',
  'several_tool_calls',
  'several_choices',
  'legacy_function_call',
  'unknown_stop',
] as const;

/** A reviewer as a stored review or reply names it. */
export const reviewerSchema = z.object({
  provider: z.string(),
  model: z.string(),
  mode: z.enum(modeLadder as readonly [StructuredMode, ...StructuredMode[]]),
  variant: z.string(),
  promptVersion: z.string(),
  schemaVersion: z.string(),
}) satisfies z.ZodType<Reviewer>;

const replySchema = z.object({
  stop: z.enum([
    'complete',
    'truncated_output',
    'context_overflow',
    'refused',
    'content_filtered',
    'empty',
    'provider_error',
  ]),
  text: z.string(),
  moreTexts: z.array(z.string()).optional(),
  notes: z.array(z.enum(replyNotes)).optional(),
  usage: usageSchema,
  requestId: z.string().nullable(),
  providerStop: z.string().nullable(),
}) satisfies z.ZodType<LlmReply>;

const storedSchema = z.object({
  format: z.literal(2),
  asked: reviewerSchema.omit({ mode: true }),
  answers: z
    .array(z.object({ mode: reviewerSchema.shape.mode, reply: replySchema }))
    .min(1)
    .max(2),
}) satisfies z.ZodType<StoredReply>;

type ReplyContext = Pick<StageContext<ReviewJob>, 'job' | 'outputs' | 'checkpoint'>;

/**
 * The reply that an earlier run stored under `name`; null where there is none, where it has expired
 * (a job may be replayed after its raw artifacts are gone), or where its form is not this
 * version's: the question is then asked again. Throws what the artifact store throws.
 */
export async function readStoredReply(
  artifacts: Artifacts,
  context: ReplyContext,
  name: string,
): Promise<StoredReply | null> {
  const id = context.outputs()[name];
  if (id === undefined) return null;
  try {
    const { body } = await artifacts.read(id);
    const read = storedSchema.safeParse(JSON.parse(Buffer.from(body).toString('utf8')));
    return read.success ? read.data : null;
  } catch (error) {
    if (error instanceof SyntaxError || isArtifactGone(error)) return null;
    throw error;
  }
}

/** Commits a reply under `name`, so that a worker that takes over reads it instead of paying for it again. */
export async function storeReply(
  artifacts: Artifacts,
  context: ReplyContext,
  name: string,
  stored: StoredReply,
): Promise<void> {
  const { job } = context;
  const about = { namespace: 'raw', purpose: 'reply', contentType: 'application/json', redaction: null } as const;
  const id = await artifacts.write(
    { ...about, changelistId: job.changelistId, jobId: job.id },
    Buffer.from(JSON.stringify(stored), 'utf8'),
  );
  await context.checkpoint({ outputs: { [name]: id }, publish: [id] });
}
