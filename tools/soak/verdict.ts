// Judges a run from the ledger alone. Pure: what the enqueuer was acknowledged, what committed,
// what the workers' files say.
import { type Claim, timelines } from './claims.js';
import type { EffectRow } from './ledger.js';
import type { SettleMode } from './recorded-jobs.js';
import { type Recovery, type RecoveryFacts, recoveriesOf } from './recovery.js';
import type { JobPlan } from './soak-job.js';
import type { LogLine } from './worker-log.js';

export interface SoakFacts extends RecoveryFacts {
  /** Numbers of the jobs whose enqueue was acknowledged. */
  acked: ReadonlySet<number>;
  planOf(n: number): JobPlan;
  /** True where a completed job's row is deleted. */
  isDeleted(n: number): boolean;
  effects: readonly EffectRow[];
  /** The status of every row the queue has at the end. */
  rows: ReadonlyMap<number, string>;
  logs: ReadonlyMap<string, readonly LogLine[]>;
  modes: ReadonlyMap<string, SettleMode>;
  /** Workers that were stopped or blocked past their lease and woke. */
  frozen: ReadonlySet<string>;
}

export interface SoakVerdict {
  enqueued: number;
  completed: number;
  deadLettered: number;
  /** Acknowledged, gone from the queue or finished there, and its effect was never made. */
  lost: number;
  /** Acknowledged and still in the queue when all else had ended. */
  stuck: number;
  /** Effects that committed more often than once. */
  duplicates: number;
  /** Effects of jobs nobody enqueued, ends that no plan has, rows and effects that disagree. */
  unexpected: number;
  /**
   * Jobs whose row was deleted at their end and that a repeated enqueue made anew, since a deletion
   * frees the key: what the enqueuer asks for when it repeats itself, not a fault of the queue. Of
   * a kind whose rows are kept it is `unexpected`.
   */
  anew: number;
  /** Jobs that ended although a worker lost or left them. */
  recovered: number;
  /** Settlements refused because another worker had the job by then; of those, by workers that had been frozen. */
  staleRefused: number;
  staleRefusedOfFrozen: number;
  /** Settlements that the queue acknowledged under a token that the job's row did not have: a fence is missing. */
  unfenced: number;
  /** Heartbeats refused, and handlers aborted because their lease was lost. */
  beatsRefused: number;
  aborted: number;
  /** Effects outside the database: made, and made again. */
  calls: number;
  resent: number;
  /** Of all jobs held by killed workers. */
  recoveries: readonly Recovery[];
  /** Settlements by kind, as workers saw them. */
  settled: Readonly<Record<string, number>>;
}

/** Ends are one effect, however the job ended. */
const effectClass = (effect: string): string => (effect.startsWith('end:') ? 'end' : effect);

/** Committed effects by job and class; a double is one that a single source tells of twice. */
class Committed {
  readonly #rows = new Map<string, EffectRow[]>();

  constructor(effects: readonly EffectRow[]) {
    for (const row of effects) {
      if (row.source === 'transition') continue;
      const key = `${row.n} ${row.source} ${effectClass(row.effect)}`;
      const known = this.#rows.get(key);
      if (known === undefined) this.#rows.set(key, [row]);
      else known.push(row);
    }
  }

  first(n: number, source: EffectRow['source'], name: string): EffectRow | undefined {
    return this.#rows.get(`${n} ${source} ${name}`)?.[0];
  }

  duplicates(): number {
    const worst = new Map<string, number>();
    for (const [key, rows] of this.#rows) {
      if (rows.length === 1) continue;
      const [, , name] = key.split(' ');
      const byJob = new Map<string, number>();
      for (const { job } of rows) byJob.set(job, (byJob.get(job) ?? 0) + 1);
      for (const [job, count] of byJob)
        worst.set(`${job} ${name}`, Math.max(worst.get(`${job} ${name}`) ?? 0, count - 1));
    }
    return [...worst.values()].reduce((sum, extra) => sum + extra, 0);
  }

  /** The rows of each effect of one job that a single source tells of more than once. */
  repeated(): EffectRow[][] {
    const groups = [...this.#rows.values()].filter((rows) => rows.length > 1);
    return groups.filter((rows) => new Set(rows.map(({ job }) => job)).size < rows.length);
  }

  /** How many jobs of this number ended. */
  jobsOf(n: number): number {
    return new Set(this.#rows.get(`${n} database end`)?.map(({ job }) => job)).size;
  }
}

/** The rows of the first effects that a single source tells of twice, for whoever looks for the cause. */
export function describeDuplicates(effects: readonly EffectRow[], limit = 5): readonly string[] {
  return new Committed(effects)
    .repeated()
    .slice(0, limit)
    .map((rows) => `made more than once: ${JSON.stringify(rows)}`);
}

type End = 'done' | 'dead-letter';
const endOf = (row: EffectRow): End => (row.effect === 'end:done' ? 'done' : 'dead-letter');

/**
 * How each acknowledged job ended by the ledger; undefined for one that did not, or whose worker's
 * effect is missing.
 */
function ends(committed: Committed, modeOf: (n: number, token: string) => SettleMode | undefined) {
  return (n: number): End | undefined => {
    const [database, settlement] = [committed.first(n, 'database', 'end'), committed.first(n, 'settlement', 'end')];
    if (database === undefined) return undefined;
    if (modeOf(n, database.token) === 'transaction') return settlement === undefined ? undefined : endOf(settlement);
    return endOf(database);
  };
}

function countUnexpected(facts: SoakFacts, committed: Committed, endedAs: (n: number) => End | undefined): number {
  const strange = new Set<string>();
  for (const row of facts.effects) {
    if (!facts.acked.has(row.n)) strange.add(`${row.n} nobody enqueued it`);
    if (
      row.source === 'settlement' &&
      row.effect.startsWith('end:') &&
      committed.first(row.n, 'database', 'end') === undefined
    )
      strange.add(`${row.n} an effect without a change of the queue`);
  }
  const statusOf = { done: 'completed', 'dead-letter': 'failed' } as const;
  for (const n of facts.acked) {
    const end = endedAs(n);
    if (end === undefined) continue;
    const plan = facts.planOf(n);
    if (committed.jobsOf(n) > 1 && !facts.isDeleted(n)) strange.add(`${n} one key, several jobs`);
    if (end !== plan.end) strange.add(`${n} ended otherwise than planned`);
    if ((committed.first(n, 'database', 'advance') !== undefined) !== (plan.stages === 2))
      strange.add(`${n} went through other stages`);
    const expected = end === 'done' && facts.isDeleted(n) ? undefined : statusOf[end];
    if (facts.rows.get(n) !== expected) strange.add(`${n} its row says otherwise`);
  }
  for (const n of facts.rows.keys()) if (!facts.acked.has(n)) strange.add(`${n} a row nobody was acknowledged`);
  return strange.size;
}

/** `advance`, `end`, `checkpoint` or `requeue`. */
const transitionOf = (effect: string): string => effect.replace(/:.*/, '');

/** Acknowledged settlements whose token no row had when it changed so. */
function countUnfenced({ effects, logs }: SoakFacts): number {
  const tokens = new Set(
    effects.flatMap(({ source, n, effect, token }) =>
      source === 'settlement' ? [] : [`${n} ${transitionOf(effect)} ${token}`],
    ),
  );
  const settled = [...logs.values()].flatMap((lines) => lines.filter((line) => line.what === 'settled'));
  return settled.filter(({ n, effect, token }) => !tokens.has(`${n} ${transitionOf(effect)} ${token}`)).length;
}

export function judge(facts: SoakFacts): SoakVerdict {
  const committed = new Committed(facts.effects);
  const byJob = timelines(facts.logs);
  const claimOf = (n: number, token: string): Claim | undefined => byJob.get(n)?.find((claim) => claim.token === token);
  const endedAs = ends(committed, (n, token) => facts.modes.get(claimOf(n, token)?.worker ?? ''));
  const jobs = [...facts.acked].map((n) => ({ n, end: endedAs(n), row: facts.rows.get(n) }));
  const open = jobs.filter(({ end }) => end === undefined);
  const isInQueue = (row: string | undefined): boolean => row === 'queued' || row === 'running';
  const lines = [...facts.logs].flatMap(([worker, of]) => of.map((line) => ({ worker, line })));
  const called = lines.flatMap(({ line }) => (line.what === 'called' ? [line.n] : []));
  const stale = lines.filter(({ line }) => {
    if (line.what !== 'refused') return false;
    const own = claimOf(line.n, line.token);
    const takenOver = byJob
      .get(line.n)
      ?.some((claim) => claim.token !== line.token && own !== undefined && claim.atMs > own.atMs);
    return takenOver === true && committed.first(line.n, 'database', 'end')?.token !== line.token;
  });
  const settled: Record<string, number> = {};
  for (const { line } of lines) {
    if (line.what !== 'settled') continue;
    const kind = line.effect.split(':')[0] === 'checkpoint' ? 'checkpoint' : line.effect.replace(/^(end|requeue):/, '');
    settled[kind] = (settled[kind] ?? 0) + 1;
  }
  return {
    enqueued: facts.acked.size,
    completed: jobs.filter(({ end }) => end === 'done').length,
    deadLettered: jobs.filter(({ end }) => end === 'dead-letter').length,
    lost: open.filter(({ row }) => !isInQueue(row)).length,
    stuck: open.filter(({ row }) => isInQueue(row)).length,
    duplicates: committed.duplicates(),
    unexpected: countUnexpected(facts, committed, endedAs),
    anew: jobs.filter(({ n }) => committed.jobsOf(n) > 1 && facts.isDeleted(n)).length,
    recovered: jobs.filter(({ n, end }) => {
      const claims = byJob.get(n) ?? [];
      return end !== undefined && claims.length > 1 && claims.some(({ closed }) => !closed);
    }).length,
    staleRefused: stale.length,
    staleRefusedOfFrozen: stale.filter(({ worker }) => facts.frozen.has(worker)).length,
    unfenced: countUnfenced(facts),
    beatsRefused: lines.filter(({ line }) => line.what === 'beat-refused').length,
    aborted: lines.filter(({ line }) => line.what === 'aborted').length,
    calls: called.length,
    resent: called.length - new Set(called).size,
    recoveries: recoveriesOf(facts, byJob),
    settled,
  };
}

/** The smallest value that `share` of the sorted values do not exceed; 0 of none. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
