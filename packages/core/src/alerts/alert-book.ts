import type { Clock } from '../foundation/time/clock.js';
import { withDeadline } from '../foundation/time/with-deadline.js';
import type { Settings } from '../settings/settings.js';
import type { DocumentStore } from '../stores/document-store.js';
import { errorFacts } from '../telemetry/error-facts.js';
import type { Logger } from '../telemetry/logger.js';
import { attribute, metric } from '../telemetry/names.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { checkCondition } from './alert-condition.js';
import { readAlerts, type StoredAlerts, writeAlerts } from './alert-document.js';
import type { AlertSource } from './alert-source.js';
import { type AlertChange, type AlertsState, applySights, type Reading } from './alert-state.js';
import { mendInstants } from './mend-instants.js';
import type { Sights } from './sights.js';

/** What the book is kept with. */
export interface AlertBookOptions {
  documents: Pick<DocumentStore<never>, 'read' | 'write'>;
  storeNow(): Promise<Date>;
  sources: readonly AlertSource[];
  /** What this process sees by itself. */
  sights: Sights;
  settings: Settings['alerts'];
  clock: Clock;
  logger: Logger;
  telemetry: Telemetry;
}

/** The shared record of what is wrong. */
export interface AlertBook {
  /** Brings the record up to date with what sources and this process see. */
  update(signal: AbortSignal): Promise<void>;
  read(): Promise<AlertsState>;
}

/** What a process reported counts as seen for so many turns without a word of it. */
const turnsOfSilence = 3;
/** How often one turn tries to write against other processes; the next turn goes on. */
const maxTries = 10;
/** Limit of one call of the store or a source, in milliseconds. */
const callTimeoutMs = 10_000;

/** Keeps the record of all processes by compare-and-set. */
// long: read, judge and write of one record, over the parts that they share
export function createAlertBook(options: AlertBookOptions): AlertBook {
  const { documents, storeNow, sources, sights, settings, clock, logger, telemetry } = options;
  const { everyMs } = settings;
  const shown = new Map<string, { kind: string; code: string }>();

  const bounded = <T>(call: string, work: Promise<T>): Promise<T> =>
    withDeadline({ clock, ms: callTimeoutMs, call }, work);

  async function readSource(source: AlertSource, signal: AbortSignal): Promise<Reading | null> {
    const late = new AbortController();
    try {
      const work = source.read({ signal: AbortSignal.any([signal, late.signal]) });
      const conditions = (await bounded(`alert source ${source.name}`, work)).map(checkCondition);
      return { observer: `source:${source.name}`, conditions, untilMs: null };
    } catch (error) {
      late.abort(error);
      telemetry.count(metric.alertSourceFailed, 1, {
        [attribute.alertSource]: source.name,
        [attribute.errorType]: errorFacts(error).code,
      });
      logger.warn(
        { event: 'alert.source_failed', source: source.name, ...errorFacts(error) },
        'a source of alerts cannot be read',
      );
      return null;
    }
  }

  /**
   * Whose reading is due by the shared record: of many processes mostly one reads. A reading that lies
   * as far ahead was written while the store's clock was wrong; nobody must wait for that day.
   */
  function findDue({ readAtMs }: AlertsState, nowMs: number): readonly AlertSource[] {
    return sources.filter(({ name }) => {
      const agoMs = nowMs - (readAtMs[name] ?? Number.NEGATIVE_INFINITY);
      return Math.abs(agoMs) >= everyMs * 0.9;
    });
  }

  function show({ alerts }: AlertsState): void {
    const firing = new Map<string, number>();
    for (const { isFiring, condition } of Object.values(alerts)) {
      if (!isFiring) continue;
      const { kind, code } = condition;
      const series = `${kind} ${code}`;
      shown.set(series, { kind, code });
      firing.set(series, (firing.get(series) ?? 0) + 1);
    }
    for (const [series, { kind, code }] of shown)
      telemetry.gauge(metric.alertFiring, firing.get(series) ?? 0, {
        [attribute.alertKind]: kind,
        [attribute.errorType]: code,
      });
  }

  function log({ kind, entry }: AlertChange): void {
    const { condition, episode, startedAtMs } = entry;
    const { key, code, severity, count } = condition;
    const fields = { alert: condition.kind, key, episode, code, severity, count, ...condition.place };
    if (kind === 'fires') logger.error({ event: 'alert.fires', ...fields }, condition.text);
    else
      logger.info(
        { event: 'alert.ends', ...fields, lastedMs: (entry.endedAtMs ?? startedAtMs) - startedAtMs },
        'the cause of an alert is gone',
      );
  }

  /** One try: the record is read before what it is judged by, so a stale judgement finds another version. */
  async function tryUpdate(signal: AbortSignal): Promise<boolean> {
    const stored: StoredAlerts = await bounded('documents.read', readAlerts(documents, logger));
    const nowMs = (await bounded('stores.now', storeNow())).getTime();
    const due = findDue(stored.state, nowMs);
    const read = (await Promise.all(due.map((source) => readSource(source, signal)))).filter((one) => one !== null);
    const passing = sights.passing();
    const observations = passing.map(({ condition, lastsMs }) => ({
      ...{ observer: `${sights.observer}:passing`, condition },
      untilMs: nowMs + lastsMs,
    }));
    const own = {
      observer: sights.observer,
      conditions: sights.standing(clock.monotonicMs()),
      untilMs: nowMs + turnsOfSilence * everyMs,
    };
    const known = mendInstants(stored.state, nowMs);
    const { state, changes } = applySights(known, { observations, readings: [...read, own] }, nowMs);
    const readAtMs = { ...state.readAtMs, ...Object.fromEntries(due.map(({ name }) => [name, nowMs])) };
    const next = { ...state, readAtMs };
    const isSame = JSON.stringify(next) === JSON.stringify(stored.state);
    if (!isSame && !(await bounded('documents.write', writeAlerts(documents, { ...stored, state: next }))))
      return false;
    sights.written(passing);
    changes.forEach(log);
    show(next);
    return true;
  }

  return {
    async update(signal) {
      for (let tries = 0; tries < maxTries && !signal.aborted; tries++) if (await tryUpdate(signal)) return;
    },
    read: async () => (await bounded('documents.read', readAlerts(documents, logger))).state,
  };
}
