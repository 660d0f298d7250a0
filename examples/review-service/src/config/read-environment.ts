import type { z } from 'zod';
import { explainIssue } from './explain-issue.js';
import { UsageError } from './usage-error.js';

/** Runs every reader; throws one `UsageError` with the lines of all that failed, each line once. */
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
  if (lines.length > 0) throw new UsageError([...new Set(lines)]);
  return Object.fromEntries(read);
}

/** A rule over several variables; it reads whatever of them is in form. */
export type Rule<T> = readonly [name: string, isMet: (given: Partial<T>) => boolean, message: string];

/** A schema with rules: every mistake is an issue of its own, those over several variables too. */
export function applyRules<T extends z.ZodType>(schema: T, rules: readonly Rule<z.output<T>>[]): T {
  return rules.reduce((ruled, [name, isMet, message]) => {
    const check = (given: unknown): boolean => isMet(given as Partial<z.output<T>>);
    return ruled.refine(check, { path: [name], message, when: () => true });
  }, schema);
}

/** Rules of variables that say something only together with another: alone they would be ignored in silence. */
export const needing = <T extends object>(needed: keyof T & string, names: readonly (keyof T & string)[]): Rule<T>[] =>
  names.map((name) => [
    name,
    (given) => given[name] === undefined || given[needed] !== undefined,
    `is set without ${needed}`,
  ]);

function explain(issue: z.core.$ZodIssue, given: object): string {
  const name = issue.path.join('.');
  const isMissing =
    issue.input === undefined && /^Invalid input: expected \w+, received undefined$/.test(issue.message);
  return isMissing ? `${name}: is missing` : `${name}: ${explainIssue(issue, given)}`;
}

/** How an environment is parsed. */
export interface ParseOptions {
  /** Stands before each name of the schema. Default: nothing. */
  prefix?: string;
  /** Names of the environment that the program does not know. Default: none. */
  unknown?: (given: NodeJS.ProcessEnv) => readonly string[];
}

/**
 * Parses an environment; empty variables count as not set. Throws one `UsageError` with a line for
 * each mistake, `unknown` names included. Values, which may be secret, are not quoted.
 */
export function parseEnvironment<T extends z.ZodType>(
  schema: T,
  env: NodeJS.ProcessEnv,
  { prefix = '', unknown = () => [] }: ParseOptions = {},
): z.output<T> {
  const set = Object.entries(env).filter(
    ([name, value]) => name.startsWith(prefix) && value !== undefined && value !== '',
  );
  const given = Object.fromEntries(set.map(([name, value]) => [name.slice(prefix.length), value]));
  const names = unknown(given).map((name) => `${name}: no variable of this program; see --help`);
  const parsed = schema.safeParse(given);
  if (parsed.success && names.length === 0) return parsed.data;
  const mistakes = (parsed.error?.issues ?? []).map((issue) => `${prefix}${explain(issue, given)}`);
  throw new UsageError([...mistakes, ...names]);
}
