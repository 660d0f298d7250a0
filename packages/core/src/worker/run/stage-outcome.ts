import { CriticizerError } from '../../foundation/errors.js';
import { isCategory } from '../../foundation/failures/failure.js';
import { isStorable } from '../../foundation/storable-text.js';
import { longestMs } from '../../foundation/store-input.js';
import type { StageOutcome } from './stage.js';

/** The fields of each outcome. One that is not listed would be dropped without a word. */
const fields: Readonly<Record<string, readonly string[]>> = {
  next: ['kind', 'effects'],
  done: ['kind', 'result', 'requireNotified', 'effects'],
  wait: ['kind', 'delayMs', 'reason'],
  fail: ['kind', 'failure', 'result', 'effects'],
};
const effectFields = ['outputs', 'publish', 'outbox', 'samples'];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isText = (value: unknown): boolean =>
  typeof value === 'string' && value.length >= 1 && value.length <= 1024 && isStorable(value);

const isSpan = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= longestMs;

/**
 * The error of an outcome that is none: the stage's own bug. It names the field and what was
 * expected, never the value.
 */
export function invalidOutcome(stage: string, field: string, expected: string, cause?: unknown): CriticizerError {
  return new CriticizerError(
    'STAGE_OUTCOME_INVALID',
    `The stage "${stage}" returned an invalid outcome: ${field}: expected ${expected}.`,
    {
      details: { field, expected },
      cause,
    },
  );
}

function checkEffects(stage: string, effects: unknown): void {
  if (effects === undefined) return;
  if (!isObject(effects)) throw invalidOutcome(stage, 'effects', 'an object with outputs, publish, outbox or samples');
  for (const field in effects)
    if (effects[field] !== undefined && !effectFields.includes(field))
      throw invalidOutcome(stage, `effects.${field}`, `one of ${effectFields.join(', ')}`);
  const { outputs, publish, outbox } = effects;
  if (outputs !== undefined && !isObject(outputs))
    throw invalidOutcome(stage, 'effects.outputs', 'an object of ids by name');
  if (publish !== undefined && !(Array.isArray(publish) && publish.every((id) => typeof id === 'string')))
    throw invalidOutcome(stage, 'effects.publish', 'an array of artifact ids');
  if (outbox !== undefined && !Array.isArray(outbox)) throw invalidOutcome(stage, 'effects.outbox', 'an array of rows');
}

function checkFailure(stage: string, { failure, result }: Record<string, unknown>): void {
  if (!isObject(failure)) throw invalidOutcome(stage, 'failure', 'an object with code, category and message');
  if (!isText(failure.code)) throw invalidOutcome(stage, 'failure.code', 'a text of 1 to 1024 characters');
  if (!isCategory(failure.category)) throw invalidOutcome(stage, 'failure.category', 'a category of the failure table');
  if (typeof failure.message !== 'string') throw invalidOutcome(stage, 'failure.message', 'a text');
  if (result !== undefined && !isObject(result)) throw invalidOutcome(stage, 'result', 'a JSON object');
}

/**
 * Gives what a stage returned as an outcome. Throws `STAGE_OUTCOME_INVALID` for everything that is
 * none, which types cannot keep out: a stage may be written in plain JavaScript. That every value
 * can be stored is left to the store's own check.
 */
export function readStageOutcome(stage: string, returned: unknown): StageOutcome {
  const kind = isObject(returned) && typeof returned.kind === 'string' ? returned.kind : '';
  const known = Object.hasOwn(fields, kind) ? fields[kind] : undefined;
  if (!isObject(returned) || known === undefined)
    throw invalidOutcome(stage, 'kind', `'next', 'done', 'wait' or 'fail'; a stage asks for a retry by throwing`);
  for (const field in returned)
    if (returned[field] !== undefined && !known.includes(field))
      throw invalidOutcome(stage, field, `one of ${known.join(', ')}`);
  if (kind === 'wait') {
    if (!isSpan(returned.delayMs)) throw invalidOutcome(stage, 'delayMs', `milliseconds from 0 to ${longestMs}`);
    if (!isText(returned.reason)) throw invalidOutcome(stage, 'reason', 'a text of 1 to 1024 characters');
    return returned as StageOutcome;
  }
  if (kind === 'done') {
    if (!isObject(returned.result)) throw invalidOutcome(stage, 'result', 'a JSON object');
    const { requireNotified } = returned;
    if (requireNotified !== undefined && typeof requireNotified !== 'boolean')
      throw invalidOutcome(stage, 'requireNotified', 'a boolean');
  }
  if (kind === 'fail') checkFailure(stage, returned);
  checkEffects(stage, returned.effects);
  return returned as StageOutcome;
}

const unstorable = /^settlements\[\d+\]\.(.+?): expected (.+)$/s;

/** The store's `TypeError` for a value of the outcome as the stage's own bug; every other error as it is. */
export function unstorableOutcome(stage: string, error: unknown): unknown {
  const [, field, expected] = error instanceof TypeError ? (unstorable.exec(error.message) ?? []) : [];
  return field === undefined || expected === undefined ? error : invalidOutcome(stage, field, expected, error);
}
