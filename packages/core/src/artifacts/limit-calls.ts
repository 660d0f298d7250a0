import { isCriticizerError } from '../foundation/errors.js';
import { systemClock } from '../foundation/time/system-clock.js';
import { withDeadline } from '../foundation/time/with-deadline.js';

/**
 * The same part, each call of which rejects with `STORE_TIMEOUT` after `ms` milliseconds: a half-open
 * connection may never answer. The call itself goes on; its result is dropped.
 */
export function limitCalls<Part extends object>(name: string, part: Part, ms: number): Part {
  return new Proxy(part, {
    get(target, key) {
      const verb: unknown = Reflect.get(target, key);
      if (typeof verb !== 'function') return verb;
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(verb, target, args);
        if (!(result instanceof Promise)) return result;
        return withDeadline({ clock: systemClock, ms, call: `${name}.${String(key)}` }, result);
      };
    },
  });
}

/** True of the error of a call that was given up. */
export function isLate(error: unknown): boolean {
  return isCriticizerError(error) && error.code === 'STORE_TIMEOUT';
}
