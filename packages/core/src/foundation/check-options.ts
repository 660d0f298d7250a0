/** Throws `TypeError` that names `option` unless `value` is what the option takes. */
export type OptionCheck = (option: string, value: unknown) => void;

/**
 * One check for each key of `Options`. A key that is missing or too many does not compile, so the
 * check cannot drift from the type.
 */
export type OptionShape<Options> = { readonly [Key in keyof Options]-?: OptionCheck };

/**
 * Checks the options of a factory. Throws `TypeError` unless `options` is an object whose own keys
 * all stand in `shape` and whose values pass their checks. The message is `<factory>: <option>:
 * expected …`; an unknown key is named with the known ones. Members of an option are the business
 * of its check: an object that a host passes in for a port may have members of its own.
 */
export function checkOptions<Options extends object>(
  factory: string,
  options: unknown,
  shape: OptionShape<Options>,
): void {
  checkRecord(factory, ': ', options, shape as Checks);
}

/**
 * As `checkOptions`, for an object inside a path: the message is `<path>.<key>: expected …`. For
 * rows, filters and the options of verbs, such as `jobs[3]` and `jobs.enqueue: options`.
 * `undefined` counts as `{}`, as the options of verbs may be left out.
 */
export function checkFields<Fields extends object>(path: string, fields: unknown, shape: OptionShape<Fields>): void {
  checkRecord(path, '.', fields === undefined ? {} : fields, shape as Checks);
}

type Checks = Readonly<Record<string, OptionCheck>>;

function checkRecord(at: string, separator: string, options: unknown, shape: Checks): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new TypeError(`${at}: expected an object with ${Object.keys(shape).join(', ')}`);
  const values = options as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(values))
    if (!Object.hasOwn(shape, key)) throw unknownOption(`${at}${separator}${key}`, key, shape);
  for (const key in shape) shape[key]?.(`${at}${separator}${key}`, values[key]);
}

function unknownOption(option: string, key: string, shape: object): TypeError {
  const known = Object.keys(shape);
  const meant = nearestName(key, known);
  const hint = meant === undefined ? '' : `did you mean ${meant}? `;
  return new TypeError(
    `${option}: unknown option; ${hint}${known.length === 0 ? 'none is known' : `known are ${known.join(', ')}`}`,
  );
}

/** The known name that a misspelt one is nearest to: at most a third of its letters differ, whatever their case. */
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
