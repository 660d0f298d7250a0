// The harness on trial: each bad queue must be convicted of what it does, and a good one under the
// same faults must not.
import { type PlantedFence, plantedFences } from './planted-fences.js';
import { type PlantedQueueFault, plantedQueueFaults } from './planted-queue-faults.js';
import { runSoak, type SoakConfig, type SoakReport } from './run-soak.js';
import { soakConfig } from './soak-arguments.js';
import type { SoakVerdict } from './verdict.js';

/** The count each bad queue must drive above 0. */
export const crimes: Readonly<Record<PlantedQueueFault, keyof SoakVerdict & ('lost' | 'duplicates' | 'stuck')>> = {
  unfenced: 'duplicates',
  'ack-first': 'lost',
  'host-clock': 'stuck',
};

const leaseMs = 1_000;

/** Small: few kills, more freezes, and an end to the waiting for a job that is stuck. */
export function mutantConfig(planted: PlantedQueueFault | null, seed: number): SoakConfig {
  return {
    ...soakConfig({ store: 'pg', jobs: 600, kills: 0, seed }),
    workers: 3,
    leaseMs,
    faults: { kill: 6, stop: 3, block: 1, cut: 0, crash: 0, clock: 0 },
    plain: true,
    planted,
    idleLimitMs: 3_000,
  };
}

/**
 * Freezes past the lease while settlements are on a slow way to the database, and long jobs for who
 * takes over: the late settlement meets a job that runs under another token. Where only the token
 * is missing, one worker is alone, so that it meets a claim of its own.
 */
export function fenceConfig(store: PlantedFence['store'], fence: PlantedFence | null, seed: number): SoakConfig {
  const isAlone = fence?.missing === 'token';
  // Runs are deleted by the dozen, so a claim must take dozens.
  const isRun = fence?.name.startsWith('delete_runs') === true;
  return {
    ...soakConfig({ store, jobs: isRun ? 1_600 : isAlone ? 150 : 400, kills: 0, seed }),
    workers: isAlone ? 1 : 3,
    concurrency: isRun ? 64 : 16,
    leaseMs,
    faults: { kill: 0, stop: isAlone ? 4 : 6, block: 0, cut: 0, crash: 0, clock: 0 },
    plain: true,
    fence,
    settle: fence?.name.startsWith('settle_jobs') === true ? 'transaction' : 'plain',
    delay: { share: 0.5, maxMs: isAlone ? 3 * leaseMs : leaseMs },
    longAfterLoss: 1,
    idleLimitMs: 5_000,
  };
}

const figures = ({ verdict }: SoakReport): string =>
  `lost ${verdict.lost}, duplicate effects ${verdict.duplicates}, stuck ${verdict.stuck}, settled under another token ${verdict.unfenced}, stale writes refused ${verdict.staleRefused}`;

const isClean = ({ verdict }: SoakReport): boolean =>
  verdict.lost + verdict.duplicates + verdict.stuck + verdict.unfenced === 0;

/** Prints a line for each; true where every bad queue was convicted and the good ones were not. */
export async function runMutants(seed: number, print: (line: string) => void, signal?: AbortSignal): Promise<boolean> {
  let [clean, convicted] = [true, 0];
  for (const config of [mutantConfig(null, seed), fenceConfig('pg', null, seed), fenceConfig('sqlite', null, seed)]) {
    const honest = await runSoak(config, signal);
    clean &&= isClean(honest);
    print(`${config.store}, nothing planted: ${isClean(honest) ? 'cleared' : 'CONVICTED'} (${figures(honest)})`);
  }
  const conclude = (name: string, report: SoakReport, guilty: boolean): void => {
    if (guilty) convicted++;
    print(`${name}: ${guilty ? 'convicted' : 'NOT CONVICTED'} (${figures(report)})`);
  };
  for (const planted of plantedQueueFaults) {
    const report = await runSoak(mutantConfig(planted, seed), signal);
    conclude(planted, report, report.verdict[crimes[planted]] > 0);
  }
  for (const fence of plantedFences) {
    const report = await runSoak(fenceConfig(fence.store, fence, seed), signal);
    conclude(`${fence.store}: ${fence.name}`, report, report.verdict.unfenced > 0);
  }
  const planted = plantedQueueFaults.length + plantedFences.length;
  print(`${convicted} of ${planted} convicted`);
  return clean && convicted === planted;
}
