// The harness on trial: each bad queue must be convicted of what it does, and a good one under the same faults must not.
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

/** Small: few kills, more freezes, and an end to the waiting for a job that is stuck. */
export function mutantConfig(planted: PlantedQueueFault | null, seed: number): SoakConfig {
  return {
    ...soakConfig({ store: 'pg', jobs: 600, kills: 0, seed }),
    workers: 3,
    leaseMs: 1_000,
    faults: { kill: 6, stop: 3, block: 1, cut: 0, crash: 0, clock: 0 },
    plain: true,
    planted,
    idleLimitMs: 3_000,
  };
}

const figures = ({ verdict }: SoakReport): string =>
  `lost ${verdict.lost}, duplicate effects ${verdict.duplicates}, stuck ${verdict.stuck}, stale writes refused ${verdict.staleRefused}`;

export async function runMutants(seed: number, print: (line: string) => void, signal?: AbortSignal): Promise<boolean> {
  const honest = await runSoak(mutantConfig(null, seed), signal);
  const clean = honest.verdict.lost + honest.verdict.duplicates + honest.verdict.stuck === 0;
  print(`nothing planted: ${clean ? 'cleared' : 'CONVICTED'} (${figures(honest)})`);
  let convicted = 0;
  for (const planted of plantedQueueFaults) {
    const report = await runSoak(mutantConfig(planted, seed), signal);
    const guilty = report.verdict[crimes[planted]] > 0;
    if (guilty) convicted++;
    print(`${planted}: ${guilty ? 'convicted' : 'NOT CONVICTED'} (${figures(report)})`);
  }
  print(`${convicted} of ${plantedQueueFaults.length} convicted`);
  return clean && convicted === plantedQueueFaults.length;
}
