import { z } from 'zod';

export const minute = 60_000;
export const day = 24 * 60 * minute;

/** A whole number within bounds. */
export const count = (low: number, high: number, byDefault: number, text: string) =>
  z.number().int().min(low).max(high).default(byDefault).describe(text);
/** Milliseconds within bounds. */
export const ms = count;

/** An age in milliseconds, from `low` to ten years; null: never. */
export const agesFrom = (low: number, byDefault: number | null) =>
  z
    .number()
    .int()
    .min(low)
    .max(3_650 * day)
    .nullable()
    .default(byDefault);

/** An age in milliseconds, from a minute to ten years; null: never. */
export const age = (byDefault: number) => agesFrom(minute, byDefault);
