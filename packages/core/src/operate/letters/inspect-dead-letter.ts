import type { DeadLetter } from '../../stores/dead-letter-store.js';
import type { Job } from '../../stores/job.js';
import type { OutboxRow } from '../../stores/notify-outbox.js';
import type { OperatorParts } from '../operation.js';
import { type JobArtifact, listArtifacts } from './replay-report.js';

/** A dead letter with all that an operator asks about it. */
export interface InspectedLetter {
  letter: DeadLetter;
  /** Null where the job was removed after its retention. */
  job: Job | null;
  /** Every dead letter of the job, oldest first: `letter` is one of them. */
  history: readonly DeadLetter[];
  /** What the job's stages left, and whether it can still be read. Nothing is read here. */
  artifacts: readonly JobArtifact[];
  /** The mails of the job, newest first. */
  mails: readonly OutboxRow[];
}

/** Reads a dead letter, its job, its artifacts' state and its mails; null where there is none. */
export async function inspectDeadLetter(
  {
    stores,
  }: {
    stores: Pick<OperatorParts<unknown>['stores'], 'modules' | 'jobs' | 'deadLetters' | 'outbox' | 'artifactManifest'>;
  },
  deadLetterId: string,
): Promise<InspectedLetter | null> {
  const letter = await stores.deadLetters.get(deadLetterId);
  if (letter === null) return null;
  const job = (await stores.jobs.get([letter.jobId]))[0] ?? null;
  const [history, mails, artifacts] = await Promise.all([
    stores.deadLetters.list({ jobId: letter.jobId, limit: 1_000 }),
    stores.modules.includes('notify') ? stores.outbox.list({ jobId: letter.jobId, limit: 1_000 }) : [],
    job === null ? [] : listArtifacts({ stores }, job),
  ]);
  return { letter, job, history: [...history].reverse(), artifacts, mails };
}
