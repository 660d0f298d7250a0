/** Attribute values; never a job id, a path or a user as a metric label. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A span under way. `end` is called once. */
export interface Span {
  setAttributes(attributes: Attributes): void;
  /** `errorType` is a stable code; absent on success. */
  end(errorType?: string): void;
}

/** Where metrics and spans go. Names come from `telemetry/names.ts` alone. Must not throw. */
export interface Telemetry {
  /** Adds to a counter. */
  count(name: string, value: number, attributes?: Attributes): void;
  /** Records one value of a distribution, in the unit the name's table entry says (seconds for durations). */
  record(name: string, value: number, attributes?: Attributes): void;
  /** Sets a gauge to its current value. */
  gauge(name: string, value: number, attributes?: Attributes): void;
  startSpan(name: string, attributes?: Attributes): Span;
}

const nothing = (): void => undefined;
const noSpan: Span = { setAttributes: nothing, end: nothing };
/** Drops everything: the default. */
export const noTelemetry: Telemetry = { count: nothing, record: nothing, gauge: nothing, startSpan: () => noSpan };
