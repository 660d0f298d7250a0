import { sharedState } from '../foundation/shared-state.js';

const values = sharedState('criticizer.secret', () => new WeakMap<object, string>());

/**
 * A value that never prints (SEC-3). Its text lives outside the object, where every copy and module
 * format of the SDK finds it.
 */
export class Secret {
  /**
   * Tells the types apart. A string, not a unique symbol or #private: those would make the ESM and
   * CJS types disagree.
   */
  readonly kind = 'criticizer.secret' as const;

  constructor(text: string) {
    if (typeof text !== 'string' || text.length === 0) throw new TypeError('Secret: expected a non-empty string');
    values.set(this, text);
  }

  /** True for a Secret of any copy of the SDK, where `instanceof` sees only its own. */
  static is(value: unknown): value is Secret {
    return typeof value === 'object' && value !== null && values.has(value);
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]';
  }
}

/** The text of a secret, for the one place that must send it. Keep it in no variable that outlives the call (SEC-4). */
export function revealSecret(secret: Secret): string {
  const text = values.get(secret);
  if (text === undefined) throw new TypeError('revealSecret: not a Secret made by @criticizer/core');
  return text;
}
