import { z } from 'zod';
import {
  type ModelFinding,
  reviewFindingSchema,
  type SecretFinding,
  secretFindingSchema,
} from '../merge/review-finding.js';

/** What took a finding out of a review (GRD-8). */
interface SuppressedBy {
  suppression: {
    id: string;
    /** What the suppression covers: one finding, a rule, paths. */
    scope: string;
  };
}

/** A finding that a suppression took out of a review. */
export type SuppressedFinding = (ModelFinding & SuppressedBy) | (SecretFinding & SuppressedBy);

const suppressedFields = { suppression: z.object({ id: z.string(), scope: z.string() }) };

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
    /** Digest of the section that it stands in; null where the diff has none. */
    section: string | null;
    /** The review that read it. */
    reviewVersion: number;
  }[];
}

/** A file's reading at rest. */
export const fileReadingSchema = z.object({
  file: z.string().min(1),
  hunks: z.array(z.object({ hunk: z.string(), section: z.string().nullable(), reviewVersion: z.int().min(1) })),
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
