import { checkOptions, type OptionShape } from '../foundation/check-options.js';
import { isCriticizerError } from '../foundation/errors.js';
import { optional, withMethods } from '../foundation/option-checks.js';
import { nameDestination } from '../foundation/outbound.js';
import type { Clock } from '../foundation/time/clock.js';
import { systemClock } from '../foundation/time/system-clock.js';
import { runInSpan, type Span, type SpanRelation, type Telemetry } from '../telemetry/telemetry.js';
import type { KillSwitch } from './kill-switch.js';

/** What telemetry is to the gate; the kill switch names it `telemetry:host`. It holds nothing of a review. */
export const telemetryDestination = { kind: 'telemetry', id: 'host' } as const;

/** The host's telemetry, and the switch that stops it. */
export interface StoppableTelemetryOptions {
  telemetry: Telemetry;
  killSwitch: KillSwitch;
  clock?: Pick<Clock, 'monotonicMs'> | undefined;
}

const optionShape: OptionShape<StoppableTelemetryOptions> = {
  telemetry: withMethods('count', 'record', 'gauge', 'startSpan'),
  killSwitch: withMethods('check'),
  clock: optional(withMethods('monotonicMs')),
};

/** With the kill switch's own memory of at most 4 s, 5 s in all. */
const rememberMs = 500;
/** Points that wait for the switch to be read; later ones are dropped. */
const maxWaiting = 1_000;

/**
 * Metrics and spans that end within 5 seconds of the kill switch (EGR-4), by the name
 * `telemetry:host` or with all. A point is handed on at once while the switch is known; else it
 * waits for the read. A span that ends while the switch is on is never ended, so it is not exported.
 * Where the switch cannot be read the last answer counts, at first open: telemetry holds nothing of
 * a review, and it is what reports the outage. What was recorded before stays in the host's meter.
 */
// long: closures over what is known of the switch
export function createStoppableTelemetry(options: StoppableTelemetryOptions): Telemetry {
  checkOptions('createStoppableTelemetry', options, optionShape);
  const { telemetry, killSwitch, clock = systemClock } = options;
  const name = nameDestination(telemetryDestination);
  let isStopped = false;
  let checkedAt: number | undefined;
  let checking: Promise<void> | undefined;
  const waiting: (() => void)[] = [];
  /** The host's span of each that was handed out: a parent must be one that the host knows. */
  const inner = new WeakMap<Span, Span>();
  const unwrap = (parent: SpanRelation['parent']): SpanRelation['parent'] =>
    typeof parent === 'object' && parent !== null ? (inner.get(parent) ?? parent) : parent;

  async function readSwitch(): Promise<void> {
    const asOf = clock.monotonicMs();
    try {
      await killSwitch.check(name);
      isStopped = false;
    } catch (error) {
      if (isCriticizerError(error) && error.code === 'EGRESS_KILLED') isStopped = true;
    }
    checkedAt = asOf;
    checking = undefined;
    for (const emit of waiting.splice(0)) if (!isStopped) emit();
  }

  function pass(emit: () => void): void {
    const isKnown = checkedAt !== undefined && clock.monotonicMs() - checkedAt < rememberMs;
    if (isKnown && checking === undefined) {
      if (!isStopped) emit();
      return;
    }
    if (waiting.length < maxWaiting) waiting.push(emit);
    checking ??= readSwitch();
  }

  return {
    count: (...point) => pass(() => telemetry.count(...point)),
    record: (...point) => pass(() => telemetry.record(...point)),
    gauge: (...point) => pass(() => telemetry.gauge(...point)),
    startSpan(name, attributes, relation) {
      const span = telemetry.startSpan(name, attributes, relation && { ...relation, parent: unwrap(relation.parent) });
      const stoppable: Span = {
        traceparent: span.traceparent,
        setAttributes: (more) => span.setAttributes(more),
        end: (errorType) => pass(() => span.end(errorType)),
        run: (work) => runInSpan(span, work),
      };
      inner.set(stoppable, span);
      return stoppable;
    },
  };
}
