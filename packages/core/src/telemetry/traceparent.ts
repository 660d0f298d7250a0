/** What a `traceparent` says, as the W3C recommendation Trace Context has it. */
export interface TraceParent {
  /** 32 hex characters, not all zero. */
  traceId: string;
  /** 16 hex characters, not all zero. */
  spanId: string;
  /** 0 to 255; bit 0: the trace is sampled. */
  traceFlags: number;
}

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * Reads a `traceparent` of exactly 55 characters. Gives null for what is malformed, for the version
 * `ff` and for ids of zeros: a value from outside must never fail the work that it came with.
 */
export function readTraceparent(text: unknown): TraceParent | null {
  if (typeof text !== 'string') return null;
  const [, version, traceId, spanId, flags] = shape.exec(text) ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

/** The text of version 00, 55 characters; null for ids that no span has. */
export function formatTraceparent({ traceId, spanId, traceFlags }: TraceParent): string | null {
  const text = `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`;
  return readTraceparent(text) === null ? null : text;
}
