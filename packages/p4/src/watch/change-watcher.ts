import {
  attribute,
  checkAbortSignal,
  checkedElsewhere,
  checkFields,
  checkFunction,
  checkOptions,
  metric,
  nested,
  type OptionShape,
  observerShape,
  optional,
  withMethods,
} from '@criticizer/core/internal';
import {
  type CursorStore,
  errorFacts,
  noTelemetry,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
} from '@criticizer/core/ports';
import { type BackoffPolicy, defaultBackoff } from '@criticizer/core/queue';
import { createP4Client } from '../client/p4-client.js';
import { takeChanges } from './change-intake.js';
import { Intake } from './intake.js';
import { type ChangeIntake, type ChangeIntakeOptions, intakeShape } from './intake-options.js';
import { createPolling } from './polling.js';
import { checkWatchSettings, type WatchSettings, watchShape } from './watch-settings.js';
import { createShelfWatch } from './watch-shelved.js';
import { createSubmittedWatch } from './watch-submitted.js';

/** What is watched, how often, and where the position is kept. */
export interface ChangeWatcherOptions<Tx> extends ChangeIntakeOptions<Tx>, WatchSettings {
  /** Of the stores the Criticizer works on: where the watcher goes on after a restart. */
  cursors: CursorStore<Tx>;
  /** After failed polls. Default: full jitter below 1 s, doubled up to a minute (ERR-2). */
  backoff?: BackoffPolicy | undefined;
  /** Called after each poll of the loop that went well: for health checks. It must not throw. */
  onPolled?: (() => void) | undefined;
  /** Aborting it stops the watcher as `stop()` does. */
  signal?: AbortSignal | undefined;
  random?: Random | undefined;
}

/** Looks for new changes and submits them. */
export interface ChangeWatcher extends ChangeIntake, AsyncDisposable {
  /** Polls until it is stopped. Idempotent; does nothing after a stop. */
  start(): void;
  /** Ends the poll under way and resolves when nothing runs any more. Idempotent. */
  stop(): Promise<void>;
  /** One look at the server, by itself or beside the polling; rejects with what failed, as the polling logs it. */
  poll(options?: { signal?: AbortSignal | undefined }): Promise<void>;
}

const optionShape: OptionShape<ChangeWatcherOptions<unknown>> = {
  ...intakeShape,
  ...watchShape,
  cursors: withMethods('get', 'advance'),
  backoff: optional(
    nested<BackoffPolicy>({ initialMs: checkedElsewhere, multiplier: checkedElsewhere, maxMs: checkedElsewhere }),
  ),
  onPolled: optional(checkFunction),
  signal: optional(checkAbortSignal),
  random: observerShape.random,
};

// long: the wiring of one watcher: its loop, its polls, its stop
/**
 * Watches one server for changes inside the allow-list and submits each of them (INT-1, INT-2). It
 * may run in several processes and be killed anywhere: the cursor moves after what it covers was
 * submitted, and the jobs' keys make what is seen twice a duplicate, so nothing is lost and nothing
 * comes twice. A failed poll backs off and starts again at the cursor. Throws TypeErrors here that
 * name the wrong option.
 */
export function createChangeWatcher<Tx>(options: ChangeWatcherOptions<Tx>): ChangeWatcher {
  checkOptions('createChangeWatcher', options, optionShape);
  const settings = checkWatchSettings(options);
  const client = createP4Client(options);
  const intake = new Intake(client, options);
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const logger = options.logger ?? silentLogger;
  const telemetry = options.telemetry ?? noTelemetry;
  const { serverId, cursors, allowList } = options;
  const parts = { client, intake, cursors, serverId, allowList, settings, logger, telemetry };
  const submitted = createSubmittedWatch(parts);
  const shelved = createShelfWatch(parts);
  const stopping = new AbortController();

  async function poll(signal: AbortSignal): Promise<void> {
    // Shelves first: at the first poll they ask where the submitted changes begin.
    if (settings.watch.includes('shelved')) await shelved(signal);
    if (settings.watch.includes('submitted')) await submitted(signal);
  }

  const loop = createPolling({
    poll,
    pollMs: () => settings.pollMs,
    onSuccess: options.onPolled,
    backoff: options.backoff ?? defaultBackoff,
    onFailure(error) {
      const { code } = errorFacts(error);
      telemetry.count(metric.watchFailed, 1, { [attribute.server]: serverId, [attribute.errorType]: code });
      logger.warn(
        { event: 'watch.poll_failed', serverId, ...errorFacts(error) },
        'looking for new changes failed; it is tried again',
      );
    },
    clock,
    random,
    stopping: stopping.signal,
  });

  async function stop(): Promise<void> {
    options.signal?.removeEventListener('abort', onAbort);
    stopping.abort();
    await loop.ended();
  }
  const onAbort = (): void => void stop();
  if (options.signal?.aborted === true) stopping.abort();
  else options.signal?.addEventListener('abort', onAbort, { once: true });

  const within = (signal: AbortSignal | undefined): AbortSignal =>
    signal === undefined ? stopping.signal : AbortSignal.any([signal, stopping.signal]);
  return {
    start: () => loop.start(),
    stop,
    async poll(polling) {
      checkFields<NonNullable<typeof polling>>('poll: options', polling, { signal: optional(checkAbortSignal) });
      await poll(within(polling?.signal));
    },
    take: (numbers, taking) =>
      takeChanges({ take: (list, signal, more) => intake.take(list, within(signal), more) }, numbers, taking),
    [Symbol.asyncDispose]: stop,
  };
}
