import { checkText, checkWhole } from '../foundation/store-input.js';
import {
  checkRequest,
  type Operated,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from './operation.js';

/** The new value of a number that all processes share. */
export interface SetLimit extends OperatorRequest {
  /** `running`: how many jobs may run at once, over all processes (WQ-10). */
  name: string;
  /** The value that the operator saw: null for none. Another value by now is a `conflict`. */
  seen: number | null;
  /** A whole number from 0; null removes the limit. */
  value: number | null;
}

const checkLimit = (option: string, value: unknown): void => {
  if (value !== null) checkWhole(option, value, 0);
};

/**
 * Sets a limit where it still has the value that the operator saw, else nothing changes. It takes
 * effect at the next claim of every process; a process that starts later with another
 * `worker.maxRunning` refuses to start (WQ-10).
 */
export async function setLimit<Tx>(parts: OperatorParts<Tx>, request: SetLimit): Promise<Operated<'set' | 'conflict'>> {
  checkRequest<SetLimit>('setLimit', request, {
    name: (option, value) => checkText(option, value, 128),
    seen: checkLimit,
    value: checkLimit,
  });
  const { name, seen, value, actor, reason } = request;
  return performOperation(parts, {
    action: 'limit.set',
    targetType: 'limit',
    targetId: name,
    payload: { seen, value },
    actor,
    reason,
    change: (tx) => parts.stores.limits.set(name, value, { tx, expected: seen }),
    hasChanged: (outcome) => outcome === 'set',
  });
}
