import { z } from 'zod';
import { actorTypes } from '../../foundation/actor.js';
import { computeCohort } from '../../foundation/cohort.js';
import type { JsonObject, JsonValue } from '../../foundation/json.js';
import type { VariantSubject } from '../prompt-variant.js';

/** Name of the document in `stores.documents` that holds the rollout. */
export const promptRolloutDocument = 'prompt.rollout';

/** By what jobs are divided: all reviews of an author, or of a part of the depot, are on the same side. */
export const promptSlices = ['author', 'path'] as const;
export type PromptSlice = (typeof promptSlices)[number];

const instant = z.iso.datetime();
const variant = z.string().min(1).max(128);
const rate = z.number().nullable();

const latchSchema = z.object({
  /** The gate that failed. */
  gate: z.enum(['rejected', 'findings', 'dropped']),
  at: instant,
  /** Until when only an explicit override releases it. */
  coolDownUntil: instant,
  windowMs: z.number(),
  candidate: rate,
  baseline: rate,
  limit: rate,
  sample: z.number(),
});

const rolloutSchema = z.object({
  state: z.enum(['running', 'promoted', 'rolled_back']),
  baseline: variant,
  candidate: variant,
  percentage: z.number().min(0).max(100),
  slice: z.enum(promptSlices),
  since: instant,
  by: z.object({ type: z.enum(actorTypes), id: z.string() }),
  reason: z.string(),
  latch: latchSchema.nullable(),
});

/** A gate's roll-back, which only a person releases (PR-6). Times are ISO 8601, by the store's clock. */
export type PromptLatch = z.output<typeof latchSchema>;

/**
 * A rollout as it is stored. `baseline` and `candidate` are names of variants (`nameVariant`), `percentage`
 * is the candidate's share of authors or paths, `since` the instant when the candidate's slice began.
 * `promoted`: the candidate is what everybody gets; `rolled_back`: the baseline is.
 */
export type PromptRollout = z.output<typeof rolloutSchema>;

/** Reads the document's value; null for one never written, and for one that holds no rollout. */
export function readPromptRollout(value: JsonValue): PromptRollout | null {
  return rolloutSchema.safeParse(value).data ?? null;
}

/** The rollout as the document holds it. */
export function writePromptRollout(rollout: PromptRollout): JsonObject {
  return JSON.parse(JSON.stringify(rollout)) as JsonObject;
}

/** The first two segments of the first path in order, `//depot/main`; null without a path. */
function findProject(paths: readonly string[]): string | null {
  const [first] = [...paths].sort();
  return first === undefined ? null : first.split('/').slice(0, 4).join('/');
}

/**
 * Whether a review is on the candidate's side: sticky, the same in every process, and the same still at a
 * higher percentage. Another candidate has another slice, so that nobody gets every new prompt first.
 */
export function isInSlice(
  { candidate, percentage, slice }: Pick<PromptRollout, 'candidate' | 'percentage' | 'slice'>,
  { author, paths }: VariantSubject,
): boolean {
  const project = findProject(paths);
  const key = slice === 'path' && project !== null ? project : author;
  return computeCohort(`${candidate}\n${key}`) < percentage;
}
