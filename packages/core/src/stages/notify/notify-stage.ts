import { CriticizerError } from '../../foundation/errors.js';
import type { JsonObject } from '../../foundation/json.js';
import type { OutboxWorker } from '../../outbox/outbox-worker.js';
import type { Senders } from '../../outbox/senders/senders.js';
import type { OutboxRow } from '../../stores/notify-outbox.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Stage, StageOutcome } from '../../worker/run/stage.js';
import type { ReviewJob } from '../job/review-job.js';
import { openRunOutputs } from '../job/run-outputs.js';
import { readStoredReview } from '../llm/stored-review.js';
import { isSilent, summariseReview } from './review-mail-content.js';
import { identityOf, type StoreMailsOptions, storeMails } from './store-mails.js';

export interface NotifyStageOptions extends StoreMailsOptions {
  /** Mailers and channels of this process. */
  senders: Pick<Senders, 'ids'>;
  outboxWorker: Pick<OutboxWorker, 'tryRows' | 'wake'>;
  logger: Logger;
}

/** How long the stage waits for deliveries before it gives its slot back, in milliseconds. */
const inlineDeliveryWaitMs = 10_000;
/** How long it waits for those alone that are not required: less, since the job may end without them. */
const optionalDeliveryWaitMs = 2_000;
/** The stage reads the rows again after this time: another process may have delivered them. */
const rowRecheckMs = 1_000;

/**
 * The third stage: recipients, frozen mails and their rows, delivery. Done when every required
 * recipient has the mail (NOT-10).
 */
export function createNotifyStage(options: NotifyStageOptions): Stage<ReviewJob> {
  const { outbox, artifacts, clock } = options;
  const reportForeignRows = createForeignRowsWarning(options);
  const reportCountsMails = createCountsNotice(options);

  /**
   * The outbox's worker sends, in this process; the stage waits for it a moment, so that a review
   * that goes well ends under one lease.
   */
  async function awaitDelivery(
    signal: AbortSignal,
    list: () => Promise<readonly OutboxRow[]>,
  ): Promise<{ rows: readonly OutboxRow[]; now: Date }> {
    const startedMs = clock.monotonicMs();
    for (;;) {
      const [now, rows] = await Promise.all([options.storeNow(), list()]);
      const moving = rows.filter((row) => isMoving(row, now) && options.senders.ids.includes(row.via));
      const waitMs = moving.some((row) => row.required) ? inlineDeliveryWaitMs : optionalDeliveryWaitMs;
      if (moving.length === 0 || clock.monotonicMs() - startedMs >= waitMs) {
        if (moving.length > 0) options.outboxWorker.wake();
        return { rows, now };
      }
      const awaited = moving.map(({ id }) => id);
      await options.outboxWorker.tryRows(awaited, { waitMs: rowRecheckMs, signal });
    }
  }

  return {
    name: 'notify',
    async run(context) {
      const { changelistId, reviewVersion } = identityOf(context.job);
      const outputs = openRunOutputs(artifacts, context);
      const review = await readStoredReview(outputs);
      const list = () => outbox.list({ changelistId, reviewVersion, limit: 1_000 });
      const quiet = isSilent(review, options.settings.review) && !options.settings.mail.whenNothingToSay;
      if (!quiet && (await list()).length === 0) reportCountsMails(await storeMails(options, context, outputs, review));
      const { rows, now } = quiet
        ? { rows: [], now: await options.storeNow() }
        : await awaitDelivery(context.signal, list);
      reportForeignRows(rows.filter((row) => row.required));
      const sent = rows.filter((row) => row.notifiedAt !== null).length;
      context.report({ mails: rows.length, sent });
      return outcomeOf(
        rows,
        { ...summariseReview(review, options.settings.review), mails: rows.length, mailsSent: sent },
        now,
      );
    },
  };
}

/** Required and never to be sent by waiting: an operator's case (NOT-9). */
const needsOperator: ReadonlySet<OutboxRow['status']> = new Set(['failed', 'unknown', 'cancelled']);
/** A row under way is looked at again soon, one that waits when it is due. */
const rowDueSoonMs = 250;
/** Only an operator lets a held mail go. */
const heldRecheckMs = 60_000;

/** Being sent, or due. */
function isMoving(row: OutboxRow, now: Date): boolean {
  return row.status === 'sending' || (row.status === 'pending' && row.nextAttemptAt.getTime() <= now.getTime());
}

function outcomeOf(rows: readonly OutboxRow[], result: JsonObject, now: Date): StageOutcome {
  const open = rows.filter((row) => row.required && row.notifiedAt === null);
  if (open.length === 0) return { kind: 'done', result, requireNotified: true };
  const lost = open.filter((row) => needsOperator.has(row.status));
  if (lost.some((row) => row.status !== 'cancelled')) {
    const why = lost.map((row) => row.lastFailure?.code ?? row.status);
    throw new CriticizerError('MAIL_UNDELIVERED', `${lost.length} required recipients have no mail.`, {
      category: 'policy',
      details: { required: rows.filter((row) => row.required).length, undelivered: lost.length, why },
    });
  }
  // A newer version took the mails over: nothing an operator need do, so no dead letter. What is
  // being sent right now ends first.
  if (lost.length === open.length) {
    const message = `A newer version of the review took over the mails of ${lost.length} required recipients.`;
    return {
      kind: 'fail',
      failure: { code: 'REVIEW_SUPERSEDED', category: 'not_found', message },
      result: { ...result, superseded: true },
    };
  }
  const moving = open.filter((row) => row.status !== 'held');
  if (moving.length === 0) return { kind: 'wait', delayMs: heldRecheckMs, reason: 'mail_held' };
  const dueAt = Math.min(...moving.map((row) => row.nextAttemptAt.getTime()));
  return { kind: 'wait', delayMs: Math.max(rowDueSoonMs, dueAt - now.getTime()), reason: 'mail' };
}

/** Says once that mails go out without findings: a forgotten setting looks the same as a wanted one. */
function createCountsNotice({ logger }: NotifyStageOptions): (countsMails: number) => void {
  let isReported = false;
  return (countsMails) => {
    if (countsMails === 0 || isReported) return;
    isReported = true;
    logger.info(
      { event: 'mail.counts_only', countsMails },
      'mails to addresses outside egress.mailDomains have counts and no findings',
    );
  };
}

/**
 * Warns once for each mailer or channel that this process lacks: a row that needs it waits for a process that
 * has it, and there may be none.
 */
function createForeignRowsWarning({ senders, logger }: NotifyStageOptions): (rows: readonly OutboxRow[]) => void {
  const warned = new Set<string>();
  return (rows) => {
    for (const { via, status } of rows) {
      if (status !== 'pending' || senders.ids.includes(via) || warned.has(via)) continue;
      warned.add(via);
      logger.warn(
        { event: 'mail.mailer_missing', via, mailers: senders.ids },
        'a required mail goes by a mailer that this process lacks; it waits for a process that has it',
      );
    }
  };
}
