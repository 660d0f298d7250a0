import type { z } from 'zod';
import { UsageError } from './usage-error.js';

/** Runs every reader; throws one `UsageError` with the lines of all that failed. */
export function readAll<T extends Record<string, () => unknown>>(readers: T): { [K in keyof T]: ReturnType<T[K]> } {
  const lines: string[] = [];
  const read = Object.entries(readers).map(([name, reader]) => {
    try {
      return [name, reader()];
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      lines.push(...error.lines);
      return [name, undefined];
    }
  });
  if (lines.length > 0) throw new UsageError(lines);
  return Object.fromEntries(read);
}

function explain({ path, message, input }: z.core.$ZodIssue): string {
  const name = path.join('.');
  return input === undefined && /^Invalid input: expected \w+, received undefined$/.test(message)
    ? `${name}: is missing`
    : `${name}: ${message}`;
}

/**
 * Parses an environment; empty variables count as not set. Throws one `UsageError` with a line for
 * each mistake, `unknown` names included. Values, which may be secret, are not quoted.
 */
export function parseEnvironment<T extends z.ZodType>(
  schema: T,
  env: NodeJS.ProcessEnv,
  unknown: (given: NodeJS.ProcessEnv) => readonly string[],
): z.output<T> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const names = unknown(given).map((name) => `${name}: no variable of this program; see --help`);
  const parsed = schema.safeParse(given);
  if (parsed.success && names.length === 0) return parsed.data;
  throw new UsageError([...(parsed.error?.issues ?? []).map(explain), ...names]);
}
