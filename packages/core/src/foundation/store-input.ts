import type { JsonValue } from './json.js';
import { isStorable } from './storable-text.js';

/** The longest span a store accepts, about a hundred years: past it an instant no longer fits a date. */
export const longestMs = 100 * 365 * 86_400_000;
const largestInt = 2 ** 31 - 1;

/**
 * Throws `TypeError` unless `value` is a string of 1 to `maxLength` UTF-16 units, without NUL and
 * halves of surrogate pairs.
 */
export function checkText(option: string, value: unknown, maxLength = 512): void {
  if (typeof value !== 'string' || value.length === 0 || value.length > maxLength) {
    throw new TypeError(`${option}: expected a string of 1 to ${maxLength} characters`);
  }
  checkStorable(option, value);
}

/**
 * Throws `TypeError` unless `value` is a string that every store keeps as it is: no NUL, no half of
 * a surrogate pair.
 */
export function checkStorable(option: string, value: unknown): void {
  if (typeof value !== 'string' || !isStorable(value))
    throw new TypeError(`${option}: expected text without NUL and without halves of surrogate pairs`);
}

/** Throws `TypeError` unless `value` is a whole number within the bounds; the defaults are those of a 32-bit column. */
export function checkWhole(option: string, value: unknown, min = -largestInt - 1, max = largestInt): void {
  if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) {
    throw new TypeError(`${option}: expected a whole number from ${min} to ${max}`);
  }
}

/**
 * Throws `TypeError` unless `value` is a span in milliseconds, from `min` to about a hundred years;
 * fractions are allowed.
 */
export function checkMs(option: string, value: unknown, min = 0): void {
  if (typeof value !== 'number' || !(value >= min && value <= longestMs)) {
    throw new TypeError(`${option}: expected milliseconds from ${min} to ${longestMs}`);
  }
}

/** Throws `TypeError` unless `value` is a valid Date. */
export function checkDate(option: string, value: unknown): void {
  if (!(value instanceof Date) || Number.isNaN(value.getTime()))
    throw new TypeError(`${option}: expected a valid Date`);
}

/** Throws `TypeError` unless `value` is one of `allowed`. */
export function checkOneOf(option: string, value: unknown, allowed: readonly string[]): void {
  if (typeof value !== 'string' || !allowed.includes(value))
    throw new TypeError(`${option}: expected one of ${allowed.join(', ')}`);
}

/** Throws `TypeError` unless `value` is lower-case hex of exactly `length` characters. */
export function checkHex(option: string, value: unknown, length: number): void {
  if (typeof value !== 'string' || value.length !== length || !/^[0-9a-f]+$/.test(value)) {
    throw new TypeError(`${option}: expected ${length} lower-case hex characters`);
  }
}

/** A page's size as every `list` takes it: default 100, at most 1,000; `TypeError` beyond. */
export function pageLimit(limit: number | undefined, option = 'filter.limit'): number {
  if (limit === undefined) return 100;
  checkWhole(option, limit, 1, 1000);
  return limit;
}

/** The size of a sweep: whole, at least 1; without one the sweep takes all there is. */
export function sweepLimit(limit: number | undefined, option = 'options.limit'): number {
  if (limit === undefined) return largestInt;
  checkWhole(option, limit, 1);
  return limit;
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/**
 * Throws `TypeError` unless JSON carries `value` without loss, no undefined, NaN, Date, class
 * instance or cycle, and unless every store can hold its strings and keys, no NUL and no half of a
 * surrogate pair.
 */
export function checkJson(option: string, value: unknown): asserts value is JsonValue {
  const path = new Set<object>();
  const visit = (at: string, item: unknown): void => {
    if (typeof item === 'string') checkStorable(at, item);
    if (
      item === null ||
      typeof item === 'string' ||
      typeof item === 'boolean' ||
      (typeof item === 'number' && Number.isFinite(item))
    )
      return;
    if (typeof item !== 'object' || !(Array.isArray(item) || isPlainObject(item)))
      throw new TypeError(`${at}: expected a JSON value`);
    if (path.has(item) || path.size > 200) throw new TypeError(`${at}: expected JSON without cycles, at most 200 deep`);
    path.add(item);
    for (const [key, inner] of Object.entries(item)) {
      checkStorable(`${at}: a key`, key);
      visit(`${at}.${key.slice(0, 64)}`, inner);
    }
    path.delete(item);
  };
  visit(option, value);
}

/** As `checkJson`, and an object. */
export function checkJsonObject(option: string, value: unknown): void {
  checkJson(option, value);
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new TypeError(`${option}: expected a JSON object`);
}
