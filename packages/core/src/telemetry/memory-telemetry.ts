import { randomBytes } from 'node:crypto';
import type { Attributes, Span, SpanKind, Telemetry } from './telemetry.js';
import { formatTraceparent, readTraceparent } from './traceparent.js';

export interface Measurement {
  kind: 'count' | 'record' | 'gauge' | 'span';
  name: string;
  value: number;
  attributes: Attributes;
}

/** A span that ended. */
export interface EndedSpan {
  name: string;
  kind: SpanKind;
  attributes: Attributes;
  /** The code that it ended with. */
  errorType: string | undefined;
  traceparent: string;
  /** The parent's `traceparent`; null at the root of a trace. */
  parent: string | null;
  links: readonly string[];
}

/**
 * Keeps every measurement, in order; a span is measured when it ends, with the value 1. Spans have
 * ids, parents and links. For tests and trials.
 */
export function createMemoryTelemetry(): Telemetry & {
  readonly measurements: readonly Measurement[];
  readonly spans: readonly EndedSpan[];
} {
  const measurements: Measurement[] = [];
  const spans: EndedSpan[] = [];
  const keep =
    (kind: Measurement['kind']) =>
    (name: string, value: number, attributes: Attributes = {}) => {
      measurements.push({ kind, name, value, attributes: { ...attributes } });
    };
  const keepSpan = keep('span');
  return {
    measurements,
    spans,
    count: keep('count'),
    record: keep('record'),
    gauge: keep('gauge'),
    startSpan(name, attributes = {}, relation = {}) {
      const all: Record<string, string | number | boolean> = { ...attributes };
      const parent = typeof relation.parent === 'object' ? relation.parent?.traceparent : relation.parent;
      const inherited = readTraceparent(parent);
      const traceId = inherited?.traceId ?? randomBytes(16).toString('hex');
      const traceparent = formatTraceparent({ traceId, spanId: randomBytes(8).toString('hex'), traceFlags: 1 }) ?? '';
      let ended = false;
      const span: Span = {
        traceparent,
        setAttributes: (more) => void Object.assign(all, more),
        end(errorType) {
          if (ended) return;
          ended = true;
          keepSpan(name, 1, errorType === undefined ? all : { ...all, 'error.type': errorType });
          spans.push({
            name,
            kind: relation.kind ?? 'internal',
            attributes: { ...all },
            errorType,
            traceparent,
            parent: inherited === null ? null : (parent ?? null),
            links: (relation.links ?? []).filter((link) => readTraceparent(link) !== null),
          });
        },
      };
      return span;
    },
  };
}
