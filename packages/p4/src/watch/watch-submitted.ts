import { attribute, metric } from '@criticizer/core/internal';
import type { CursorStore, Logger, Telemetry } from '@criticizer/core/ports';
import { newestSubmitted, submittedBetween } from '../client/list-changes.js';
import type { P4Client } from '../client/p4-client.js';
import type { AllowList } from '../policy/allow-list.js';
import type { Intake } from './intake.js';
import { readSubmittedCursor } from './watch-cursor.js';
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
  const { client, intake, cursors, serverId, allowList, settings, logger, telemetry } = parts;
  const name = `p4/${serverId}/submitted`;
  let warnedOfFall = false;
  const warnOfUnknown = createUnknownRulesWarning(parts);

  async function takePage(from: number, to: number, signal: AbortSignal): Promise<void> {
    const { numbers, unknown } = await submittedBetween(client, { scopes: allowList.allow, from, to }, signal);
    if (unknown.length > 0) warnOfUnknown(unknown.length);
    for (const change of await intake.describe(numbers, { shelved: false, signal }))
      await intake.submit(change, signal, { listed: true, seenBy: 'watcher' });
  }

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
        { serverId, next, newest },
        'the newest submitted change is below the cursor: was the server restored from a backup?',
      );
    }
    while (next <= newest) {
      const to = Math.min(next + settings.pageSize - 1, newest);
      await takePage(next, to, signal);
      const moved = JSON.stringify({ next: to + 1 });
      if ((await cursors.advance(name, text, moved)) === 'moved') return;
      text = moved;
      next = to + 1;
    }
    telemetry.gauge(metric.watchBehind, Math.max(0, newest + 1 - next), { [attribute.server]: serverId });
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
      { serverId, code, rules },
      'rules of the allow-list name depots the server does not have; the others are watched: ask the doctor',
    );
  };
}
