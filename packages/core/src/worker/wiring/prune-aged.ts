import type { Clock } from '../../foundation/time/clock.js';
import { withDeadline } from '../../foundation/time/with-deadline.js';
import type { Settings } from '../../settings/settings.js';
import type { RetainedTable, RetentionRequest } from '../../stores/retention-store.js';
import type { Stores } from '../../stores/stores.js';
import { errorFacts } from '../../telemetry/error-facts.js';
import type { Logger } from '../../telemetry/logger.js';
import { attribute, metric } from '../../telemetry/names.js';
import type { Telemetry } from '../../telemetry/telemetry.js';
import type { Duty } from './queue-upkeep.js';

/** What the duty works on. */
export interface RetentionDutyOptions {
  stores: Pick<Stores<never>, 'retention' | 'artifactManifest'>;
  settings: Settings['retention'];
  clock: Clock;
  logger: Logger;
  telemetry: Telemetry;
}

/** Ages are days: a look an hour is often enough, and an old row more or less costs nothing. */
const everyMs = 3_600_000;
/** One transaction prunes no more than this, and one turn no more than so many of them. */
const page = 1_000;
const mostPages = 10;
/** Of one call; the rest of its table waits for the next turn. */
const callMs = 60_000;
/**
 * Rows are present too long once they have outlived their age by this: turns come an hour apart, and a
 * backlog goes in steps.
 */
const slackMs = 6 * everyMs;

/** Documents that come and go with models and budgets. All others are states that somebody set. */
const transientPrefix = 'llm.';

/** The age of each table by the settings; null: never. Jobs are pruned by the queue's own upkeep. */
function listAges(settings: Settings['retention']): readonly (readonly [RetainedTable, number | null])[] {
  return [
    ['jobs', settings.finishedJobsMs],
    ['mails', settings.mailsMs],
    ['dead_letters', settings.closedLettersMs],
    ['egress_log', settings.egressMs],
    ['samples', settings.samplesMs],
    ['documents', settings.documentsMs],
    ['cursors', settings.cursorsMs],
    ['artifact_rows', settings.artifactRowsMs],
    ['suppressions', settings.suppressionsMs],
  ];
}

// long: the steps of one turn, each short, over the same stores
/**
 * Removes what is past its age, page by page, once an hour in each process, and measures what is
 * past it and still there (OPS-4). A table that fails is logged and keeps none of the others.
 */
export function createRetentionDuty(options: RetentionDutyOptions): Duty {
  const { stores, settings, clock, logger, telemetry } = options;
  const { retention, artifactManifest } = stores;
  let dueAtMs = clock.monotonicMs();

  const bounded = <T>(call: string, work: Promise<T>): Promise<T> => withDeadline({ clock, ms: callMs, call }, work);

  async function prune(table: RetainedTable, request: RetentionRequest, signal: AbortSignal): Promise<void> {
    for (let pages = 0; pages < mostPages && !signal.aborted; pages++) {
      const pruned = await bounded('retention.prune', retention.prune(table, { ...request, limit: page }));
      if (pruned > 0) telemetry.count(metric.rowsPruned, pruned, { [attribute.table]: table });
      if (pruned < page) return;
    }
  }

  async function measure(table: RetainedTable, request: RetentionRequest): Promise<void> {
    const late = { ...request, olderThanMs: request.olderThanMs + slackMs };
    const expired = await bounded('retention.countExpired', retention.countExpired(table, late));
    telemetry.gauge(metric.rowsExpired, expired, { [attribute.table]: table });
  }

  async function keepAge(table: RetainedTable, olderThanMs: number, signal: AbortSignal): Promise<void> {
    const request = { olderThanMs, ...(table === 'documents' ? { prefix: transientPrefix } : {}) };
    if (table !== 'jobs') await prune(table, request, signal);
    await measure(table, request);
  }

  /** Their sweep has run just before, as every sweep does. */
  async function measureArtifacts(): Promise<void> {
    const expired = await bounded('artifactManifest.countExpired', artifactManifest.countExpired());
    for (const namespace of ['raw', 'redacted'] as const)
      telemetry.gauge(metric.rowsExpired, expired[namespace], { [attribute.table]: `artifacts_${namespace}` });
  }

  return async (signal) => {
    if (clock.monotonicMs() < dueAtMs) return;
    dueAtMs = clock.monotonicMs() + everyMs;
    const turns = listAges(settings).map(([table, olderThanMs]) => ({
      table,
      turn: async () => (olderThanMs === null ? undefined : keepAge(table, olderThanMs, signal)),
    }));
    for (const { table, turn } of [...turns, { table: 'artifacts', turn: measureArtifacts }]) {
      if (signal.aborted) return;
      try {
        await turn();
      } catch (error) {
        logger.warn(
          { event: 'retention.prune_failed', table, ...errorFacts(error) },
          'rows past their age could not be removed; the next turn tries again',
        );
      }
    }
  };
}
