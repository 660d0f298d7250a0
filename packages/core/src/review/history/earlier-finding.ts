import { z } from 'zod';
import {
  type ModelFinding,
  reviewFindingSchema,
  type SecretFinding,
  secretFindingSchema,
} from '../merge/review-finding.js';

/** What became of an open finding of an earlier review that this one did not report. */
export const EARLIER_STATES = ['open', 'resolved', 'not_verifiable'] as const;
/** One of `EARLIER_STATES`. */
export type EarlierState = (typeof EARLIER_STATES)[number];

/**
 * Why an earlier finding has its state. `answered`: the model said so. `unanswered`: it gave no
 * valid answer, or got no question. `overruled`: it called resolved what is as it was and is reported
 * again. `file_deleted`, `file_left`, `file_unread`: the file was deleted, is no part
 * of the change any more, or was not read. `secret_gone`, `secret_unknown`: redaction does not find
 * the credential any more, or had no text to look at.
 */
export const EARLIER_REASONS = [
  ...(['answered', 'unanswered', 'overruled'] as const),
  ...(['file_deleted', 'file_left', 'file_unread'] as const),
  ...(['secret_gone', 'secret_unknown'] as const),
] as const;
/** One of `EARLIER_REASONS`. */
export type EarlierReason = (typeof EARLIER_REASONS)[number];

/** What became of an earlier finding, and why. */
interface EarlierOutcome {
  state: EarlierState;
  because: EarlierReason;
  /** The model's reason for its answer, redacted; empty where it gave none. */
  reason: string;
  /** The review that last reported it, and the line that it named; null: the file as a whole. */
  lastReported: { reviewVersion: number; line: number | null };
}

/**
 * A finding that an earlier review of the change reported and this one did not (GRD-6). Its `place`
 * is the one that it has now: `line` is null where its line is not found again.
 */
export type EarlierFinding =
  | (Omit<ModelFinding, 'state'> & EarlierOutcome)
  | (Omit<SecretFinding, 'state'> & EarlierOutcome);

const outcomeFields = {
  state: z.enum(EARLIER_STATES),
  because: z.enum(EARLIER_REASONS),
  reason: z.string(),
  lastReported: z.object({ reviewVersion: z.int().min(1), line: z.int().min(1).nullable() }),
};

/** An earlier finding at rest. */
export const earlierFindingSchema = z.discriminatedUnion('origin', [
  reviewFindingSchema.extend({ origin: z.literal('model'), ...outcomeFields }),
  secretFindingSchema.extend(outcomeFields),
]) satisfies z.ZodType<EarlierFinding>;
