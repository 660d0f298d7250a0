import { CriticizerError, type JsonObject } from '@criticizer/core/ports';

/** The client cannot be contained now, and never runs with less: the work waits, and no attempt is spent. */
export function containmentUnavailable(why: string, details: JsonObject = {}, cause?: unknown): CriticizerError {
  return new CriticizerError('P4_CONTAINMENT_UNAVAILABLE', `The p4 client cannot be contained: ${why}.`, {
    category: 'upstream',
    parks: true,
    details,
    ...(cause === undefined ? {} : { cause }),
  });
}
