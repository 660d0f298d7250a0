import {
  checkAbortSignal,
  checkedElsewhere,
  checkFields,
  checkOptions,
  type OptionShape,
  optional,
  withMethods,
} from '@criticizer/core/internal';
import { newestChangesBelow } from '../client/list-changes.js';
import { createP4Client, type P4ClientOptions } from '../client/p4-client.js';
import type { AllowList } from '../policy/allow-list.js';
import { clientShape } from '../policy/option-shapes.js';

type NewestOptions = P4ClientOptions & { allowList: AllowList };
interface NewestRequest {
  max: number;
  signal?: AbortSignal | undefined;
}

const optionShape: OptionShape<NewestOptions> = { ...clientShape, allowList: withMethods('check', 'forServer') };
const requestShape: OptionShape<NewestRequest> = { max: checkedElsewhere, signal: optional(checkAbortSignal) };

/**
 * The numbers of the `max` newest submitted changes that touch paths of the allow-list, ascending:
 * what to `take` where reviews shall begin in the past. Rejects with what the server answered;
 * throws TypeErrors that name the option.
 */
export async function findNewestChanges(options: NewestOptions, request: NewestRequest): Promise<readonly number[]> {
  checkOptions('findNewestChanges', options, optionShape);
  checkFields('findNewestChanges: request', request, requestShape);
  const { max, signal } = request;
  if (!Number.isSafeInteger(max) || max < 1 || max > 1_000)
    throw new TypeError('max: expected a whole number from 1 to 1000');
  return newestChangesBelow(
    createP4Client(options),
    options.allowList.allow,
    max,
    signal ?? new AbortController().signal,
  );
}
