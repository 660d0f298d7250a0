// A soak's figures as a table and as JSON, and what they must be.
import { cpus } from 'node:os';
import type { SoakReport } from './run-soak.js';
import { percentile } from './verdict.js';

export interface Target {
  id: string;
  value: number;
  target: number;
  better: 'higher' | 'lower';
  pass: boolean;
}

const atMost = (id: string, value: number, target: number): Target => ({
  id,
  value,
  target,
  better: 'lower',
  pass: value <= target,
});
const atLeast = (id: string, value: number, target: number): Target => ({
  id,
  value,
  target,
  better: 'higher',
  pass: value >= target,
});

/** Recovery of 99 in 100 jobs of killed workers, past the lease they had. */
const recoveryBudgetMs = 1_500;

/** From the kill to another worker's claim. */
const afterKillMs = ({ verdict }: SoakReport): number[] => verdict.recoveries.map((one) => one.afterKillMs);

/** Less the lease that had to end first. */
const pastLeaseMs = (report: SoakReport): number[] =>
  afterKillMs(report).map((ms) => Math.max(0, ms - report.config.leaseMs));

/** Less the time in which a frozen process kept the database's one write lock, which no queue can take from it. */
const ownMs = ({ verdict, config }: SoakReport): number[] =>
  verdict.recoveries.map((one) => Math.max(0, one.afterKillMs - config.leaseMs - one.stalledMs));

function atShare(times: readonly number[], share: number): number {
  return Math.round(
    percentile(
      times.toSorted((a, b) => a - b),
      share,
    ),
  );
}

const p50AndP99 = (times: readonly number[]): string => `${atShare(times, 0.5)} / ${atShare(times, 0.99)} ms`;

/** What holds whatever the machine's load: a fault test asks for these. */
export function safetyTargets(report: SoakReport): Target[] {
  const { verdict, config, done } = report;
  const targets = [
    atMost('lost', verdict.lost, 0),
    atMost('stuck', verdict.stuck, 0),
    atMost('duplicate effects', verdict.duplicates, 0),
    atMost("settled under a token that was not the row's", verdict.unfenced, 0),
    atMost('unexpected', verdict.unexpected + report.feed.wrong.length, 0),
    atMost('workers that ended unasked', report.complaints.length, 0),
    atLeast('enqueued', verdict.enqueued, config.jobs),
    atLeast('ended', verdict.completed + verdict.deadLettered, config.jobs),
  ];
  if (done.stop + done.block > 0) targets.push(atLeast('stale writes refused', verdict.staleRefused, 1));
  if (report.integrity !== null) targets.push(atMost('integrity_check not ok', report.integrity === 'ok' ? 0 : 1, 0));
  return targets;
}

export function targetsOf(report: SoakReport): Target[] {
  if (report.verdict.recoveries.length === 0) return safetyTargets(report);
  return [
    ...safetyTargets(report),
    atMost('recovery p99 past the lease, ms', atShare(ownMs(report), 0.99), recoveryBudgetMs),
  ];
}

const list = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

/** Two columns. */
export function tableOf(report: SoakReport): string {
  const { verdict, done, feed, config } = report;
  const rows: [string, string | number][] = [
    ['store', report.database],
    [
      'run',
      `${config.jobs} jobs, ${config.workers} workers of ${config.concurrency}, lease ${config.leaseMs} ms, seed ${config.seed}`,
    ],
    ['worker clocks', report.clocks],
    ['planted', config.fence?.name ?? config.planted ?? 'nothing'],
    [
      'faults',
      list({
        kills: done.kill,
        stops: done.stop,
        blocks: done.block,
        cuts: done.cut,
        'server crashes': done.crash,
        'clock steps': done.clock,
      }),
    ],
    ...(done.cut === 0 ? [] : [['  connections broken', report.connectionsBroken] as [string, number]]),
    ['enqueued (acked)', verdict.enqueued],
    ['  batches sent again', feed.resent],
    ['  keys answered as known', feed.duplicates],
    ['completed', verdict.completed],
    ['dead-lettered (as planned)', verdict.deadLettered],
    ['lost', verdict.lost],
    ['stuck', verdict.stuck],
    ['duplicate effects', verdict.duplicates],
    ['unexpected', verdict.unexpected + feed.wrong.length],
    ['deleted, enqueued again', verdict.anew],
    ['recovered jobs', verdict.recovered],
    ['stale writes refused', `${verdict.staleRefused} (${verdict.staleRefusedOfFrozen} of frozen workers)`],
    ["settled under a token not the row's", verdict.unfenced],
    ['heartbeats refused', verdict.beatsRefused],
    ['handlers aborted', verdict.aborted],
    ['outside calls', verdict.calls],
    ['  of them re-sent', verdict.resent],
    ['settlements', list(verdict.settled)],
    ['jobs of killed workers taken over', verdict.recoveries.length],
    ['  after the kill, p50 / p99', p50AndP99(afterKillMs(report))],
    ['  past the lease, p50 / p99', p50AndP99(pastLeaseMs(report))],
    ...(report.stalls.length === 0
      ? []
      : [
          [`  and past ${report.stalls.length} stalls behind a frozen writer`, p50AndP99(ownMs(report))] as [
            string,
            string,
          ],
        ]),
    ...(report.integrity === null ? [] : [['integrity_check', report.integrity] as [string, string]]),
    ['seconds', report.seconds.toFixed(1)],
    ['jobs per second', Math.round(config.jobs / report.seconds)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const complaints = [...report.complaints, ...report.repeated, ...feed.wrong.slice(0, 5)].map((text) => `! ${text}`);
  return [...rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`), ...complaints].join('\n');
}

/** The common form of soaks and benches. */
export function jsonOf(name: string, report: SoakReport): string {
  const { config, verdict, done, feed, integrity, complaints, clocks, seconds } = report;
  const { recoveries, ...counts } = verdict;
  const recovery = {
    jobs: recoveries.length,
    p50Ms: atShare(afterKillMs(report), 0.5),
    p99Ms: atShare(afterKillMs(report), 0.99),
    p99PastLeaseMs: atShare(pastLeaseMs(report), 0.99),
    p99PastLeaseAndStallsMs: atShare(ownMs(report), 0.99),
    stallsMs: report.stalls.map(({ fromMs, toMs }) => Math.round(toMs - fromMs)),
  };
  const json = {
    name,
    date: new Date().toISOString(),
    machine: { cpus: cpus().length, model: cpus()[0]?.model, platform: `${process.platform} ${process.arch}` },
    versions: { node: process.version, database: report.database },
    config: { ...config, clocks },
    results: {
      ...counts,
      recovery,
      faults: done,
      connectionsBroken: report.connectionsBroken,
      feed,
      integrity,
      complaints,
      seconds,
    },
    targets: targetsOf(report),
  };
  return `${JSON.stringify(json, null, 2)}\n`;
}
