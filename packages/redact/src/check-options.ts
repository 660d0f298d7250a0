// The words of `checkOptions` of @criticizer/core, which this package does not import.

/**
 * Every key of `Options`. A key that is missing or too many does not compile, so the list cannot
 * drift from the type.
 */
export type KnownKeys<Options> = { readonly [Key in keyof Options]-?: true };

/**
 * Throws `TypeError` unless `options` is an object whose own keys are all known. The message is
 * `<factory>: <key>: unknown option; …`.
 */
export function checkOptions<Options extends object>(
  factory: string,
  options: unknown,
  known: KnownKeys<Options>,
): void {
  checkKeys(factory, ': ', options, known);
}

/**
 * As `checkOptions`, for an object inside a path: `<path>.<key>: unknown option; …`.
 * `undefined` counts as `{}`.
 */
export function checkFields<Fields extends object>(path: string, fields: unknown, known: KnownKeys<Fields>): void {
  if (fields !== undefined) checkKeys(path, '.', fields, known);
}

/** Formats the message for an unknown option. It names the known ones and shows no value. */
export function unknownOption(option: string, key: string, known: readonly string[]): string {
  const meant = nearestName(key, known);
  const hint = meant === undefined ? '' : `did you mean ${meant}? `;
  return `${option}: unknown option; ${hint}known are ${known.join(', ')}`;
}

/** Runs for every text that is redacted under a context, so it allocates nothing while all keys are known. */
function checkKeys(at: string, separator: string, options: unknown, known: Readonly<Record<string, true>>): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError(`${at}: expected an object with ${Object.keys(known).join(', ')}`);
  for (const key in options) {
    // Not `in`: `toString` is no option. Keys of a prototype do not count.
    if (known[key] !== true && Object.hasOwn(options, key))
      throw new TypeError(unknownOption(`${at}${separator}${key}`, key, Object.keys(known)));
  }
}

/** Finds the known name nearest to a misspelt one: at most a third of its letters differ, in any case. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = name.slice(0, 64).toLowerCase();
  const ranked = known.map((candidate) => ({ candidate, edits: editDistance(wanted, candidate.toLowerCase()) }));
  const [best] = ranked.sort((a, b) => a.edits - b.edits);
  return best !== undefined && best.edits < wanted.length && best.edits <= Math.max(1, wanted.length / 3)
    ? best.candidate
    : undefined;
}

/** Levenshtein distance: letters to insert, delete or replace. */
function editDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    above = current;
  }
  return above[to.length] ?? 0;
}
