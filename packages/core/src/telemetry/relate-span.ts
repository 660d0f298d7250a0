import type { SpanKind, SpanRelation } from './telemetry.js';

/**
 * How an attempt relates to the span that stored its job or mail: linked to it, in a trace of its own;
 * with `oneTrace` its child as well. Without a valid `traceparent` it begins a trace.
 */
export function relateToOrigin(kind: SpanKind, traceparent: string | null | undefined, oneTrace = false): SpanRelation {
  const origin = traceparent ?? null;
  return { kind, parent: oneTrace ? origin : null, links: origin === null ? [] : [origin] };
}
