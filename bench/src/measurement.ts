import { median } from './statistics.ts';

/** A line of results: one figure of one contender, once per round. */
export interface Row {
  contender: string;
  metric: string;
  unit: string;
  /** In the order of rounds; empty where the contender failed. */
  rounds: number[];
  /** Why there is no figure. */
  failed?: string | undefined;
}

export interface Target {
  id: string;
  /** What is compared, in words. */
  says: string;
  /** null: not measured. */
  value: number | null;
  target: number;
  better: 'higher' | 'lower';
  /** null: not measured. */
  pass: boolean | null;
}

/** What a line of the table was measured with, as printed. */
export interface Configured {
  name: string;
  /** The npm package, for its version; undefined for bare SQL. */
  library: string | undefined;
  settings: Readonly<Record<string, unknown>>;
}

export interface Outcome {
  rows: Row[];
  contenders: readonly Configured[];
  targets: Target[];
  /** Lines to print below the table. */
  notes?: string[] | undefined;
}

/** The run's sizes and its server. */
export interface Bench {
  rounds: number;
  /** Smaller sizes: a smoke run whose figures mean nothing. */
  quick: boolean;
  server: DatabaseServer;
  /** A folder for SQLite files; removed at the end. */
  folder: string;
  progress(line: string): void;
}

export interface DatabaseServer {
  /** Makes an empty database, gives its URL to the body, drops it. `settings` are its sessions' defaults. */
  withDatabase<T>(body: (url: string) => Promise<T>, settings?: readonly string[]): Promise<T>;
}

export interface Measurement {
  name: string;
  title: string;
  run(bench: Bench): Promise<Outcome>;
}

/** Rows by contender and metric, made where they are missing. */
export function createRows(): { rows: Row[]; row(contender: string, metric: string, unit: string): Row } {
  const rows: Row[] = [];
  return {
    rows,
    row(contender, metric, unit) {
      const known = rows.find((one) => one.contender === contender && one.metric === metric);
      if (known !== undefined) return known;
      const made: Row = { contender, metric, unit, rounds: [] };
      rows.push(made);
      return made;
    },
  };
}

interface Goal {
  id: string;
  says: string;
  target: number;
  better: 'higher' | 'lower';
}

export function judge(goal: Goal, value: number | null): Target {
  const pass = value === null ? null : goal.better === 'higher' ? value >= goal.target : value <= goal.target;
  return { ...goal, value, pass };
}

/** The median of the ratios of the rounds, each of two neighbours in time: the noise of a minute hits both. */
export function judgeRatio(goal: Goal, ours: Row | undefined, theirs: Row | undefined): Target {
  const rounds = Math.min(ours?.rounds.length ?? 0, theirs?.rounds.length ?? 0);
  const isMeasured = rounds > 0 && ours?.failed === undefined && theirs?.failed === undefined;
  if (!isMeasured) return judge(goal, null);
  return judge(
    goal,
    median(Array.from({ length: rounds }, (_, i) => (ours?.rounds[i] as number) / (theirs?.rounds[i] as number))),
  );
}

/**
 * Runs the body for each contender in each round, starting one further in every round; one that
 * throws is out of the later rounds.
 */
export async function interleave<C extends { name: string }>(
  bench: Bench,
  contenders: readonly C[],
  body: (contender: C, round: number) => Promise<void>,
): Promise<Map<string, string>> {
  const failures = new Map<string, string>();
  for (let round = 0; round < bench.rounds; round++) {
    for (let i = 0; i < contenders.length; i++) {
      const contender = contenders[(i + round) % contenders.length] as C;
      if (failures.has(contender.name)) continue;
      try {
        globalThis.gc?.();
        await body(contender, round);
      } catch (error) {
        failures.set(contender.name, error instanceof Error ? error.message : String(error));
        bench.progress(`${contender.name} FAILED: ${failures.get(contender.name)}`);
      }
    }
  }
  return failures;
}

/** Marks what failed, also where it failed before it had a figure. */
export function markFailures(
  table: ReturnType<typeof createRows>,
  failures: ReadonlyMap<string, string>,
  metric: string,
): void {
  for (const [name, message] of failures) {
    const own = table.rows.filter((row) => row.contender === name);
    for (const row of own.length > 0 ? own : [table.row(name, metric, '')]) row.failed = message;
  }
}
