import { readField } from './failures/foreign-failures.js';
import type { JsonObject } from './json.js';

/** How many issues of one payload are named, and parts of a path; `moreIssues` counts the rest of the issues. */
const maxIssues = 20;

/** A key of a map may be content: only what looks like the name of a field, or a position, is shown. */
function readSegment(segment: unknown): string {
  return typeof segment === 'number' || (typeof segment === 'string' && /^[A-Za-z_$][\w$-]{0,63}$/.test(segment))
    ? String(segment)
    : '*';
}

/** The first members of a list, and how many it has; none where reading it throws, as a revoked proxy does. */
function readList(value: unknown): { members: readonly unknown[]; length: number } {
  try {
    if (Array.isArray(value)) return { members: value.slice(0, maxIssues), length: value.length };
  } catch {
    // nothing that could be named
  }
  return { members: [], length: 0 };
}

function readIssue(issue: unknown): JsonObject {
  const code = readField(issue, 'code');
  const unknownKeys = readList(readField(issue, 'keys')).members.map(readSegment);
  return {
    path: readList(readField(issue, 'path')).members.map(readSegment).join('.'),
    code: typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : 'unknown',
    ...(unknownKeys.length === 0 ? {} : { keys: unknownKeys }),
  };
}

/**
 * The paths and codes of a schema's issues, without any value and without its messages, which may
 * quote one. Takes what a failed parse of zod holds as `issues`; gives an empty object for anything
 * else. Never throws: what a host's code throws may hold anything.
 */
export function describeIssues(issues: unknown): JsonObject {
  const { members, length } = readList(issues);
  if (length === 0) return {};
  const more = length - maxIssues;
  return { issues: members.map(readIssue), ...(more > 0 ? { moreIssues: more } : {}) };
}
