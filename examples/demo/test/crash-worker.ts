// A review worker that kills itself, SIGKILL, before or after its N-th durable step or the N-th of a
// name, or works to the end without one. usage: crash-worker.ts '{"directory": …, "p4": …, "model":
// …, "mail": …, "crashAt": N | "name of a step #N" | null}'
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { changeNumber, serverId } from '../src/perforce/sample-change.js';
import { openQueue } from '../src/queue/demo-queue.js';
import { createReviewService, type ReviewServiceOptions } from '../src/review-service.js';

interface CrashWorkerOptions extends Omit<ReviewServiceOptions, 'stores'> {
  crashAt: number | string | null;
  /** The number of the change, and the version of its review. Default: the sample change, version 1. */
  change?: number;
  reviewVersion?: number;
}

const {
  crashAt,
  change = changeNumber,
  reviewVersion = 1,
  ...options
} = JSON.parse(process.argv[2] ?? '{}') as CrashWorkerOptions;
const queue = openQueue(options.directory, null);
// Only who is killed needs a lease that ends soon: on a busy machine a short one is lost, and its work begun again.
const service = await createReviewService({
  ...options,
  stores: queue.stores,
  leaseMs: crashAt === null ? 10_000 : (options.leaseMs ?? 2_000),
});
const steps: string[] = [];

function reach(step: string): void {
  steps.push(step);
  const nth = steps.filter((one) => one === step).length;
  if (crashAt === steps.length || crashAt === `${step} #${nth}`) {
    writeFileSync(join(options.directory, 'crashed-at'), step);
    process.kill(process.pid, 'SIGKILL');
  }
}

/**
 * Counts a moment before and one after each call that changes something, leaving out claims and
 * settlements of nothing.
 */
function watch<Target extends object>(name: string, target: Target, method: keyof Target & string): void {
  const original = target[method] as (...args: unknown[]) => Promise<unknown>;
  const watched = async (...args: unknown[]): Promise<unknown> => {
    const isClaim = method === 'claim';
    const what = Array.isArray(args[0]) ? (args[0] as { kind?: string }[]).map((one) => one.kind ?? '').join('+') : '';
    const step = `${name}.${method}${what === '' ? '' : `(${what})`}`;
    if (!isClaim) reach(`before ${step}`);
    const result = await original.apply(target, args);
    if (!isClaim || (result as unknown[]).length > 0) reach(`after ${step}`);
    return result;
  };
  Object.assign(target, { [method]: watched });
}

watch('jobs', queue.stores.jobs, 'claim');
watch('jobs', queue.stores.jobs, 'settle');
watch('outbox', queue.stores.outbox, 'claim');
watch('outbox', queue.stores.outbox, 'recordPhase');
watch('outbox', queue.stores.outbox, 'settle');
watch('egress', queue.stores.egress, 'append');
watch('mailer', service.mailer, 'send');

const { job } = await service.criticizer.submit({ serverId, number: change, reviewVersion });
await service.criticizer.start();
for (;;) {
  const status = await service.criticizer.status(job.id);
  // A job ends with its required mails; the optional one may still be under way.
  const isSent = status?.mails.every((mail) => mail.notifiedAt !== null) === true;
  if (status?.job.status === 'failed' || (status?.job.status === 'completed' && isSent)) {
    process.stdout.write(JSON.stringify({ status: status.job.status, result: status.job.result, steps }));
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 25));
}
await service.close();
await queue.close();
