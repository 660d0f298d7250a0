import type { AlertSeverity } from '../pager/alert.js';
import { type CheckedCondition, checkCondition } from './alert-condition.js';
import type { PageState } from './page-state.js';

/** One cause, from its first firing on. Instants are milliseconds of the store's clock. */
export interface AlertEntry {
  condition: CheckedCondition;
  episode: number;
  isFiring: boolean;
  startedAtMs: number;
  /** When it stopped firing; null while it fires. */
  endedAtMs: number | null;
  /** Since when nobody sees it, while it still counts as firing; null while somebody does. */
  quietSinceMs: number | null;
  /** Who sees it: a source until it reads otherwise (null), a process until it fails to say so again. */
  observers: Readonly<Record<string, number | null>>;
  /** By the pager's id. */
  pages: Readonly<Record<string, PageState>>;
}

/** What the store's document holds: all alerts of all processes. */
export interface AlertsState {
  v: 1;
  /** Of the last alert that began to fire. */
  lastEpisode: number;
  /** When each source was read last. */
  readAtMs: Readonly<Record<string, number>>;
  alerts: Readonly<Record<string, AlertEntry>>;
}

export const noAlerts: AlertsState = { v: 1, lastEpisode: 0, readAtMs: {}, alerts: {} };

/** Alerts that fire at a time at most; what goes beyond is one alert of its own. */
export const maxAlerts = 200;
const overflow = checkCondition({
  kind: 'alerts.overflow',
  code: 'ALERTS_OVERFLOW',
  severity: 'critical',
  text: 'More causes fire than alerts are kept, and the others page nobody.',
});
/** How long the overflow alert outlasts the last cause that found no place. */
const overflowMs = 10 * 60_000;
/** How long an alert that has ended stays visible: a week. */
const keepEndedMs = 7 * 86_400_000;

/** What one process has seen since its last write, or sees still. */
export interface Observation {
  observer: string;
  condition: CheckedCondition;
  /** Until when it holds without being seen again; null: until the observer's next reading lacks it. */
  untilMs: number | null;
}

/** The result of reading what one observer sees: everything, so that what is missing is over. */
export interface Reading {
  observer: string;
  conditions: readonly CheckedCondition[];
  untilMs: number | null;
}

/** An alert that began or ended in a step, for the log. */
export interface AlertChange {
  kind: 'fires' | 'ends';
  entry: AlertEntry;
}

/** A higher one is worse. */
export const severityRank: Readonly<Record<AlertSeverity, number>> = { warning: 0, error: 1, critical: 2 };

/** The worse of two sights of one cause in its words, with the larger count of both. */
function mergeCondition(known: CheckedCondition, seen: CheckedCondition, isFresh: boolean): CheckedCondition {
  if (isFresh) return seen;
  const worse = severityRank[seen.severity] >= severityRank[known.severity] ? seen : known;
  return { ...worse, count: Math.max(known.count, seen.count) };
}

function observe(
  entry: AlertEntry | undefined,
  { observer, condition, untilMs }: Observation,
  nowMs: number,
): AlertEntry {
  const known: AlertEntry = entry ?? {
    ...{ condition, episode: 0, isFiring: false, startedAtMs: nowMs, endedAtMs: null, quietSinceMs: null },
    ...{ observers: {}, pages: {} },
  };
  const isAlone = Object.keys(known.observers).every((one) => one === observer);
  return {
    ...known,
    condition: mergeCondition(known.condition, condition, isAlone),
    observers: { ...known.observers, [observer]: untilMs },
  };
}

function forget(entry: AlertEntry, observer: string): AlertEntry {
  if (!Object.hasOwn(entry.observers, observer)) return entry;
  const { [observer]: _gone, ...observers } = entry.observers;
  return { ...entry, observers };
}

/** True once somebody is to be paged: the condition has lasted for its `forMs`. */
export function isDue({ isFiring, startedAtMs, condition }: AlertEntry, nowMs: number): boolean {
  return isFiring && nowMs >= startedAtMs + condition.forMs;
}

function wasPaged({ pages }: AlertEntry): boolean {
  return Object.values(pages).some(({ open, claim }) => open !== 'no' || claim !== null);
}

/** Lets time and observers decide whether the alert fires. */
function settleFiring(entry: AlertEntry, nowMs: number, nextEpisode: number): AlertEntry {
  const live = Object.entries(entry.observers).filter(([, untilMs]) => untilMs === null || untilMs > nowMs);
  const observers = Object.fromEntries(live);
  const isSeen = live.length > 0;
  if (isSeen && !entry.isFiring) {
    const started = { isFiring: true, startedAtMs: nowMs, endedAtMs: null, quietSinceMs: null };
    return { ...entry, observers, episode: nextEpisode, ...started };
  }
  if (isSeen || !entry.isFiring) return { ...entry, observers, quietSinceMs: null };
  const quietSinceMs = entry.quietSinceMs ?? nowMs;
  // What nobody was paged for ends at once: a trigger that its end overtook is never sent.
  const hasEnded = nowMs >= quietSinceMs + entry.condition.keepMs || !(isDue(entry, quietSinceMs) || wasPaged(entry));
  if (!hasEnded) return { ...entry, observers, quietSinceMs };
  return { ...entry, observers, isFiring: false, endedAtMs: nowMs, quietSinceMs: null };
}

function isForgettable({ isFiring, endedAtMs, pages }: AlertEntry, nowMs: number): boolean {
  if (isFiring || endedAtMs === null) return false;
  const isOver = Object.values(pages).every(({ open, claim }) => open === 'no' && claim === null);
  // A pager that no process has now would keep its alerts for ever.
  return nowMs >= endedAtMs + (isOver ? keepEndedMs : 4 * keepEndedMs);
}

/** Takes out the alerts that ended longest ago, down to as many as may fire. */
function bound(alerts: Map<string, AlertEntry>): void {
  const ended = [...alerts].filter(([, { isFiring }]) => !isFiring);
  ended.sort(([, a], [, b]) => (a.endedAtMs ?? 0) - (b.endedAtMs ?? 0));
  for (const [key] of ended.slice(0, Math.max(0, alerts.size - maxAlerts))) alerts.delete(key);
}

/** Adds what was seen, as long as there is room for another cause. */
function addSights(alerts: Map<string, AlertEntry>, sights: readonly Observation[], nowMs: number): void {
  let firing = [...alerts.values()].filter(({ isFiring }) => isFiring).length;
  let dropped = 0;
  for (const sight of sights) {
    const { key } = sight.condition;
    const known = alerts.get(key);
    if (known?.isFiring !== true && firing >= maxAlerts) dropped += 1;
    else {
      if (known?.isFiring !== true) firing += 1;
      alerts.set(key, observe(known, sight, nowMs));
    }
  }
  if (dropped === 0) return;
  const condition = { ...overflow, count: dropped };
  const sight = { observer: 'alerts', condition, untilMs: nowMs + overflowMs };
  alerts.set(overflow.key, observe(alerts.get(overflow.key), sight, nowMs));
}

/**
 * The state after what observers have seen and read by `nowMs`, and which alerts began or ended. An
 * observation adds; a reading also ends what it lacks.
 */
export function applySights(
  state: AlertsState,
  { observations, readings }: { observations: readonly Observation[]; readings: readonly Reading[] },
  nowMs: number,
): { state: AlertsState; changes: readonly AlertChange[] } {
  const alerts = new Map(Object.entries(state.alerts));
  for (const { observer, conditions } of readings) {
    const seen = new Set(conditions.map(({ key }) => key));
    for (const [key, entry] of alerts) if (!seen.has(key)) alerts.set(key, forget(entry, observer));
  }
  const all = readings.flatMap(({ observer, conditions, untilMs }) =>
    conditions.map((condition): Observation => ({ observer, condition, untilMs })),
  );
  addSights(alerts, [...all, ...observations], nowMs);

  let { lastEpisode } = state;
  const changes: AlertChange[] = [];
  for (const [key, entry] of alerts) {
    const next = settleFiring(entry, nowMs, lastEpisode + 1);
    if (next.episode > lastEpisode) lastEpisode = next.episode;
    if (next.isFiring !== entry.isFiring) changes.push({ kind: next.isFiring ? 'fires' : 'ends', entry: next });
    if (isForgettable(next, nowMs)) alerts.delete(key);
    else alerts.set(key, next);
  }
  bound(alerts);
  return { state: { ...state, lastEpisode, alerts: Object.fromEntries(alerts) }, changes };
}
