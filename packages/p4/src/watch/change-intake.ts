import {
  checkAbortSignal,
  checkArray,
  checkBoolean,
  checkFields,
  checkName,
  checkOptions,
  optional,
} from '@criticizer/core/internal';
import { createP4Client } from '../client/p4-client.js';
import { Intake } from './intake.js';
import {
  type ChangeIntake,
  type ChangeIntakeOptions,
  intakeShape,
  type SeenChange,
  type TakeOptions,
} from './intake-options.js';

/** The verb of an intake, whoever owns it. Rejects with a TypeError for an unknown option. */
export async function takeChanges<Tx>(
  intake: Pick<Intake<Tx>, 'take'>,
  numbers: readonly number[],
  options: TakeOptions | undefined,
): Promise<readonly SeenChange[]> {
  checkArray('take: numbers', numbers);
  checkFields<TakeOptions>('take: options', options, {
    signal: optional(checkAbortSignal),
    seenBy: optional(checkName),
    isInReview: optional(checkBoolean),
  });
  return intake.take(numbers, options?.signal ?? new AbortController().signal, options);
}

/**
 * Makes the intake for triggers and hosts without a watcher; a watcher has one of its own. Throws
 * TypeErrors that name the option.
 */
export function createChangeIntake<Tx>(options: ChangeIntakeOptions<Tx>): ChangeIntake {
  checkOptions('createChangeIntake', options, intakeShape);
  const intake = new Intake(createP4Client(options), options);
  return { take: (numbers, taking) => takeChanges(intake, numbers, taking) };
}
