import type { DeadLetter, NewDeadLetter, ReplayRequest } from '../../../stores/dead-letter-store.js';
import type { NewJob } from '../../../stores/job-store.js';
import type { Stores } from '../../../stores/stores.js';
import { claimed, leaseMs, one, person, running, sampleDeadLetter, sampleFailure, settled } from '../sample-rows.js';

/** A job that advanced to `llm` with an output, failed twice there, lost a lease and was dead-lettered. */
export async function deadJob<Tx>(
  stores: Stores<Tx>,
  letter: Partial<NewDeadLetter> = {},
  job: Partial<NewJob> = {},
): Promise<DeadLetter> {
  const { lease } = await running(stores, job);
  const kinds = [job.kind ?? 'review'];
  await settled(stores, {
    lease,
    kind: 'advance',
    stage: 'llm',
    leaseMs,
    effects: { outputs: { 'fetch.redacted': 'a-1' } },
  });
  await settled(stores, { lease, kind: 'retry', delayMs: 0, failure: sampleFailure() });
  const second = await claimed(stores, { kinds });
  await settled(stores, { lease: second.lease, kind: 'dead-letter', deadLetter: sampleDeadLetter(letter) });
  return one(
    (await stores.deadLetters.list({})).filter((found) => found.jobId === lease.jobId && found.status === 'open'),
  );
}

/** The request that replays this letter at its own stage. */
export function replayOf(letter: DeadLetter, over: Partial<ReplayRequest> = {}): ReplayRequest {
  return {
    deadLetterId: letter.id,
    stage: letter.stage,
    fromStart: false,
    actor: person('op-1'),
    evidence: 'INC-7: schema fixed',
    ...over,
  };
}
