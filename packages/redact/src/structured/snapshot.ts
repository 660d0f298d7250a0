/** An object that is nobody else's: no accessor, no symbol, nothing inherited. */
export type MutableObject = { [key: string]: unknown };

/** Stands where a value could not be read. */
export const UNREADABLE = '[UNREADABLE]';

const NOTHING: object | undefined = undefined;

/**
 * The own enumerable members of any object, read once. One spread serves nearly every object, at a
 * third of the cost of copying key by key; where a getter throws or a symbol is a key, the members
 * are read one by one. An object that `willGrow` begins empty: V8 keeps no shape that the result of
 * a lone spread grows into, and would make one for each. Throws what `Object.keys` throws for a
 * hostile proxy.
 */
export function snapshotOf(value: object, willGrow = false): MutableObject {
  try {
    const members: MutableObject = willGrow ? { ...NOTHING, ...value } : { ...value };
    if (Object.getOwnPropertySymbols(members).length === 0) return members;
  } catch {
    // A getter threw: which one is found below.
  }
  return readMembers(value, Object.keys(value));
}

/**
 * The members that JSON has, as a new object: V8 keeps one that lost members as a dictionary, slow
 * for all who read it.
 */
export function withoutUndefined(members: MutableObject): MutableObject {
  const kept: MutableObject = {};
  // What an object inherits, such as `__proto__`, is defined: to assign it could do anything.
  for (const key in members) {
    const value = members[key];
    if (value === undefined || !Object.hasOwn(members, key)) continue;
    if (key in kept) Object.defineProperty(kept, key, { value, writable: true, enumerable: true, configurable: true });
    else kept[key] = value;
  }
  return kept;
}

/** An error with what `Error` keeps from enumeration; its stack is left out. */
export function snapshotOfError(error: Error): MutableObject {
  const names = Object.keys(error);
  const hidden = ['name', 'message', 'code', 'cause', 'errors'].filter(
    (name) => !names.includes(name) && name in error,
  );
  return readMembers(error, [...hidden, ...names]);
}

/** The entries as an object, or undefined where a key is no string. The last of equal keys stands. */
export function snapshotOfMap(entries: readonly (readonly [unknown, unknown])[]): MutableObject | undefined {
  if (!entries.every(([key]) => typeof key === 'string')) return undefined;
  return Object.fromEntries(entries) as MutableObject;
}

/** The first `limit` items and one more, so that a reader sees that there were more. */
export function takeFirst<T>(items: Iterable<T>, limit: number): T[] {
  const first: T[] = [];
  for (const item of items) {
    first.push(item);
    if (first.length > limit) break;
  }
  return first;
}

function readMembers(value: object, names: readonly string[]): MutableObject {
  // fromEntries defines: a key such as `__proto__` becomes an own member, never a prototype.
  return Object.fromEntries(
    names.map((name) => {
      try {
        return [name, Reflect.get(value, name)];
      } catch {
        return [name, UNREADABLE];
      }
    }),
  ) as MutableObject;
}
