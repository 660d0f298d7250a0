/** Attribute values; never a job id, a path or a user as a metric label. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/**
 * As OpenTelemetry has them: `producer` stores a message, `consumer` processes one, `client` calls a
 * remote service.
 */
export type SpanKind = 'internal' | 'producer' | 'consumer' | 'client';

/** How a span relates to others. */
export interface SpanRelation {
  /** Default `internal`. */
  kind?: SpanKind | undefined;
  /**
   * A span that the same `Telemetry` started, or a `traceparent` that another process sent. Null
   * starts a trace of its own. Left out: the span that is active in the host's tracer, if any.
   */
  parent?: Span | string | null | undefined;
  /** `traceparent`s of spans of other traces that caused this one. What is malformed is left out. */
  links?: readonly string[] | undefined;
}

/** A span under way. `end` is called once. */
export interface Span {
  setAttributes(attributes: Attributes): void;
  /** `errorType` is a stable code; absent on success. */
  end(errorType?: string): void;
  /**
   * The W3C `traceparent` of this span, 55 characters, for another process. Null, or left out by an
   * implementation that does not trace: there is none.
   */
  readonly traceparent?: string | null | undefined;
  /**
   * Runs `work` with this span active in the host's tracer, so that what the host instruments in it
   * becomes its child; gives what `work` gives. Left out: `work` runs as it is.
   */
  run?<T>(work: () => T): T;
}

/**
 * Where metrics and spans go. Names come from `telemetry/names.ts` alone. Must not throw.
 *
 * An implementation needs no more than two parameters of `startSpan` and two methods of a span: it
 * then gives spans without parents, and jobs are stored without a `traceparent`.
 */
export interface Telemetry {
  /** Adds to a counter. 0 makes the series exist before the first event. */
  count(name: string, value: number, attributes?: Attributes): void;
  /** Records one value of a distribution, in the unit the name's table entry says (seconds for durations). */
  record(name: string, value: number, attributes?: Attributes): void;
  /** Sets a gauge to its current value. */
  gauge(name: string, value: number, attributes?: Attributes): void;
  startSpan(name: string, attributes?: Attributes, relation?: SpanRelation): Span;
}

const nothing = (): void => undefined;

/** A span that drops everything. */
export const noSpan: Span = { setAttributes: nothing, end: nothing, traceparent: null };

/** Drops everything: the default. */
export const noTelemetry: Telemetry = { count: nothing, record: nothing, gauge: nothing, startSpan: () => noSpan };

/** Runs `work` within a span, where the span's telemetry can. */
export function runInSpan<T>(span: Span, work: () => T): T {
  return span.run === undefined ? work() : span.run(work);
}
