import { z } from 'zod';
import { type Disposition, dispositions } from '../../foundation/disposition.js';
import {
  type ModelFinding,
  reviewFindingSchema,
  type SecretFinding,
  secretFindingSchema,
} from '../merge/review-finding.js';

/** The suppression that took a finding out of a review, as it stood then (GRD-8). */
export interface AppliedSuppression {
  id: string;
  /** `finding`: it names the finding. `rule`: the finding fits its conditions. */
  scope: 'finding' | 'rule';
  disposition: Disposition;
  /** Who: a person's or an account's name, or `link:` and a digest of the recipient. Redacted. */
  by: string;
  /** The actor's reason, redacted. */
  reason: string;
  /** ISO 8601; null: until it is withdrawn. */
  until: string | null;
}

interface SuppressedBy {
  suppression: AppliedSuppression;
}

/** A finding that a suppression took out of a review. */
export type SuppressedFinding = (ModelFinding & SuppressedBy) | (SecretFinding & SuppressedBy);

const suppressedFields = {
  suppression: z.object({
    id: z.string(),
    scope: z.enum(['finding', 'rule']),
    disposition: z.enum(dispositions),
    by: z.string(),
    reason: z.string(),
    until: z.iso.datetime().nullable(),
  }) satisfies z.ZodType<AppliedSuppression>,
};

/** A suppressed finding at rest. */
export const suppressedFindingSchema = z.discriminatedUnion('origin', [
  reviewFindingSchema.extend({ origin: z.literal('model'), ...suppressedFields }),
  secretFindingSchema.extend(suppressedFields),
]) satisfies z.ZodType<SuppressedFinding>;

/** Which hunks of a file a model read, and for which review version of the change. */
export interface FileReading {
  file: string;
  hunks: readonly {
    /** Digest of the hunk. */
    hunk: string;
    /** Digest of the sections that its changed lines are in; null where none is known. */
    section: string | null;
    /** Digest of the model, and of the question that it got besides the change. */
    question: string;
    /** The review that read it. */
    reviewVersion: number;
  }[];
}

/** A file's reading at rest. */
export const fileReadingSchema = z.object({
  file: z.string().min(1),
  hunks: z.array(
    z.object({
      hunk: z.string(),
      section: z.string().nullable(),
      question: z.string(),
      reviewVersion: z.int().min(1),
    }),
  ),
}) satisfies z.ZodType<FileReading>;

/** The review that a review was compared with. */
export interface ReviewHistory {
  reviewVersion: number;
  jobId: string;
}

/** A review's history at rest. */
export const reviewHistorySchema = z.object({
  reviewVersion: z.int().min(1),
  jobId: z.string(),
}) satisfies z.ZodType<ReviewHistory>;
