// What is wrong in a JSON file, in the words of its writer.
import type { z } from 'zod';

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const nameKind = (expected: string): string => kinds[expected] ?? expected;

function nameFound(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return nameKind(Array.isArray(value) ? 'array' : typeof value);
}

function readAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}

/** How many there may be, of what is counted: `1 or more entries`. */
function countOf(origin: string, limit: number | bigint, side: 'or more' | 'at most'): string {
  const unit = origin === 'array' || origin === 'set' ? ' entries' : origin === 'string' ? ' characters' : '';
  return side === 'or more' ? `expected ${limit} or more${unit}` : `expected ${limit}${unit} at most`;
}

/** One sentence that begins with what was expected; `whole` is the value of the file. */
export function explainIssue(issue: z.core.$ZodIssue, whole: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${nameKind(issue.expected)}, found ${nameFound(readAt(whole, issue.path))}`;
    case 'unrecognized_keys':
      return `expected no key ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}: it is not known here`;
    case 'invalid_value':
      return `expected ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return countOf(issue.origin, issue.minimum, 'or more');
    case 'too_big':
      return countOf(issue.origin, issue.maximum, 'at most');
    default:
      return issue.message; // the schema's own sentence
  }
}

/** Where it is: entries of a list are counted from 1, as a person counts them. */
export function namePlace(path: readonly PropertyKey[]): string {
  return path.map((key) => (typeof key === 'number' ? `entry ${key + 1}` : String(key))).join(': ');
}
