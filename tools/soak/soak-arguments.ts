import type { FaultCounts } from './nemesis.js';
import type { SoakConfig } from './run-soak.js';

const usage =
  'usage: npm run soak:queue -- [--jobs N] [--kills N] [--store pg|sqlite] [--seed N] [--workers N] [--lease-ms N] [--json FILE] [--mutants]';

export interface SoakArguments {
  config: SoakConfig;
  json: string | undefined;
  mutants: boolean;
}

/**
 * The other faults in proportion to the kills. A file has no server to crash and no connection to
 * cut; its host has one clock, which is stepped.
 */
export function faultsFor(store: SoakConfig['store'], kills: number): FaultCounts {
  const share = (of: number): number => Math.ceil(kills / of);
  const common = { kill: kills, stop: share(12), block: share(25) };
  return store === 'pg'
    ? { ...common, cut: share(4), crash: share(25), clock: 0 }
    : { ...common, cut: 0, crash: 0, clock: share(25) };
}

export function soakConfig(given: {
  store: SoakConfig['store'];
  jobs: number;
  kills: number;
  seed: number;
}): SoakConfig {
  const { store, jobs, kills, seed } = given;
  return {
    store,
    jobs,
    seed,
    workers: 4,
    concurrency: 16,
    leaseMs: 1_500,
    faults: faultsFor(store, kills),
    plain: false,
    planted: null,
    fence: null,
    settle: null,
    delay: { share: 0.01, maxMs: 200 },
    longAfterLoss: 0.2,
    idleLimitMs: 30_000,
  };
}

/** Throws a `TypeError` with the usage for what it does not know. */
export function parseSoakArguments(args: readonly string[]): SoakArguments {
  const given = { store: 'pg' as SoakConfig['store'], jobs: 20_000, kills: 100, seed: Math.floor(Date.now() / 1_000) };
  const more: Partial<Pick<SoakConfig, 'workers' | 'leaseMs'>> = {};
  let json: string | undefined;
  let mutants = false;
  const left = args.filter((arg) => arg !== '--');
  const whole = (name: string, least: number): number => {
    const value = Number(left.shift());
    if (!Number.isInteger(value) || value < least)
      throw new TypeError(`soak: ${name} expects a whole number of at least ${least}; ${usage}`);
    return value;
  };
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (arg === '--jobs') given.jobs = whole(arg, 1);
    else if (arg === '--kills') given.kills = whole(arg, 0);
    else if (arg === '--seed') given.seed = whole(arg, 0);
    else if (arg === '--workers') more.workers = whole(arg, 2);
    else if (arg === '--lease-ms') more.leaseMs = whole(arg, 1_000);
    else if (arg === '--json') json = left.shift();
    else if (arg === '--mutants') mutants = true;
    else if (arg === '--store') {
      const store = left.shift();
      if (store !== 'pg' && store !== 'sqlite') throw new TypeError(`soak: --store expects pg or sqlite; ${usage}`);
      given.store = store;
    } else throw new TypeError(`soak: '${arg}' is no option; ${usage}`);
  }
  return { config: { ...soakConfig(given), ...more }, json, mutants };
}
