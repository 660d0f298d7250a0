import { z } from 'zod';
import type { ParsedRecipient } from '../recipients/merge-recipients.js';

/** The kind of a changelist's review. */
export const reviewKind = 'review';

/** The stage that a review begins with. */
export const fetchStageName = 'fetch';

/** What a review job is about; change and version stand in the row's own columns too. */
export interface ReviewJob {
  serverId: string;
  number: number;
  /** Beside those the resolver names. */
  recipients: readonly ParsedRecipient[];
  /**
   * How long the submit itself put the review off, in milliseconds: no age of it
   * (`review.maxAgeMs`). Absent: not at all.
   */
  delayMs?: number | undefined;
  /** Who noticed the change, for operators. Absent: the submit did not say. */
  seenBy?: string | undefined;
  /** Reads what earlier reviews of the change read, too (`review.incremental`). Absent: it does not. */
  readAll?: true | undefined;
}

export const reviewJobSchema: z.ZodType<ReviewJob> = z.strictObject({
  serverId: z.string().regex(/^[a-z0-9][a-z0-9.-]{0,62}$/),
  number: z.int().min(1),
  recipients: z.array(
    z.strictObject({
      address: z.string(),
      recipientKey: z.string(),
      name: z.string().optional(),
      required: z.boolean(),
      via: z.string().optional(),
      reason: z.string().optional(),
    }),
  ),
  delayMs: z.number().min(0).optional(),
  seenBy: z.string().optional(),
  readAll: z.literal(true).optional(),
});
