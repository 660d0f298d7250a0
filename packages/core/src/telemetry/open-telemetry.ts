import { checkOptions, type OptionCheck, type OptionShape } from '../foundation/check-options.js';
import { optional, withMethods } from '../foundation/option-checks.js';
import { findInstrument } from './names.js';
import type { Attributes, Span, SpanKind, SpanRelation, Telemetry } from './telemetry.js';
import { formatTraceparent, readTraceparent } from './traceparent.js';

/** What an instrument is created with. */
export interface OpenTelemetryMetricOptions {
  description?: string;
  unit?: string;
  advice?: { explicitBucketBoundaries?: number[] };
}

/**
 * What is used of `@opentelemetry/api`'s meter, by shape: any version from 1.9.0 fits, and none is
 * needed to compile.
 */
export interface OpenTelemetryMeter {
  createCounter(name: string, options?: OpenTelemetryMetricOptions): OpenTelemetryCounter;
  createHistogram(name: string, options?: OpenTelemetryMetricOptions): OpenTelemetryRecorder;
  createGauge(name: string, options?: OpenTelemetryMetricOptions): OpenTelemetryRecorder;
}

/** A counter of OpenTelemetry. */
export interface OpenTelemetryCounter {
  add(value: number, attributes?: Attributes): void;
}

/** A histogram or a gauge of OpenTelemetry. */
export interface OpenTelemetryRecorder {
  record(value: number, attributes?: Attributes): void;
}

/** The identity of a span of OpenTelemetry. */
export interface OpenTelemetrySpanContext {
  traceId: string;
  spanId: string;
  traceFlags: number;
  isRemote?: boolean;
}

/** The part of OpenTelemetry's `Span` that is used. */
export interface OpenTelemetrySpan {
  spanContext(): OpenTelemetrySpanContext;
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { code: number }): unknown;
  end(): void;
}

/** The part of OpenTelemetry's `Tracer` that is used. */
export interface OpenTelemetryTracer {
  startSpan(
    name: string,
    options?: {
      attributes?: Attributes;
      kind?: number;
      root?: boolean;
      links?: { context: OpenTelemetrySpanContext }[];
    },
    context?: unknown,
  ): OpenTelemetrySpan;
}

/** The part of the module `@opentelemetry/api` that is used. */
export interface OpenTelemetryApi {
  trace: {
    getTracer(name: string): OpenTelemetryTracer;
    setSpan(context: unknown, span: OpenTelemetrySpan): unknown;
    setSpanContext(context: unknown, spanContext: OpenTelemetrySpanContext): unknown;
  };
  metrics: { getMeter(name: string): OpenTelemetryMeter };
  context: { active(): unknown; with<T>(context: unknown, work: () => T): T };
  ROOT_CONTEXT: unknown;
}

/** What `createOpenTelemetry` takes: the host's API, or a meter and a tracer of the host's. */
export interface OpenTelemetryOptions {
  /**
   * The host's own `@opentelemetry/api`: `import * as api from '@opentelemetry/api'`. Without it
   * spans have links but no parents.
   */
  api?: OpenTelemetryApi | undefined;
  /** Default: `api.metrics.getMeter('criticizer')`. */
  meter?: OpenTelemetryMeter | undefined;
  /** Default: `api.trace.getTracer('criticizer')`. */
  tracer?: OpenTelemetryTracer | undefined;
}

const checkApi: OptionCheck = (option, value) => {
  const { trace, metrics, context } = (value ?? {}) as Partial<OpenTelemetryApi>;
  withMethods('getTracer', 'setSpan', 'setSpanContext')(`${option}.trace`, trace);
  withMethods('getMeter')(`${option}.metrics`, metrics);
  withMethods('active', 'with')(`${option}.context`, context);
};

const optionShape: OptionShape<OpenTelemetryOptions> = {
  api: optional(checkApi),
  meter: optional(withMethods('createCounter', 'createHistogram', 'createGauge')),
  tracer: optional(withMethods('startSpan')),
};

/** Name of the meter and of the tracer: the instrumentation scope. */
const scope = 'criticizer';

/** SpanStatusCode.ERROR of the OpenTelemetry API. */
const errorStatus = 2;

/** SpanKind of the OpenTelemetry API. */
const kindNumber: Readonly<Record<SpanKind, number>> = { internal: 0, client: 2, producer: 3, consumer: 4 };

function cached<T>(create: (name: string, options: OpenTelemetryMetricOptions) => T): (name: string) => T {
  const made = new Map<string, T>();
  return (name) => {
    const found = made.get(name);
    if (found !== undefined) return found;
    const fresh = create(name, describeInstrument(name));
    made.set(name, fresh);
    return fresh;
  };
}

function describeInstrument(name: string): OpenTelemetryMetricOptions {
  const instrument = findInstrument(name);
  if (instrument === undefined) return {};
  const { description, unit, buckets } = instrument;
  return { description, unit, ...(buckets && { advice: { explicitBucketBoundaries: [...buckets] } }) };
}

/** Starts spans with parents and links, and knows its own spans again when they come back as parents. */
function createSpans(api: OpenTelemetryApi | undefined, tracer: OpenTelemetryTracer): Telemetry['startSpan'] {
  /** In which each span is active. */
  const contexts = new WeakMap<Span, unknown>();

  /** Undefined: the tracer takes what is active. */
  function contextOf(parent: SpanRelation['parent']): unknown {
    if (api === undefined || parent === undefined) return undefined;
    if (parent === null) return api.ROOT_CONTEXT;
    if (typeof parent !== 'string') return contexts.get(parent) ?? contextOf(parent.traceparent);
    const remote = readTraceparent(parent);
    if (remote === null) return api.ROOT_CONTEXT;
    return api.trace.setSpanContext(api.ROOT_CONTEXT, { ...remote, isRemote: true });
  }

  return (name, attributes = {}, { kind = 'internal', parent, links = [] } = {}) => {
    const context = contextOf(parent);
    const inner = tracer.startSpan(
      name,
      {
        attributes,
        kind: kindNumber[kind],
        links: links.flatMap((link) => {
          const linked = readTraceparent(link);
          return linked === null ? [] : [{ context: { ...linked, isRemote: true } }];
        }),
        ...(parent === null && { root: true }),
      },
      context,
    );
    const own = api?.trace.setSpan(context ?? api.context.active(), inner);
    const span: Span = {
      traceparent: formatTraceparent(inner.spanContext()),
      setAttributes: (more) => void inner.setAttributes(more),
      end(errorType) {
        if (errorType !== undefined) {
          inner.setAttributes({ 'error.type': errorType });
          inner.setStatus({ code: errorStatus });
        }
        inner.end();
      },
      run: (work) => (api === undefined ? work() : api.context.with(own, work)),
    };
    contexts.set(span, own);
    return span;
  };
}

/**
 * Metrics and spans through the host's OpenTelemetry: `createOpenTelemetry({ api })` with the
 * host's own `@opentelemetry/api` from 1.9.0 on, since a second copy of it would be a silent no-op.
 * Instruments have the units, descriptions and bucket bounds of `docs/reference/telemetry.md`; a
 * View of the host's wins. Throws `TypeError` without an API where meter or tracer is missing.
 */
export function createOpenTelemetry(options: OpenTelemetryOptions): Telemetry {
  checkOptions('createOpenTelemetry', options, optionShape);
  const { api } = options;
  const meter = options.meter ?? api?.metrics.getMeter(scope);
  const tracer = options.tracer ?? api?.trace.getTracer(scope);
  if (meter === undefined || tracer === undefined)
    throw new TypeError('createOpenTelemetry: expected api, or meter and tracer');
  const counter = cached((name, described) => meter.createCounter(name, described));
  const histogram = cached((name, described) => meter.createHistogram(name, described));
  const gauge = cached((name, described) => meter.createGauge(name, described));
  return {
    count: (name, value, attributes) => counter(name).add(value, attributes),
    record: (name, value, attributes) => histogram(name).record(value, attributes),
    gauge: (name, value, attributes) => gauge(name).record(value, attributes),
    startSpan: createSpans(api, tracer),
  };
}
