import type { JsonObject } from '../json.js';

/** How many issues of one payload are named; `moreIssues` counts the rest. */
const maxIssues = 20;

/** A key of a map may be content: only what looks like the name of a field, or a position, is shown. */
function readSegment(segment: unknown): string {
  return typeof segment === 'number' || (typeof segment === 'string' && /^[A-Za-z_$][\w$-]{0,63}$/.test(segment)) ? String(segment) : '*';
}

const readList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function readIssue(issue: unknown): JsonObject {
  const { path, code, keys } = (typeof issue === 'object' && issue !== null ? issue : {}) as Record<string, unknown>;
  const unknownKeys = readList(keys).map(readSegment);
  return {
    path: readList(path).map(readSegment).join('.'),
    code: typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : 'unknown',
    ...(unknownKeys.length === 0 ? {} : { keys: unknownKeys.slice(0, maxIssues) }),
  };
}

/**
 * The paths and codes of a schema's issues, without any value and without its messages, which may quote one. Takes what a failed parse of zod holds as
 * `issues`; gives an empty object for anything else.
 */
export function describeIssues(issues: unknown): JsonObject {
  const all = readList(issues);
  if (all.length === 0) return {};
  const more = all.length - maxIssues;
  return { issues: all.slice(0, maxIssues).map(readIssue), ...(more > 0 ? { moreIssues: more } : {}) };
}
