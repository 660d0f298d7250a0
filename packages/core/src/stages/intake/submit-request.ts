import { z } from 'zod';
import { type SkipReason, skipReasons } from '../../changes/change.js';
import { buildChangelistId } from '../../foundation/changelist-id.js';
import { CriticizerError } from '../../foundation/errors.js';
import type { Mailers } from '../../outbox/senders/mailers.js';
import type { NewJob } from '../../stores/job-store.js';
import { fetchStageName, reviewKind } from '../job/review-job.js';
import { mergeRecipients, parseRecipients } from '../recipients/merge-recipients.js';
import type { Recipient } from '../recipients/recipient-resolver.js';

/** Which change to review, in which version, for whom. */
export interface SubmitRequest {
  serverId: string;
  /** The changelist's number, from 1 to 2147483647. */
  number: number;
  /** A whole number from 1; a higher one than before is a new review of the same change (NOT-2). */
  reviewVersion: number;
  /** Beside those the resolver names. */
  recipients?: readonly Recipient[] | undefined;
  /** Default: made of change and version, so that a repeated submit is a duplicate (NOT-1). */
  idempotencyKey?: string | undefined;
  /** Higher runs first. Default 0. */
  priority?: number | undefined;
  delayMs?: number | undefined;
  /**
   * Who noticed the change, such as `watcher` or `trigger`: lower-case letters and dashes, 32 at most.
   * It stands in the job's payload. A change that was noticed and is not there any more when it is
   * fetched ends as the skip reason `gone`; without `seenBy` it fails.
   */
  seenBy?: string | undefined;
  /** Read the whole change, also what the review of an earlier version read (`review.incremental`). Default false. */
  readAll?: boolean | undefined;
  /**
   * Stored as a change that was seen and is not reviewed, with this as its end (INT-1). `detail`
   * holds nothing of the change.
   */
  skipped?: { reason: SkipReason; detail: string } | undefined;
}

const name = z.string().regex(/^[^\p{C}]{0,200}$/u, 'a name of at most 200 printable characters');

const submitRequestSchema = z.strictObject({
  serverId: z.string(),
  number: z.int().min(1).max(2_147_483_647),
  reviewVersion: z.int().min(1).max(2_147_483_647),
  recipients: z
    .array(
      z.strictObject({
        address: z.string(),
        name: name.optional(),
        required: z.boolean(),
        via: z.string().min(1).max(64).optional(),
        reason: name.optional(),
      }),
    )
    .optional(),
  idempotencyKey: z.string().min(1).max(512).optional(),
  priority: z.int().optional(),
  delayMs: z.number().min(0).optional(),
  seenBy: z
    .string()
    .regex(/^[a-z][a-z-]{0,31}$/, 'expected lower-case letters and dashes, 32 at most')
    .optional(),
  readAll: z.boolean().optional(),
  skipped: z.strictObject({ reason: z.enum(skipReasons), detail: z.string().max(200) }).optional(),
}) satisfies z.ZodType<SubmitRequest>;

/** Throws one `TypeError` that names every wrong field and what was expected, before anything is stored or paid. */
function readSubmitRequest(request: SubmitRequest): SubmitRequest {
  const read = submitRequestSchema.safeParse(request);
  if (read.success) return read.data;
  throw new TypeError(
    read.error.issues.map((issue) => `${['submit', ...issue.path].join('.')}: ${issue.message}`).join('\n'),
  );
}

/**
 * The job of a submit, ready to be stored. Throws `TypeError` for a malformed request,
 * `RECIPIENT_INVALID`, `MAILER_UNKNOWN`, and `SERVER_UNKNOWN` for a server that is not in `servers`.
 */
export function newReviewJob(
  request: SubmitRequest,
  { servers, mailers }: { servers: Pick<ReadonlySet<string>, 'has'>; mailers: Mailers },
): NewJob {
  const read = readSubmitRequest(request);
  const { serverId, number, reviewVersion, recipients = [], priority, delayMs, seenBy, skipped, readAll } = read;
  if (!servers.has(serverId))
    throw new CriticizerError('SERVER_UNKNOWN', `No change fetcher is wired for the server "${serverId}".`, {
      category: 'not_found',
    });
  const parsed = parseRecipients(recipients);
  mergeRecipients(parsed, mailers); // refuses a wrong mailer now, not after the model was paid
  const changelistId = buildChangelistId({ serverId, number });
  const payload = {
    serverId,
    number,
    recipients: parsed.map(({ address, recipientKey, name, required, via, reason }) => ({
      address,
      recipientKey,
      required,
      ...(name === undefined ? {} : { name }),
      ...(via === undefined ? {} : { via }),
      ...(reason === undefined ? {} : { reason }),
    })),
    ...(delayMs === undefined ? {} : { delayMs }),
    ...(seenBy === undefined ? {} : { seenBy }),
    ...(readAll === true ? { readAll } : {}),
  };
  return {
    kind: reviewKind,
    payload,
    stage: fetchStageName,
    idempotencyKey: read.idempotencyKey ?? `${reviewKind}:${changelistId}:v${reviewVersion}`,
    changelistId,
    reviewVersion,
    priority,
    delayMs,
    completedWith: skipped === undefined ? undefined : { skipped: skipped.reason, detail: skipped.detail },
  };
}
