import { checkFields, type OptionShape } from '../foundation/check-options.js';
import { optional } from '../foundation/option-checks.js';
import type { OutboundGate } from '../foundation/outbound.js';
import { checkMs } from '../foundation/store-input.js';
import type { Clock } from '../foundation/time/clock.js';
import type { Random } from '../foundation/time/random.js';
import { withDeadline } from '../foundation/time/with-deadline.js';
import type { Pager } from '../pager/pager.js';
import type { Settings } from '../settings/settings.js';
import type { DocumentStore } from '../stores/document-store.js';
import { errorFacts } from '../telemetry/error-facts.js';
import type { Logger } from '../telemetry/logger.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { createWakeSignal } from '../worker/lease/wake-signal.js';
import { createAlertBook } from './alert-book.js';
import { type AlertCondition, checkCondition } from './alert-condition.js';
import type { AlertSource } from './alert-source.js';
import { nextDueAtMs } from './due-calls.js';
import { createPageSender } from './page-sender.js';
import { createSights } from './sights.js';

/** What an alerter works with. */
export interface AlerterOptions {
  /** `Stores.documents`: all processes on it share their alerts. */
  documents: Pick<DocumentStore<never>, 'read' | 'write'>;
  /** `Stores.now`. */
  storeNow(): Promise<Date>;
  /** Whom this process calls. Other processes may have others. */
  pagers: readonly Pager[];
  sources: readonly AlertSource[];
  outbound: Pick<OutboundGate, 'check' | 'pass'>;
  settings: Settings['alerts'];
  clock: Clock;
  random: Random;
  logger: Logger;
  telemetry: Telemetry;
}

/** How long a reported condition lasts. */
export interface RaiseOptions {
  /** An event: it counts as firing for so many milliseconds, whatever becomes of this process. */
  lastsMs?: number | undefined;
  /**
   * A state of this process: it fires until `clear`, or until nobody has raised it again for so many
   * milliseconds. Default: as long as this process lives.
   */
  renewWithinMs?: number | undefined;
}

/** Pages people for what is wrong, once a cause and over all processes, and says when it is over (OPS-3). */
export interface Alerter {
  /** Reports something that this process sees. Never throws for what the store does; `TypeError` for no condition. */
  raise(condition: AlertCondition, options?: RaiseOptions): void;
  /** This process no longer sees it; another one may. */
  clear(condition: AlertCondition): void;
  /** Starts looking and calling. Idempotent. */
  start(): void;
  /** One turn: reads what is due, writes what changed, calls whom it must. For tests of the host, and stops. */
  turn(signal?: AbortSignal): Promise<void>;
  /** Ends a call under way after the grace; closes the pagers. Idempotent. */
  stop(options?: { graceMs?: number | undefined }): Promise<void>;
}

const raiseShape: OptionShape<RaiseOptions> = {
  lastsMs: optional((option, value) => checkMs(option, value)),
  renewWithinMs: optional((option, value) => checkMs(option, value)),
};

/** The longest that closing a pager may take. */
const closeTimeoutMs = 5_000;
/** Limit of a look at the store's clock, in milliseconds: a half-open store must hold up no stop. */
const nowTimeoutMs = 10_000;
/** No turn follows another sooner, in milliseconds: a pager that is due again at once must not spin. */
const shortestPauseMs = 100;

/**
 * Alerts of all processes on one store. What is wrong is derived from the store by sources, so a crash
 * loses no page; what only a process sees is reported by `raise`, and ends with that process. The
 * state is written before a pager is called, by compare-and-set: of many processes one calls (OPS-3).
 */
// long: the verbs of one alerter, each short, over its loop
export function createAlerter(options: AlerterOptions): Alerter {
  const { pagers, settings, storeNow, clock, random, logger } = options;
  const sights = createSights(`process:${random.uuid()}`);
  const book = createAlertBook({ ...options, sights });
  const sender = createPageSender(options);
  const waker = createWakeSignal(clock);
  const stopping = new AbortController();
  const cutting = new AbortController();
  let running: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;

  async function turn(signal: AbortSignal = cutting.signal): Promise<void> {
    await book.update(signal);
    await Promise.all(pagers.map((pager) => sender.send(pager, signal)));
  }

  async function pauseMs(): Promise<number> {
    const state = await book.read();
    const nowMs = (await withDeadline({ clock, ms: nowTimeoutMs, call: 'stores.now' }, storeNow())).getTime();
    const dueAtMs = nextDueAtMs(
      state,
      pagers.map(({ id }) => id),
      nowMs,
    );
    const spread = settings.everyMs * (0.9 + random.next() * 0.2);
    return dueAtMs === null ? spread : Math.min(spread, Math.max(shortestPauseMs, dueAtMs - nowMs));
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      waker.clear();
      let pause = settings.everyMs;
      try {
        await turn();
        pause = await pauseMs();
      } catch (error) {
        if (!stopping.signal.aborted)
          logger.warn({ event: 'alert.update_failed', ...errorFacts(error) }, 'alerts could not be brought up to date');
      }
      await waker.wait(pause, stopping.signal);
    }
  }

  async function end(graceMs: number): Promise<void> {
    stopping.abort(new Error('the alerter stops'));
    const grace = new AbortController();
    const cut = clock.sleep(graceMs, grace.signal).then(
      () => cutting.abort(new Error('the alerter stops')),
      () => undefined,
    );
    await running;
    grace.abort();
    await cut;
    const closing = pagers.map((pager) =>
      withDeadline({ clock, ms: closeTimeoutMs, call: `${pager.id}.close` }, Promise.resolve(pager.close?.())).catch(
        (error: unknown) =>
          logger.warn({ event: 'pager.close_failed', pager: pager.id, ...errorFacts(error) }, 'a pager did not close'),
      ),
    );
    await Promise.all(closing);
  }

  return {
    raise(condition, options = {}) {
      checkFields('raise: options', options, raiseShape);
      const { lastsMs, renewWithinMs = Number.POSITIVE_INFINITY } = options;
      const checked = checkCondition(condition);
      // Each job that an outage parks says so: a turn for each would keep the store busy.
      const isNews = lastsMs !== undefined || sights.stand(checked, clock.monotonicMs() + renewWithinMs);
      if (lastsMs !== undefined) sights.pass(checked, lastsMs);
      if (isNews) waker.wake();
    },
    clear(condition) {
      if (sights.remove(checkCondition(condition).key)) waker.wake();
    },
    start() {
      if (!stopping.signal.aborted) running ??= run();
    },
    turn,
    stop({ graceMs = 5_000 } = {}) {
      stopped ??= end(graceMs);
      return stopped;
    },
  };
}
