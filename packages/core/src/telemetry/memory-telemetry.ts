import type { Attributes, Telemetry } from './telemetry.js';

export interface Measurement {
  kind: 'count' | 'record' | 'gauge' | 'span';
  name: string;
  value: number;
  attributes: Attributes;
}

/** Keeps every measurement, in order; a span is measured when it ends, with the value 1. For tests and trials. */
export function createMemoryTelemetry(): Telemetry & { readonly measurements: readonly Measurement[] } {
  const measurements: Measurement[] = [];
  const keep =
    (kind: Measurement['kind']) =>
    (name: string, value: number, attributes: Attributes = {}) => {
      measurements.push({ kind, name, value, attributes: { ...attributes } });
    };
  return {
    measurements,
    count: keep('count'),
    record: keep('record'),
    gauge: keep('gauge'),
    startSpan(name, attributes = {}) {
      const all: Record<string, string | number | boolean> = { ...attributes };
      let ended = false;
      return {
        setAttributes: (more) => void Object.assign(all, more),
        end(errorType) {
          if (ended) return;
          ended = true;
          keep('span')(name, 1, errorType === undefined ? all : { ...all, 'error.type': errorType });
        },
      };
    },
  };
}
