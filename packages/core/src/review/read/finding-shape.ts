import { isJsonRecord } from '../json/strict-json.js';
import { findingSchema } from '../review-result.js';

/** What a field that models give to findings says: where, what, or how grave and of which kind. */
type FieldRole = 'place' | 'text' | 'grade';

const ROLES: ReadonlyMap<string, FieldRole> = new Map([
  ...'file path filename file_path filepath line lines line_number start_line end_line location'
    .split(' ')
    .map((key) => [key, 'place'] as const),
  ...'title message description comment body issue problem explanation impact suggestion recommendation'
    .split(' ')
    .map((key) => [key, 'text'] as const),
  ...'severity priority category'.split(' ').map((key) => [key, 'grade'] as const),
]);

const REQUIRED = Object.entries(findingSchema.shape)
  .filter(([, field]) => !field.safeParse(undefined).success)
  .map(([key]) => key);

function findRole(key: string): FieldRole | undefined {
  return ROLES.get(key.replace(/[a-z][A-Z]/g, (pair) => `${pair.charAt(0)}_${pair.charAt(1)}`).toLowerCase());
}

/** Two roles make a finding: a grade with anything, or a text with its place. */
function isFindingLike(roles: ReadonlySet<FieldRole>): boolean {
  return roles.size > 1;
}

/** Has every field that a finding must have, whatever their values. */
export function isWholeFinding(value: unknown): value is Record<string, unknown> {
  return isJsonRecord(value) && REQUIRED.every((key) => Object.hasOwn(value, key) && value[key] !== null);
}

/** Looks like a finding by the names of its fields, the schema's own or those that models use instead. */
export function looksLikeFinding(value: Record<string, unknown>, ignored: ReadonlySet<string> = new Set()): boolean {
  const keys = Object.keys(value).filter((key) => !ignored.has(key) && value[key] !== null);
  return isFindingLike(new Set(keys.flatMap((key) => findRole(key) ?? [])));
}

const NAMES = [...ROLES.keys()].sort((a, b) => b.length - a.length);
const FIELD = new RegExp(
  `\\b(${NAMES.join('|')})\\b([\\\\"'\`“”‘’*_]{0,8})[ \\t]{0,3}[:=：][ \\t*_]{0,5}(none\\b|n/a\\b|-$)?`,
  'gim',
);

const REQUIRED_FIELD = new RegExp(`(?<!\\\\)["'“”](${REQUIRED.join('|')})["'“”]\\s{0,9}:`, 'g');

/**
 * How often the field that comes most often stands in the raw text of one finding: more than once
 * where another one was swallowed.
 */
export function countMostFrequentField(text: string): number {
  const counts = new Map<string, number>();
  for (const [, field = ''] of text.matchAll(REQUIRED_FIELD)) counts.set(field, (counts.get(field) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

const QUOTED_FIELD = new RegExp(`["'“”](?:${NAMES.join('|')})["'“”]\\s{0,9}:`);

/** A field of findings stands in the text, quoted: enough for a doubt where nothing else was found. */
export function hasQuotedField(text: string): boolean {
  return QUOTED_FIELD.test(text);
}

const OPENING = new RegExp(
  `\\{\\s{0,99}["'“”](?:${[...new Set([...NAMES, ...Object.keys(findingSchema.shape)])].join('|')})["'“”]\\s{0,9}:`,
);

/** An object that begins with a field of findings starts in the text, perhaps cut off or broken behind it. */
export function opensFinding(text: string): boolean {
  return OPENING.test(text);
}

/**
 * How many findings a raw text seems to hold, judged by the names of fields before a colon: quoted
 * as in any sort of JSON, or, where a severity is among them, bare as in Markdown. Linear in the
 * text.
 */
export function countFindingLikeTexts(text: string): number {
  const quoted = new Set<FieldRole>();
  const any = new Set<FieldRole>();
  const counts = new Map<string, number>();
  for (const [, name = '', quote = '', none] of text.matchAll(FIELD)) {
    const role = ROLES.get(name.toLowerCase());
    if (role === undefined || none !== undefined) continue;
    if (/["'`“”‘’]/.test(quote)) quoted.add(role);
    any.add(role);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const isFound = isFindingLike(quoted) || (any.has('grade') && isFindingLike(any));
  return isFound ? Math.max(...counts.values()) : 0;
}
