import type { AlertCondition } from './alert-condition.js';

/**
 * A place where conditions can be read: the store, mostly. Every process reads it, one of them each
 * turn. What a reading lacks is over, so a reading is complete or rejects: after a failure the alerts
 * of this source stay as they are.
 */
export interface AlertSource {
  /** The same in every process; 1 to 64 characters. */
  readonly name: string;
  /** Everything that is wrong now. */
  read(options: { signal: AbortSignal }): Promise<readonly AlertCondition[]>;
}
