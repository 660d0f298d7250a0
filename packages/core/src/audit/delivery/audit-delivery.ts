import { checkOptions, type OptionShape } from '../../foundation/check-options.js';
import { checkContract } from '../../foundation/contract.js';
import {
  checkAbortSignal,
  checkedElsewhere,
  checkFunction,
  observerShape,
  optional,
  withMethods,
} from '../../foundation/option-checks.js';
import type { OutboundGate } from '../../foundation/outbound.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { Random } from '../../foundation/time/random.js';
import { systemClock } from '../../foundation/time/system-clock.js';
import { systemRandom } from '../../foundation/time/system-random.js';
import { resolveSettings, type SettingsInput } from '../../settings/settings.js';
import type { AuditEvent, AuditStore } from '../../stores/audit-store.js';
import { checkDestinations } from '../../stores/input/new-audit-event.js';
import { refuseAbsentFacet } from '../../stores/modules.js';
import { type Logger, silentLogger } from '../../telemetry/logger.js';
import { noTelemetry, type Telemetry } from '../../telemetry/telemetry.js';
import { runDue } from '../../worker/lease/run-due.js';
import { createOutages } from '../../worker/retry/outages.js';
import { createLifecycle } from '../../worker/wiring/lifecycle.js';
import type { AuditSink } from '../sinks/audit-sink.js';
import type { AuditDeliveryOutcome } from './destination-loop.js';
import { createDestinationLoops } from './destination-loops.js';

/** Where audit events are, and where they go. */
export interface AuditDeliveryOptions<Tx> {
  /** `Stores.audit`. */
  store: AuditStore<Tx>;
  /** Each delivers the rows whose destination is its `id`; rows of other destinations are left alone. */
  sinks: readonly AuditSink[];
  settings?: Pick<SettingsInput, 'audit' | 'worker'> | undefined;
  /** The kill switch of `createOutboundGate`; it knows the sinks as `sink:<id>`. Default: none. */
  outbound?: Pick<OutboundGate, 'check'> | undefined;
  /**
   * Whether an event may be delivered now: a rollout by tenant, say. False keeps it waiting and spends
   * no attempt; so does what it throws. Default: always.
   */
  mayDeliver?: ((event: AuditEvent, destination: string) => boolean | Promise<boolean>) | undefined;
  /** Receives how each claim of a delivery ended. */
  onOutcome?: ((outcome: AuditDeliveryOutcome) => void) | undefined;
  /** Aborting it stops as `stop()` does. */
  signal?: AbortSignal | undefined;
  logger?: Logger | undefined;
  telemetry?: Telemetry | undefined;
  clock?: Clock | undefined;
  random?: Random | undefined;
}

/** A worker that delivers audit events to sinks. */
export interface AuditDelivery extends AsyncDisposable {
  /** Starts claiming. Throws `STOPPED` after a stop. */
  start(): Promise<void>;
  /** Claims nothing more, lets what is being sent finish within the grace, closes the sinks. Idempotent. */
  stop(options?: { graceMs?: number | undefined }): Promise<void>;
  /** Claim at once: something was just recorded in this process. */
  wake(): void;
  /**
   * For tests of the host: delivers in this process, in place of `start`, what is due now. Gives how
   * each delivery ended.
   */
  runDue(): Promise<readonly AuditDeliveryOutcome[]>;
}

const optionShape: OptionShape<AuditDeliveryOptions<unknown>> = {
  store: withMethods('claim', 'heartbeat', 'settle'),
  sinks: checkedElsewhere,
  settings: checkedElsewhere,
  outbound: optional(withMethods('check')),
  mayDeliver: optional(checkFunction),
  onOutcome: optional(checkFunction),
  signal: optional(checkAbortSignal),
  logger: observerShape.logger,
  telemetry: observerShape.telemetry,
  clock: observerShape.clock,
  random: observerShape.random,
};

/** Sinks with different ids, each written to a port that this core calls. Throws `TypeError` naming the option. */
export function checkSinks(option: string, sinks: readonly AuditSink[]): void {
  if (!Array.isArray(sinks) || sinks.some((sink) => typeof sink?.send !== 'function'))
    throw new TypeError(`${option}: expected a list of sinks such as createWebhookSink makes`);
  checkDestinations(
    option,
    sinks.map(({ id }) => id),
  );
  for (const sink of sinks) checkContract(`${option} "${sink.id}"`, sink);
}

/**
 * Delivers what an audit trail recorded, without the rest of Criticizer (AUD-4, AUD-12..15): claims
 * under leases, the retry schedule, one confirming retry, dead letters, and a breaker for each
 * destination. Throws `TypeError` for a missing part or a wrong setting, `MODULE_ABSENT` for stores
 * without the audit.
 */
export function createAuditDelivery<Tx>(options: AuditDeliveryOptions<Tx>): AuditDelivery {
  checkOptions('createAuditDelivery', options, optionShape);
  refuseAbsentFacet('createAuditDelivery: store', options.store);
  checkSinks('createAuditDelivery: sinks', options.sinks);
  const { store, sinks, outbound = null, mayDeliver, signal } = options;
  const { logger = silentLogger, telemetry = noTelemetry, clock = systemClock, random = systemRandom } = options;
  const settings = resolveSettings(options.settings);
  const { pollMinMs: minMs, pollMaxMs: maxMs, shutdownGraceMs } = settings.worker;
  const observers = { clock, random, logger, telemetry };
  let collected: AuditDeliveryOutcome[] | undefined;
  const onOutcome = (outcome: AuditDeliveryOutcome): void => {
    collected?.push(outcome);
    options.onOutcome?.(outcome);
  };
  const shared = { store, settings: settings.audit, poll: { minMs, maxMs }, outbound, mayDeliver, onOutcome };
  const outages = createOutages(observers);
  const { loops, wake, close } = createDestinationLoops(sinks, { ...shared, outages, ...observers });
  const lifecycle = createLifecycle({
    name: 'audit delivery',
    begin: [() => Promise.all(loops.map((loop) => loop.start()))],
    async end(graceMs) {
      await Promise.all(loops.map((loop) => loop.stop({ graceMs })));
      await close();
    },
    graceMs: shutdownGraceMs,
    signal,
    logger,
  });
  return {
    start: lifecycle.start,
    stop: lifecycle.stop,
    wake,
    runDue: () =>
      lifecycle.runInstead(async () => {
        const outcomes: AuditDeliveryOutcome[] = [];
        collected = outcomes;
        try {
          await runDue(loops);
          return outcomes;
        } finally {
          collected = undefined;
        }
      }),
    [Symbol.asyncDispose]: () => lifecycle.stop(),
  };
}
