import { attribute, metric } from '@criticizer/core/internal';
import { type CursorStore, errorFacts, isCriticizerError, type Logger, type Telemetry } from '@criticizer/core/ports';
import { newestSubmitted, submittedBetween } from '../client/list-changes.js';
import type { P4Client } from '../client/p4-client.js';
import { createPageSize, isOverRowLimit } from '../client/server-limits.js';
import type { AllowList } from '../policy/allow-list.js';
import type { Intake } from './intake.js';
import { buildCursorName, readSubmittedCursor } from './watch-cursor.js';
import type { ResolvedWatchSettings } from './watch-settings.js';

/** What the two watches are made of. */
export interface WatchParts<Tx> {
  client: P4Client;
  intake: Intake<Tx>;
  cursors: CursorStore<Tx>;
  serverId: string;
  allowList: AllowList;
  settings: ResolvedWatchSettings;
  logger: Logger;
  telemetry: Telemetry;
}

/**
 * One poll for submitted changes, from the cursor to the newest number, a page of numbers at a
 * time. Submitted numbers only grow, so what lies below the cursor stays as it is. The cursor moves
 * by compare-and-set after a page is submitted; where another process has moved it, that one goes
 * on.
 */
export function createSubmittedWatch<Tx>(parts: WatchParts<Tx>): (signal: AbortSignal) => Promise<void> {
  const { client, cursors, serverId, settings, logger, telemetry } = parts;
  const name = buildCursorName(serverId, 'submitted');
  let warnedOfFall = false;
  const takePage = createPageTaker(parts);

  return async (signal) => {
    const newest = await newestSubmitted(client, signal);
    let text = await cursors.get(name);
    if (text === null) {
      text = JSON.stringify({ next: settings.startAt === 'head' ? newest + 1 : settings.startAt });
      if ((await cursors.advance(name, null, text)) === 'moved') return;
    }
    let next = readSubmittedCursor(name, text).next;
    if (next > Math.max(newest + 1, Number(settings.startAt) || 0) && !warnedOfFall) {
      warnedOfFall = true;
      logger.warn(
        { event: 'watch.cursor_ahead', serverId, next, newest },
        'the newest submitted change is below the cursor: was the server restored from a backup?',
      );
    }
    while (next <= newest) {
      const to = await takePage(next, newest, signal);
      const moved = JSON.stringify({ next: to + 1 });
      if ((await cursors.advance(name, text, moved)) === 'moved') return;
      text = moved;
      next = to + 1;
    }
    telemetry.gauge(metric.watchBehind, Math.max(0, newest + 1 - next), { [attribute.server]: serverId });
  };
}

/**
 * Returns the function that takes in a page of numbers from `from` on, as many as the server lets
 * this user list at once. It resolves with the page's last number.
 */
function createPageTaker<Tx>(
  parts: WatchParts<Tx>,
): (from: number, newest: number, signal: AbortSignal) => Promise<number> {
  const { client, intake, allowList, settings } = parts;
  const warnOfUnknown = createUnknownRulesWarning(parts);

  const pageSize = createPageSize(settings.pageSize);
  const warnOfLimit = createLimitWarning(parts);

  async function submitAll(numbers: readonly number[], listed: boolean, signal: AbortSignal): Promise<void> {
    for (const change of await intake.describe(numbers, { shelved: false, signal }))
      if (change.status === 'submitted') await intake.submit(change, signal, { listed, seenBy: 'watcher' });
  }

  return async (from, newest, signal) => {
    for (;;) {
      const to = Math.min(from + pageSize.current - 1, newest);
      try {
        const { numbers, unknown } = await submittedBetween(client, { scopes: allowList.allow, from, to }, signal);
        pageSize.answered();
        if (unknown.length > 0) warnOfUnknown(unknown.length);
        await submitAll(numbers, true, signal);
        return to;
      } catch (error) {
        const isShrunk = pageSize.shrink(error, to - from + 1);
        if (isShrunk || isOverRowLimit(error)) warnOfLimit(error);
        if (isShrunk) continue;
        if (!isOverRowLimit(error)) throw error;
        // The server does not even list the one: what it describes of it says whether it is in scope.
        await submitAll([from], false, signal);
        return from;
      }
    }
  };
}

/**
 * Counts rules that name depots the server does not have. Warns once for each number of them, and
 * without the paths: the doctor names them.
 */
function createUnknownRulesWarning<Tx>({ serverId, logger, telemetry }: WatchParts<Tx>): (rules: number) => void {
  let warnedOf = 0;
  return (rules) => {
    const code = 'P4_OUT_OF_SCOPE';
    telemetry.count(metric.watchFailed, 1, { [attribute.server]: serverId, [attribute.errorType]: code });
    if (rules === warnedOf) return;
    warnedOf = rules;
    logger.warn(
      { event: 'watch.unknown_depots', serverId, code, rules },
      'rules of the allow-list name depots the server does not have; the others are watched: ask the doctor',
    );
  };
}

/** Warns once that the server's limits make pages smaller than the setting. */
export function createLimitWarning<Tx>({ serverId, logger }: WatchParts<Tx>): (error: unknown) => void {
  let warned = false;
  return (error) => {
    if (warned) return;
    warned = true;
    const { limit, over } = isCriticizerError(error) ? error.details : {};
    logger.warn(
      { event: 'watch.list_limited', serverId, ...errorFacts(error), limit: limit ?? null, over: over ?? null },
      'the Perforce server limits how many changes this user may list at once; the watcher asks for fewer',
    );
  };
}
