import type { LlmTurn } from './llm-provider.js';

/**
 * Throws `TypeError` unless user and assistant alternate and the first turn and the last one are
 * the user's: the one order that every vendor takes.
 */
export function checkTurns(at: string, turns: readonly LlmTurn[]): void {
  const isAlternating = turns.every(({ role }, n) => role === (n % 2 === 0 ? 'user' : 'assistant'));
  if (!isAlternating || turns.length % 2 === 0)
    throw new TypeError(`${at}: expected user and assistant in turns, the first and the last one the user's`);
}
