import { checkOptions } from '../foundation/check-options.js';
import { withMethods } from '../foundation/option-checks.js';
import type { Attributes, Telemetry } from './telemetry.js';

/**
 * What is used of `@opentelemetry/api`'s meter and tracer, by shape: any version of it fits, and
 * none is needed to compile.
 */
export interface OpenTelemetryMeter {
  createCounter(name: string): { add(value: number, attributes?: Attributes): void };
  createHistogram(name: string): { record(value: number, attributes?: Attributes): void };
  createGauge(name: string): { record(value: number, attributes?: Attributes): void };
}

/** The part of OpenTelemetry's `Tracer` that is used. */
export interface OpenTelemetryTracer {
  startSpan(
    name: string,
    options?: { attributes?: Attributes },
  ): {
    setAttributes(attributes: Attributes): unknown;
    setStatus(status: { code: number }): unknown;
    end(): void;
  };
}

/** SpanStatusCode.ERROR of the OpenTelemetry API. */
const errorStatus = 2;

function cached<T>(create: (name: string) => T): (name: string) => T {
  const made = new Map<string, T>();
  return (name) => {
    const found = made.get(name);
    if (found !== undefined) return found;
    const fresh = create(name);
    made.set(name, fresh);
    return fresh;
  };
}

/**
 * Metrics and spans through the host's OpenTelemetry: `createOpenTelemetry({ meter:
 * metrics.getMeter('criticizer'), tracer: trace.getTracer('criticizer') })`.
 */
export function createOpenTelemetry(options: { meter: OpenTelemetryMeter; tracer: OpenTelemetryTracer }): Telemetry {
  checkOptions<typeof options>('createOpenTelemetry', options, {
    meter: withMethods('createCounter', 'createHistogram', 'createGauge'),
    tracer: withMethods('startSpan'),
  });
  const { meter, tracer } = options;
  const counter = cached((name) => meter.createCounter(name));
  const histogram = cached((name) => meter.createHistogram(name));
  const gauge = cached((name) => meter.createGauge(name));
  return {
    count: (name, value, attributes) => counter(name).add(value, attributes),
    record: (name, value, attributes) => histogram(name).record(value, attributes),
    gauge: (name, value, attributes) => gauge(name).record(value, attributes),
    startSpan(name, attributes = {}) {
      const span = tracer.startSpan(name, { attributes });
      return {
        setAttributes: (more) => void span.setAttributes(more),
        end(errorType) {
          if (errorType !== undefined) {
            span.setAttributes({ 'error.type': errorType });
            span.setStatus({ code: errorStatus });
          }
          span.end();
        },
      };
    },
  };
}
