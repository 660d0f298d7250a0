import { z } from 'zod';

const severity = z.enum(['critical', 'high', 'medium', 'low', 'info']);
const count = z.int().min(0);

const finding = z.object({
  id: z.string(),
  /** `redaction`: a credential that was withheld from the model. */
  origin: z.enum(['model', 'redaction']),
  severity,
  category: z.string(),
  title: z.string(),
  message: z.string(),
  suggestion: z.string().exactOptional(),
  /** Depot path; null: about the change itself. */
  file: z.string().nullable(),
  /** On the new side, 1-based; null: the file as a whole, or no file. */
  line: z.int().min(1).nullable(),
  end_line: z.int().min(1).nullable(),
  /** `unverified`: nothing in the change confirms it. */
  place: z.enum(['exact', 'moved', 'file', 'unverified']),
  /** Left out: the change has no earlier version to compare with. */
  state: z.enum(['new', 'open']).exactOptional(),
  /** True where a text above is shorter than what the review says. */
  is_cut: z.boolean(),
  /** Redacted code; at content `code` alone, and where it fits. */
  excerpt: z.array(z.object({ line: z.int().min(1), text: z.string(), is_cited: z.boolean() })).exactOptional(),
  /** Where a reader hides the finding. */
  hide_url: z.string().exactOptional(),
});

const data = z.object({
  /** A receiver refuses another number; members may be added under the same one. */
  schema_version: z.literal(1),
  /** What the message holds of the review: `counts` has no text, `findings` no code. */
  content: z.enum(['counts', 'findings', 'code']),
  change: z.object({
    /** `<server_id>/<number>`. */
    id: z.string(),
    server_id: z.string(),
    number: z.int().min(0),
    kind: z.enum(['submitted', 'shelved', 'pending']),
    url: z.string().exactOptional(),
    /** Not at `counts`, nor is `description`. */
    user: z.string().exactOptional(),
    description: z.string().exactOptional(),
  }),
  /** Counts up with each version of the change that is reviewed. */
  review_version: z.int().min(1),
  /**
   * `clean` only where the whole change was reviewed and nothing is left out; else the gravest severity, or why
   * the review may not be called clean. A receiver takes a word that it does not know as not clean.
   */
  verdict: z.string(),
  /** The same for people. */
  verdict_text: z.string(),
  conclusive: z.boolean(),
  /** True where no model read any of the change. */
  without_model: z.boolean(),
  /** Findings of the review by severity, whether or not `findings` holds them. */
  counts: z.object({ critical: count, high: count, medium: count, low: count, info: count }),
  /** Findings that are in no count above. */
  hidden: z.object({ below_floor: count, floor: severity, suppressed: count, dropped: count }),
  files: z.object({ reviewed: count, partial: count, skipped: count, total: count }),
  withheld_secrets: count,
  since_version: z
    .object({
      ...{ review_version: z.int().min(1), new: count, reported_again: count },
      ...{ open: count, resolved: count, not_verifiable: count },
    })
    .exactOptional(),
  summary: z.string().exactOptional(),
  /** Gravest first. Left out at `counts`. */
  findings: z.array(finding).exactOptional(),
  /** Findings of the review that the message has no room for. */
  findings_left_out: count,
});

/**
 * The body of a review's webhook, schema version 1, as a receiver reads it: members that are added later are
 * dropped. Every text is untrusted: a model wrote it from somebody's code, and it is no markup.
 */
export const reviewWebhookSchema = z.object({
  type: z.literal('review.completed'),
  /** When the review was composed: ISO 8601, UTC; the same at every attempt. */
  timestamp: z.iso.datetime(),
  data,
});

/** A body that `reviewWebhookSchema` takes. */
export type ReviewWebhook = z.output<typeof reviewWebhookSchema>;
