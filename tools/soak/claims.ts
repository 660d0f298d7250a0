// The claims of each job as workers wrote them down.
import type { LogLine } from './worker-log.js';

export interface Claim {
  worker: string;
  token: string;
  atMs: number;
  closed: boolean;
  /** Leases the stage had lost before; and whether a stage ended well under this one. */
  lost: number;
  advanced: boolean;
}

/** By the number of the job. */
export function timelines(logs: ReadonlyMap<string, readonly LogLine[]>): Map<number, Claim[]> {
  const byJob = new Map<number, Claim[]>();
  const of = (n: number): Claim[] => {
    const known = byJob.get(n) ?? [];
    byJob.set(n, known);
    return known;
  };
  for (const [worker, lines] of logs)
    for (const line of lines) {
      if (line.what === 'claim')
        of(line.n).push({
          worker,
          token: line.token,
          atMs: line.atMs,
          closed: false,
          lost: line.lost,
          advanced: false,
        });
      else if (line.what === 'settled')
        for (const claim of of(line.n).filter(({ token }) => token === line.token)) {
          if (line.effect === 'advance') claim.advanced = true;
          if (/^(end|requeue):/.test(line.effect)) claim.closed = true;
        }
    }
  return byJob;
}
