import type { OptionCheck } from '../../foundation/check-options.js';
import { readTraceparent } from '../../telemetry/traceparent.js';

/** Throws `TypeError` unless `value` is a valid W3C `traceparent` of 55 characters. */
export const checkTraceparent: OptionCheck = (option, value) => {
  if (readTraceparent(value) === null)
    throw new TypeError(`${option}: expected a W3C traceparent, version-traceid-spanid-flags in lower-case hex`);
};
