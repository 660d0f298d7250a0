import type { OptionCheck } from './check-options.js';
import { withMethods } from './option-checks.js';

/** The version of every port that this core calls: `contract: 1`. A port that changes gets the next number. */
const known = 1;

/**
 * Throws `TypeError` unless `part.contract` is a version that this core knows. A part written to
 * another version would be called with what it does not expect.
 */
export function checkContract(option: string, part: { contract?: unknown }): void {
  if (part.contract === known) return;
  const found = part.contract === undefined ? 'it has none' : `it says ${String(part.contract)}`;
  throw new TypeError(
    `${option}.contract: expected ${known}, the version of the port that this @criticizer/core calls; ${found}. Install versions of the part and of @criticizer/core that fit each other.`,
  );
}

/** A part of one of core's ports: an object with these methods, and a contract that this core knows. */
export function partWith(...methods: readonly string[]): OptionCheck {
  const hasMethods = withMethods(...methods);
  return (option, value) => {
    hasMethods(option, value);
    checkContract(option, value as object);
  };
}
