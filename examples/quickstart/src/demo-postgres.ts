import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ReviewStatus } from '@criticizer/core';
import type { CleanUp } from './demo-clean-up.js';
import { createTroubleWatch } from './demo-failure.js';
import { createProgress } from './demo-progress.js';
import type { DemoDatabase, DemoQueue } from './demo-queue.js';
import { type DemoReviews, print, reportAll, startServers, submitAll } from './demo-review.js';
import { startWorkers } from './demo-workers.js';
import { createReviewService } from './review-service.js';
import type { WorkerMessage } from './review-worker.js';

/** Of the mail server's journal: how often it took this mail. */
function copies(directory: string, key: string): number {
  return readdirSync(join(directory, 'mail')).filter((name) => name.startsWith(key) && name.endsWith('.eml')).length;
}

/** Who did what, and how many mails each recipient has. */
function splitText(
  directory: string,
  names: readonly string[],
  stages: readonly ReadonlyMap<string, string[]>[],
  ends: readonly ReviewStatus[],
) {
  const shares = names.map((name, i) => {
    const done = [...(stages[i] ?? [])].map(([change, names]) => `${change}: ${names.join(', ')}`);
    return `  ${name}  ${done.join('; ') || 'nothing was left for it'}`;
  });
  const mails = ends.flatMap((end) =>
    end.mails.map((mail) => `  ${mail.recipient}  ${mail.changelistId}: ${copies(directory, mail.key)} mail`),
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
    [...changeOf].map(([id, change]) => [id, createProgress(process.stdout, () => `${speaker.padEnd(8)}  ${change}  `)]),
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
      if (change === undefined || event.type !== 'stage.ended' || (event.outcome !== 'next' && event.outcome !== 'done')) return;
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
  print(`PostgreSQL: the demo's tables are in the schema ${schema}. It reads and changes nothing else in that database.`);
  const { addresses, mailHint } = await startServers(directory, cleanUp, signal);
  const options = { directory, p4: reviews.perforce.connection, ...addresses };
  const service = await createReviewService({ ...options, stores });
  cleanUp(() => service.close());
  const submitted = await submitAll(service, directory, reviews);
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
  print(`\n${splitText(directory, workers.names, watch.stages, ends)}`);
  return exitCode;
}
