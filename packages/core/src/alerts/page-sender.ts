import type { OutboundGate } from '../foundation/outbound.js';
import type { Clock } from '../foundation/time/clock.js';
import type { Random } from '../foundation/time/random.js';
import { withDeadline } from '../foundation/time/with-deadline.js';
import { callPager, type PagerResult } from '../pager/call-pager.js';
import type { Pager } from '../pager/pager.js';
import type { Settings } from '../settings/settings.js';
import type { DocumentStore } from '../stores/document-store.js';
import type { Logger } from '../telemetry/logger.js';
import { attribute, metric } from '../telemetry/names.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { retryDelayMs } from '../worker/retry/backoff.js';
import { toAlert } from './alert-condition.js';
import { readAlerts, writeAlerts } from './alert-document.js';
import type { AlertEntry } from './alert-state.js';
import { claimCall, type DueCall, findDueCalls, type PageDelays, settleCall } from './due-calls.js';

/** What pages are sent with. */
export interface PageSenderOptions {
  documents: Pick<DocumentStore<never>, 'read' | 'write'>;
  storeNow(): Promise<Date>;
  outbound: Pick<OutboundGate, 'check' | 'pass'>;
  settings: Settings['alerts'];
  clock: Clock;
  random: Random;
  logger: Logger;
  telemetry: Telemetry;
}

/** Calls pagers for what the shared record says. */
export interface PageSender {
  /** Makes the calls that are due at one pager, one after the other, until one finds it out. */
  send(pager: Pager, signal: AbortSignal): Promise<void>;
}

/** First and longest ceiling of the wait between two calls that a pager did not take. */
const backoff = { initialMs: 2_000, multiplier: 2, maxMs: 300_000 };
/** A clear no is a person's to cure: wrong key, wrong address. */
const refusedMs = 15 * 60_000;
const heldMs = 30_000;
/** Limit of one call of the store, in milliseconds. */
const callTimeoutMs = 10_000;
/** How much longer than its call a claim lasts: the record of what leaves is in it, and clocks that drift. */
const claimMarginMs = 15_000;
/** How often the end of a call is written against other processes. */
const maxTries = 20;

interface Claimed extends DueCall {
  token: string;
  entry: AlertEntry;
  /** By the monotonic clock: no byte leaves after it. */
  deadlineMs: number;
}

/**
 * One call at a time for each alert and pager over all processes: claimed in the record before it is
 * made, settled there after. No byte leaves after the call's deadline, and its claim outlasts that, so
 * a trigger never follows the resolve that came after it.
 */
// long: claim, call and settle of one page, over the parts that they share
export function createPageSender(options: PageSenderOptions): PageSender {
  const { documents, storeNow, outbound, settings, clock, random, logger, telemetry } = options;
  const { sendTimeoutMs } = settings;
  const delays: PageDelays = {
    retryMs: (attempts, retryAfterMs) => retryDelayMs(backoff, attempts, retryAfterMs, random),
    ...{ refusedMs, heldMs },
  };
  const bounded = <T>(call: string, work: Promise<T>): Promise<T> =>
    withDeadline({ clock, ms: callTimeoutMs, call }, work);
  const readNow = async (): Promise<number> => (await bounded('stores.now', storeNow())).getTime();
  const read = () => bounded('documents.read', readAlerts(documents, logger));

  /** Claims the worst call that is due; null where there is none. */
  async function claim(pager: Pager, signal: AbortSignal): Promise<Claimed | null> {
    for (let tries = 0; tries < maxTries && !signal.aborted; tries++) {
      const deadlineMs = clock.monotonicMs() + sendTimeoutMs;
      const stored = await read();
      const nowMs = await readNow();
      const call = findDueCalls(stored.state, [pager.id], nowMs)[0];
      const entry = call === undefined ? undefined : stored.state.alerts[call.key];
      if (call === undefined || entry === undefined) return null;
      const token = random.uuid();
      const state = claimCall(stored.state, call, { token, untilMs: nowMs + sendTimeoutMs + claimMarginMs });
      if (await bounded('documents.write', writeAlerts(documents, { ...stored, state })))
        return { ...call, token, entry, deadlineMs };
    }
    return null;
  }

  async function settle(call: Claimed, result: PagerResult): Promise<void> {
    for (let tries = 0; tries < maxTries; tries++) {
      const stored = await read();
      const state = settleCall(stored.state, call, result, { nowMs: await readNow(), delays });
      if (state === stored.state) return;
      if (await bounded('documents.write', writeAlerts(documents, { ...stored, state }))) return;
    }
    logger.warn(
      { event: 'pager.end_unwritten', pager: call.pagerId, key: call.key },
      'the end of a page could not be written; it is sent again',
    );
  }

  function report(pager: Pager, { action, entry }: Claimed, result: PagerResult): void {
    const code = result.kind === 'taken' ? undefined : result.failure.code;
    telemetry.count(metric.pagerMessage, 1, {
      [attribute.pager]: pager.id,
      [attribute.pagerAction]: action,
      [attribute.outcome]: result.kind,
      ...(code === undefined ? {} : { [attribute.errorType]: code }),
    });
    const { key } = entry.condition;
    const fields = { pager: pager.id, action, key, episode: entry.episode };
    if (result.kind === 'taken') {
      logger.info({ event: 'pager.taken', ...fields }, 'a pager took a message');
      return;
    }
    const isKnown = entry.pages[pager.id]?.code === code;
    const failed = { event: `pager.${result.kind}`, ...fields, ...result.failure };
    if (isKnown) logger.debug(failed, 'a pager still does not take a message');
    else logger.error(failed, 'a pager does not take a message; it is tried again as long as the alert stands');
  }

  /** Makes one call; false where the pager is out. */
  async function sendOne(pager: Pager, call: Claimed, signal: AbortSignal): Promise<boolean> {
    const { condition, episode, startedAtMs } = call.entry;
    const result = await callPager({
      ...{ pager, action: call.action, alert: toAlert(condition, episode, startedAtMs), isRepeat: call.isRepeat },
      ...{ outbound, signal, deadlineMs: call.deadlineMs, clock },
    });
    await settle(call, result);
    report(pager, call, result);
    return result.kind === 'taken' || result.kind === 'refused';
  }

  return {
    async send(pager, signal) {
      for (let isUp = true; isUp && !signal.aborted; ) {
        const call = await claim(pager, signal);
        if (call === null) return;
        isUp = await sendOne(pager, call, signal);
      }
    },
  };
}
