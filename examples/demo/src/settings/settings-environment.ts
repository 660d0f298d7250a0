import { isAbsolute, resolve } from 'node:path';
import { UsageError } from './usage-error.js';

/** A path as given, relative ones against the folder npm was called in. */
export function resolvePath(path: string, env: NodeJS.ProcessEnv): string {
  return isAbsolute(path) ? path : resolve(env['INIT_CWD'] ?? process.cwd(), path);
}

/**
 * The settings of one family, empty ones left out; null where none is set. Throws `UsageError` for
 * a name of the family that is not known, so that a typing error is not ignored, and for a required
 * one that is missing.
 */
export function requirePartners(
  env: NodeJS.ProcessEnv,
  prefix: string,
  known: readonly string[],
  required: readonly string[],
): Readonly<Record<string, string>> | null {
  const isOfFamily = (name: string): boolean => known.includes(name) || name.startsWith(prefix);
  const given = Object.entries(env).filter((pair): pair is [string, string] => isOfFamily(pair[0]) && Boolean(pair[1]));
  const [unknown] = given.find(([name]) => !known.includes(name)) ?? [];
  if (unknown !== undefined)
    throw new UsageError(`${unknown} is no setting of the demo. Known are ${known.join(', ')}: correct or unset it.`);
  const [first] = given[0] ?? [];
  if (first === undefined) return null;
  const settings = Object.fromEntries(given);
  const missing = required.filter((name) => settings[name] === undefined);
  if (missing.length > 0) {
    const verb = missing.length === 1 ? 'is' : 'are';
    throw new UsageError(
      `${first} is set, and ${missing.join(' and ')} ${verb} not: set what is missing, or unset ${first}.`,
    );
  }
  return settings;
}

/** A whole number from 1 to 999,999,999. Throws `UsageError` that names the option or setting. */
export function wholeNumber(text: string, name: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text))
    throw new UsageError(`${name} takes a whole number from 1, not ${JSON.stringify(text)}.`);
  return Number(text);
}
