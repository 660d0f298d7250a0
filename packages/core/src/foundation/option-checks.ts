import { checkFields, type OptionCheck, type OptionShape } from './check-options.js';
import { checkOneOf } from './store-input.js';

/** A value that the factory or verb checks itself, where the check needs more than the value. */
export const checkedElsewhere: OptionCheck = () => undefined;

/** The same check for an option that may be left out. */
export function optional(check: OptionCheck): OptionCheck {
  return (option, value) => {
    if (value !== undefined) check(option, value);
  };
}

/** The check of an option that is an object of options itself. `path` names it in full. */
export function nested<Fields extends object>(shape: OptionShape<Fields>): OptionCheck {
  return (option, value) => {
    if (value === undefined) throw new TypeError(`${option}: expected an object with ${Object.keys(shape).join(', ')}`);
    checkFields(option, value, shape);
  };
}

/** A port that the host implements: an object with these methods. It may have any other members. */
export function withMethods(...methods: readonly string[]): OptionCheck {
  return (option, value) => {
    const members = value as Readonly<Record<string, unknown>> | null | undefined;
    const fits =
      (typeof value === 'object' || typeof value === 'function') &&
      methods.every((method) => typeof members?.[method] === 'function');
    if (!fits)
      throw new TypeError(
        `${option}: expected an object with the method${methods.length === 1 ? '' : 's'} ${methods.join(', ')}`,
      );
  };
}

/** Throws `TypeError` unless `value` is true or false. */
export const checkBoolean: OptionCheck = (option, value) => {
  if (typeof value !== 'boolean') throw new TypeError(`${option}: expected true or false`);
};

/** Throws `TypeError` unless `value` is a function. */
export const checkFunction: OptionCheck = (option, value) => {
  if (typeof value !== 'function') throw new TypeError(`${option}: expected a function`);
};

/** Throws `TypeError` unless `value` is an object and no array. */
export const checkObject: OptionCheck = (option, value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`${option}: expected an object`);
};

/** Throws `TypeError` unless `value` is an array. */
export const checkArray: OptionCheck = (option, value) => {
  if (!Array.isArray(value)) throw new TypeError(`${option}: expected an array`);
};

/** Throws `TypeError` unless `value` is a string with at least one character that is no space. */
export const checkName: OptionCheck = (option, value) => {
  if (typeof value !== 'string' || value.trim() === '') throw new TypeError(`${option}: expected a non-empty string`);
};

/** Throws `TypeError` unless `value` is an AbortSignal, of this realm or another. */
export const checkAbortSignal: OptionCheck = (option, value) => {
  const given = value as Partial<AbortSignal> | null | undefined;
  if (typeof given?.aborted !== 'boolean' || typeof given.addEventListener !== 'function')
    throw new TypeError(`${option}: expected an AbortSignal`);
};

/** The check that a value is one of these strings. */
export function oneOf(...allowed: readonly string[]): OptionCheck {
  return (option, value) => checkOneOf(option, value, allowed);
}

/**
 * A Logger, Telemetry, Clock, Random and SecurityEvents, each optional: what most factories take
 * besides their own options.
 */
export const observerShape = {
  logger: optional(withMethods('debug', 'info', 'warn', 'error')),
  telemetry: optional(withMethods('count', 'record', 'gauge', 'startSpan')),
  securityEvents: optional(withMethods('emit')),
  clock: optional(withMethods('nowMs', 'monotonicMs', 'sleep')),
  random: optional(withMethods('next', 'bytes', 'uuid')),
} as const;
