import { createConcurrencyLimit } from './concurrency-limit.js';

/** Runs tasks in the order of the calls; one whose signal aborts while it waits never starts. */
export type P4CommandLimit = <T>(task: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/**
 * How many commands run at a time over all parts that are given the result as `maxConcurrent`: one
 * for each server bounds what fetcher, watcher, ticket watch and doctor ask of it together. Throws a
 * TypeError for another `max` than a whole number from 1.
 */
export function createP4CommandLimit(max: number): P4CommandLimit {
  if (!Number.isSafeInteger(max) || max < 1)
    throw new TypeError('createP4CommandLimit: max: expected a whole number >= 1');
  return createConcurrencyLimit(max);
}
