import type { Stores } from '@criticizer/core/queue';

// #region why
/** Where a job stands, what it failed of last, and the dead letter to replay once that is mended. */
export async function explain<Tx>(stores: Stores<Tx>, jobId: string): Promise<string> {
  const [job] = await stores.jobs.get([jobId]);
  if (job === undefined || job === null) return 'no such job: it was pruned, or never stored';
  const attempts = job.attempts[job.stage] ?? 0;
  const lines = [`${job.status} in ${job.stage} after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`];
  if (job.lastFailure !== null) {
    const { code, category, message } = job.lastFailure;
    lines[0] += `: ${code} (${category}), ${message}`;
  }
  // An outage: no attempt is spent, and the job goes on by itself.
  if (job.waitingFor !== null) lines.push(`waits for ${job.waitingFor}, looks again at ${job.runAt.toISOString()}`);
  const letters = await stores.deadLetters.list({ status: 'open', kind: job.kind });
  for (const letter of letters.filter((one) => one.jobId === job.id))
    lines.push(`open since ${letter.createdAt.toISOString()}, dead letter ${letter.id}`);
  return lines.join('\n');
}
// #endregion
