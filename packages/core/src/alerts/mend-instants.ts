import type { AlertEntry, AlertsState } from './alert-state.js';
import type { PageState } from './page-state.js';

/** No wait for a pager, and no claim on one, is as long as this. */
const longestWaitMs = 3_600_000;

function mendPage(page: PageState, nowMs: number): PageState {
  const isFar = (at: number): boolean => at > nowMs + longestWaitMs;
  const { claim, nextAtMs } = page;
  return {
    ...page,
    nextAtMs: isFar(nextAtMs) ? nowMs : nextAtMs,
    claim: claim !== null && isFar(claim.untilMs) ? { ...claim, untilMs: nowMs } : claim,
  };
}

function mendEntry(entry: AlertEntry, nowMs: number): AlertEntry {
  const past = <At extends number | null>(at: At): At | number => (at !== null && at > nowMs ? nowMs : at);
  const pages = Object.entries(entry.pages).map(([id, page]) => [id, mendPage(page, nowMs)] as const);
  return {
    ...entry,
    startedAtMs: past(entry.startedAtMs),
    endedAtMs: past(entry.endedAtMs),
    quietSinceMs: past(entry.quietSinceMs),
    pages: Object.fromEntries(pages),
  };
}

/**
 * The state without instants that a wrong clock of the store wrote: what began after now begins now, and
 * what waits longer than anything waits is due. Nobody is to be paged only once that day comes.
 */
export function mendInstants(state: AlertsState, nowMs: number): AlertsState {
  const alerts = Object.entries(state.alerts).map(([key, entry]) => [key, mendEntry(entry, nowMs)] as const);
  return { ...state, alerts: Object.fromEntries(alerts) };
}
