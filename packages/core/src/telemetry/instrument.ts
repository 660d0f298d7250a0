/** A metric as it is: what the OpenTelemetry adapter creates and the reference page prints. */
export interface Instrument {
  name: string;
  kind: 'counter' | 'histogram' | 'gauge';
  /** In the notation of UCUM; durations are seconds. */
  unit: string;
  /** Keys of the attributes that points may have. */
  attributes: readonly string[];
  /** One or two sentences. */
  description: string;
  /** Upper bounds of a histogram's buckets, ascending, in the unit. */
  buckets?: readonly number[];
}

/** Bounds of the messaging conventions: a call of a store or a mail server. */
export const callSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** Bounds of the generative AI conventions: 0.01, doubling to 81.92. */
export const inferenceSeconds = Array.from({ length: 14 }, (_, power) => 2 ** power / 100);
/** From a stage that only reads its checkpoint to a review of an hour. */
export const workSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600];
/** From a first retry to a day in the queue. */
export const waitSeconds = [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400];

type Row = readonly [name: string, unit: string, attributes: readonly string[], description: string];

/** A sum that only grows. */
export function counter(...[name, unit, attributes, description]: Row): Instrument {
  return { name, kind: 'counter', unit, attributes, description };
}

/** A current value. */
export function gauge(...[name, unit, attributes, description]: Row): Instrument {
  return { name, kind: 'gauge', unit, attributes, description };
}

/** A histogram of seconds. */
export function seconds(buckets: readonly number[], name: string, attributes: readonly string[], description: string) {
  return { name, kind: 'histogram', unit: 's', attributes, description, buckets } satisfies Instrument;
}

/** For gauges of what the store counts. */
export const everyProcess = 'Every process tells the same: take the maximum, not the sum.';
