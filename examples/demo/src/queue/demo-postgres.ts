import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ReviewStatus } from '@criticizer/core';
import type { OutboxRow } from '@criticizer/core/ports';
import { type DemoReviews, openEndpoints, print, reportAll, submitAll } from '../demo-review.js';
import { createTroubleWatch } from '../report/demo-failure.js';
import { createProgress } from '../report/demo-progress.js';
import { createReviewService } from '../review-service.js';
import type { CleanUp } from '../state/demo-clean-up.js';
import type { DemoDatabase, DemoQueue } from './demo-queue.js';
import { startWorkers } from './demo-workers.js';
import type { WorkerMessage } from './review-worker.js';

/**
 * How many copies of this mail the journal on this machine holds; one that left through another
 * server is known by its row alone.
 */
function copiesText(directory: string, { key, status }: OutboxRow, hasJournal: boolean): string {
  if (!hasJournal) return status;
  const copies = readdirSync(join(directory, 'mail')).filter(
    (name) => name.startsWith(key) && name.endsWith('.eml'),
  ).length;
  return `${copies} mail`;
}

/** Who did what, and how many mails each recipient has. */
function splitText(
  directory: string,
  names: readonly string[],
  stages: readonly ReadonlyMap<string, string[]>[],
  ends: readonly ReviewStatus[],
  hasJournal: boolean,
) {
  const shares = names.map((name, i) => {
    const done = [...(stages[i] ?? [])].map(([change, names]) => `${change}: ${names.join(', ')}`);
    return `  ${name}  ${done.join('; ') || 'nothing was left for it'}`;
  });
  const mails = ends.flatMap((end) =>
    end.mails.map((mail) => `  ${mail.recipient}  ${mail.changelistId}: ${copiesText(directory, mail, hasJournal)}`),
  );
  return ['Workers', ...shares, 'Mails', ...mails].join('\n');
}

/** What the workers tell, as lines of one screen and as the split at the end. */
function createWatch(submitted: readonly ReviewStatus[]) {
  const trouble = createTroubleWatch();
  const changeOf = new Map(submitted.map(({ job }) => [job.id, job.changelistId ?? job.id]));
  const stages = [new Map<string, string[]>(), new Map<string, string[]>()];
  let speaker = '';
  const progress = new Map(
    [...changeOf].map(([id, change]) => [
      id,
      createProgress(process.stdout, () => `${speaker.padEnd(8)}  ${change}  `),
    ]),
  );
  return {
    stages,
    onMessage(worker: number, message: WorkerMessage): void {
      if (message.type === 'trouble') trouble.logger.warn({ code: message.code }, message.text);
      if (message.type !== 'job') return;
      const { event } = message;
      speaker = `worker ${worker + 1}`;
      progress.get(event.jobId)?.onEvent(event);
      const change = changeOf.get(event.jobId);
      if (
        change === undefined ||
        event.type !== 'stage.ended' ||
        (event.outcome !== 'next' && event.outcome !== 'done')
      )
        return;
      stages[worker]?.set(change, [...(stages[worker].get(change) ?? []), event.stage]);
    },
    look(status: ReviewStatus, hint: string): void {
      trouble.check();
      speaker = '';
      progress.get(status.job.id)?.look(status, hint);
    },
  };
}

/** The same reviews on PostgreSQL: this process submits and watches, two others work. */
export async function reviewOnPostgres(
  directory: string,
  { stores, database }: { stores: DemoQueue['stores']; database: DemoDatabase },
  reviews: DemoReviews,
  cleanUp: CleanUp,
  signal: AbortSignal,
): Promise<number> {
  const { url: databaseUrl, schema } = database;
  print(
    `PostgreSQL: the demo's tables are in the schema ${schema}. It reads and changes nothing else in that database.`,
  );
  const { endpoints, mailHint } = await openEndpoints(directory, reviews.endpoints, cleanUp, signal);
  const options = { directory, p4: reviews.perforce.connection, ...endpoints };
  const service = await createReviewService({ ...options, stores });
  cleanUp(() => service.close());
  const submitted = await submitAll(service, directory, reviews, signal);
  if (typeof submitted === 'number') return submitted;

  const watch = createWatch(submitted);
  const workers = await startWorkers(2, { options: { ...options, schema }, databaseUrl }, cleanUp, watch.onMessage);
  print(`Workers: ${workers.names.join(', ')}`);
  workers.start();
  const look = (status: ReviewStatus): void => {
    workers.check();
    watch.look(status, mailHint());
  };
  const { ends, exitCode } = await reportAll(service, directory, submitted, look, signal);
  print(`\n${splitText(directory, workers.names, watch.stages, ends, endpoints.mail.hasJournal)}`);
  return exitCode;
}
