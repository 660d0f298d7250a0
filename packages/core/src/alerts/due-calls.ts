import type { PagerAction, PagerResult } from '../pager/call-pager.js';
import { type AlertEntry, type AlertsState, isDue, severityRank } from './alert-state.js';
import { freshPage, type PageState } from './page-state.js';

/** The call that is due for one alert at one pager. */
export interface DueCall {
  key: string;
  pagerId: string;
  action: PagerAction;
  isRepeat: boolean;
}

function actionFor(entry: AlertEntry, page: PageState, nowMs: number): PagerAction | null {
  if (page.claim !== null && page.claim.untilMs > nowMs) return null;
  if (nowMs < page.nextAtMs) return null;
  if (isDue(entry, nowMs)) return page.open === 'yes' ? null : 'trigger';
  // Fires again before the resolve was sent: the open incident covers it.
  if (entry.isFiring) return null;
  return page.open === 'no' ? null : 'resolve';
}

/** What these pagers are to be called for now, worst first. A claimed alert waits for the claim's end. */
export function findDueCalls(state: AlertsState, pagerIds: readonly string[], nowMs: number): readonly DueCall[] {
  const entries = Object.entries(state.alerts).sort(
    ([, a], [, b]) => severityRank[b.condition.severity] - severityRank[a.condition.severity] || a.episode - b.episode,
  );
  return entries.flatMap(([key, entry]) =>
    pagerIds.flatMap((pagerId): DueCall[] => {
      const page = entry.pages[pagerId] ?? freshPage;
      const action = actionFor(entry, page, nowMs);
      return action === null ? [] : [{ key, pagerId, action, isRepeat: page.open === 'maybe' }];
    }),
  );
}

/** When the next call may become due without anybody seeing anything; null: never. */
export function nextDueAtMs(state: AlertsState, pagerIds: readonly string[], nowMs: number): number | null {
  const instants = Object.values(state.alerts).flatMap((entry) => {
    const { isFiring, startedAtMs, quietSinceMs, condition } = entry;
    const pages = pagerIds.flatMap((id) => {
      const { nextAtMs, claim } = entry.pages[id] ?? freshPage;
      return [nextAtMs, claim?.untilMs ?? 0];
    });
    const ends = quietSinceMs === null ? [] : [quietSinceMs + condition.keepMs];
    return isFiring ? [startedAtMs + condition.forMs, ...ends, ...pages] : pages;
  });
  const later = instants.filter((at) => at > nowMs);
  return later.length === 0 ? null : Math.min(...later);
}

function withPage(
  state: AlertsState,
  { key, pagerId }: Pick<DueCall, 'key' | 'pagerId'>,
  page: PageState,
): AlertsState {
  const entry = state.alerts[key];
  if (entry === undefined) return state;
  const next = { ...entry, pages: { ...entry.pages, [pagerId]: page } };
  return { ...state, alerts: { ...state.alerts, [key]: next } };
}

/** Marks a due call as under way: written before any byte leaves, so that a crash is known to be ambiguous. */
export function claimCall(state: AlertsState, call: DueCall, claim: { token: string; untilMs: number }): AlertsState {
  const page = state.alerts[call.key]?.pages[call.pagerId] ?? freshPage;
  return withPage(state, call, {
    ...page,
    open: 'maybe',
    claim: { ...claim, action: call.action, before: page.open, isDoubted: false },
  });
}

/** How long a pager waits that did not take a message. */
export interface PageDelays {
  /** Milliseconds until the next try, by the number of calls in a row that were not taken. */
  retryMs(attempts: number, retryAfterMs: number | undefined): number;
  /** After a clear no. */
  refusedMs: number;
  /** While the kill switch is on or a credential is out. */
  heldMs: number;
}

function settlePage(page: PageState, result: PagerResult, nowMs: number, delays: PageDelays): PageState {
  const before = page.claim?.before ?? 'maybe';
  if (result.kind === 'taken') {
    const known = page.claim?.action === 'resolve' ? ('no' as const) : ('yes' as const);
    const open = page.claim?.isDoubted === true ? ('maybe' as const) : known;
    return { open, claim: null, attempts: 0, nextAtMs: nowMs, code: null };
  }
  const { code } = result.failure;
  const attempts = result.kind === 'held' ? page.attempts : page.attempts + 1;
  if (result.kind === 'held') return { open: before, claim: null, attempts, nextAtMs: nowMs + delays.heldMs, code };
  if (result.kind === 'refused')
    return { open: before, claim: null, attempts, nextAtMs: nowMs + delays.refusedMs, code };
  const open = result.mayBeTaken ? 'maybe' : before;
  return { open, claim: null, attempts, nextAtMs: nowMs + delays.retryMs(attempts, result.retryAfterMs), code };
}

/**
 * The state after a call. Where the claim was lost, another process may have called since: what this
 * call may have changed at the far end is unknown again, and the next call puts it right.
 */
export function settleCall(
  state: AlertsState,
  call: DueCall & { token: string },
  result: PagerResult,
  { nowMs, delays }: { nowMs: number; delays: PageDelays },
): AlertsState {
  const page = state.alerts[call.key]?.pages[call.pagerId];
  if (page === undefined) return state;
  if (page.claim?.token === call.token) return withPage(state, call, settlePage(page, result, nowMs, delays));
  const hasLeft = result.kind === 'taken' || (result.kind === 'retry' && result.mayBeTaken);
  if (!hasLeft) return state;
  if (page.claim !== null) {
    if (page.claim.action === call.action) return state;
    return withPage(state, call, { ...page, claim: { ...page.claim, isDoubted: true } });
  }
  const contradicts = call.action === 'trigger' ? page.open === 'no' : page.open === 'yes';
  return contradicts ? withPage(state, call, { ...page, open: 'maybe', nextAtMs: nowMs }) : state;
}
