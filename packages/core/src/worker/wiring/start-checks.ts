import { CriticizerError } from '../../foundation/errors.js';
import type { Clock } from '../../foundation/time/clock.js';
import { withDeadline } from '../../foundation/time/with-deadline.js';
import type { Settings } from '../../settings/settings.js';
import type { Stores } from '../../stores/stores.js';
import type { Logger } from '../../telemetry/logger.js';
import { metric } from '../../telemetry/names.js';
import type { Telemetry } from '../../telemetry/telemetry.js';

export interface StartChecks {
  /** Throws `SCHEMA_OLD` or `LIMIT_DISAGREES`; nothing may be claimed before it resolved. */
  check(): Promise<void>;
  /** Measures host against store clock, exports the difference, warns beyond the budget (INV-7). */
  measureSkew(): Promise<void>;
}

export interface StartChecksOptions {
  stores: Pick<Stores<never>, 'limits' | 'now' | 'migrationPlan'>;
  settings: Pick<Settings, 'worker' | 'clock'>;
  clock: Clock;
  logger: Logger;
  telemetry: Telemetry;
}

/** What every process asks of the database before it claims: whoever runs a worker asks the same. */
export function createStartChecks(options: StartChecksOptions): StartChecks {
  const { stores, clock, logger, telemetry } = options;
  const { maxRunning } = options.settings.worker;

  /** The error names the steps; the plan's SQL, for whoever may run DDL where this process may not, goes to the log. */
  async function checkSchema(): Promise<void> {
    // The first call: a store that migrates by itself does so here; no other tells the plan.
    const pending = await stores.migrationPlan();
    if (pending.length === 0) return;
    const steps = pending.map(({ module, name }) => `${module}/${name}`);
    for (const [at, { sha256, sql }] of pending.entries())
      logger.error({ event: 'schema.migration_missing', step: steps[at], sha256, sql }, 'a migration is missing');
    const message = `Run migrate() first; missing: ${steps.join(', ')}. migrationPlan() gives their SQL.`;
    throw new CriticizerError('SCHEMA_OLD', message, { details: { steps } });
  }

  async function checkLimit(): Promise<void> {
    if (maxRunning === null) return;
    const agreement = await stores.limits.agree('running', maxRunning);
    if (agreement.outcome !== 'disagrees') return;
    const message = `Other processes run with worker.maxRunning ${agreement.value}, this one with ${maxRunning}.`;
    throw new CriticizerError('LIMIT_DISAGREES', message, { details: { others: agreement.value, own: maxRunning } });
  }

  /** Nothing depends on the difference, because the store's clock decides: it is shown, not corrected. */
  async function measureSkew(): Promise<void> {
    const asked = clock.nowMs();
    const storeMs = (
      await withDeadline({ clock, ms: options.settings.worker.leaseMs, call: 'stores.now' }, stores.now())
    ).getTime();
    const skewMs = (asked + clock.nowMs()) / 2 - storeMs;
    telemetry.gauge(metric.clockSkew, skewMs / 1_000);
    if (Math.abs(skewMs) > options.settings.clock.skewBudgetMs)
      logger.warn(
        { event: 'clock.skewed', skewMs: Math.round(skewMs) },
        'host and store clock differ beyond the budget',
      );
  }

  return {
    async check() {
      await checkSchema();
      await checkLimit();
      await measureSkew();
    },
    measureSkew,
  };
}
