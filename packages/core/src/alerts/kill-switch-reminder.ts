import type { Clock } from '../foundation/time/clock.js';
import { withDeadline } from '../foundation/time/with-deadline.js';
import type { Logger } from '../telemetry/logger.js';
import { attribute, metric } from '../telemetry/names.js';
import type { RedactText } from '../telemetry/sanitize-error.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { AlertSource } from './alert-source.js';
import { describeLongStop, type LongStop } from './conditions.js';
import { createGroupGauge } from './measure-backlog.js';

/** What an operator's kill switch has stopped since one instant. */
interface Stop extends Omit<LongStop, 'lastsMs'> {
  /** In the operator's words. */
  reason: string | null;
}

/** Where the stops are read, and where it is said that they last. */
export interface KillSwitchReminderOptions {
  /** The oldest first. */
  listStops(): Promise<readonly Stop[]>;
  /** `Stores.now`. */
  storeNow(): Promise<Date>;
  /** `alerts.killSwitchReminderMs`. */
  everyMs: number | null;
  /** Ids of this process's pagers. */
  pagerIds: readonly string[];
  redactText: RedactText;
  clock: Clock;
  logger: Logger;
  telemetry: Telemetry;
}

/** Says again and again that the kill switch is on: nobody but a person releases it (EGR-4, OPS-3). */
export interface KillSwitchReminder {
  /** What the pagers are called for. */
  source: AlertSource;
  /** For each sweep: measures how long things are stopped, and logs each reminder once in this process. */
  remind(): Promise<void>;
}

/** Stops and destinations that are named at most, the oldest first. */
const mostStops = 20;
/** Limit of one call of the store, in milliseconds. */
const callTimeoutMs = 10_000;

/** The stops that have lasted for one reminder or more, each with the age of its last one. */
export function findLongStops<S extends Omit<LongStop, 'lastsMs'>>(
  stops: readonly S[],
  nowMs: number,
  everyMs: number,
): readonly (S & LongStop)[] {
  return stops.slice(0, mostStops).flatMap((stop) => {
    const reminders = Math.floor((nowMs - stop.since.getTime()) / everyMs);
    return reminders < 1 ? [] : [{ ...stop, lastsMs: reminders * everyMs }];
  });
}

/** Reads the switch through the store in every process: no leader, and nothing to lose in a crash. */
export function createKillSwitchReminder(options: KillSwitchReminderOptions): KillSwitchReminder {
  const { listStops, storeNow, everyMs, pagerIds, redactText, clock, logger, telemetry } = options;
  const showAges = createGroupGauge(telemetry, metric.killSwitchAge);
  /** The age of the last reminder that was logged, by the stop's instant. */
  let logged = new Map<number, number>();

  async function read(): Promise<{ stops: readonly Stop[]; nowMs: number }> {
    const bounded = <T>(call: string, work: Promise<T>): Promise<T> =>
      withDeadline({ clock, ms: callTimeoutMs, call }, work);
    const stops = await bounded('documents.read', listStops());
    return { stops, nowMs: (await bounded('stores.now', storeNow())).getTime() };
  }

  function log({ destinations, since, lastsMs, reason }: Stop & LongStop): void {
    const stoppedPagers = pagerIds.filter((id) => destinations?.includes(`pager:${id}`) ?? true);
    const fields = {
      event: 'kill_switch.on',
      destinations: destinations?.slice(0, mostStops) ?? 'all',
      ...{ since: since.toISOString(), lastsMs, note: reason === null ? null : redactText(reason), stoppedPagers },
    };
    const reaches = stoppedPagers.length < pagerIds.length;
    if (reaches) logger.warn(fields, 'the kill switch is on for long, and only a person releases it');
    else logger.error(fields, 'the kill switch is on for long, no pager can be called, and only a person releases it');
  }

  return {
    source: {
      name: 'kill-switch',
      async read() {
        if (everyMs === null) return [];
        const { stops, nowMs } = await read();
        return findLongStops(stops, nowMs, everyMs).map(describeLongStop);
      },
    },
    async remind() {
      const { stops, nowMs } = await read();
      const ages = stops.flatMap(({ destinations, since }) =>
        (destinations ?? ['all']).map((name) => ({
          labels: { [attribute.stopped]: name },
          value: Math.max(0, nowMs - since.getTime()) / 1_000,
        })),
      );
      showAges(ages.slice(0, mostStops));
      const long = everyMs === null ? [] : findLongStops(stops, nowMs, everyMs);
      const before = logged;
      logged = new Map(long.map(({ since, lastsMs }) => [since.getTime(), lastsMs]));
      for (const stop of long) if (stop.lastsMs > (before.get(stop.since.getTime()) ?? 0)) log(stop);
    },
  };
}
