import type { DiagnosticsCollector, UnreadPlace } from '../diagnostics.js';
import { isJsonRecord } from '../json/strict-json.js';
import { findingSchema, reviewResultSchema } from '../review-result.js';
import { namesDefects } from './defect-prose.js';
import {
  countFindingLikeTexts,
  countMostFrequentField,
  hasQuotedField,
  isWholeFinding,
  looksLikeFinding,
  opensFinding,
} from './finding-shape.js';
import type { Envelope } from './read-envelope.js';
import type { RestOfReply } from './rest-of-reply.js';

const TOP_LEVEL: ReadonlySet<string> = new Set(Object.keys(reviewResultSchema.shape));
const FIELDS: ReadonlySet<string> = new Set(Object.keys(findingSchema.shape));
const NO_KEYS: ReadonlySet<string> = new Set();
/** Keys that promise defects, whatever stands under them: `issues`, `bugCount`, `open_problems`. */
const DEFECT_KEY = /finding|issue|problem|bug|defect|violation|vulnerab/i;
/** Keys whose lists are findings, in whatever form. */
const LIST_KEY = /^(?:critical|high|medium|low|major|minor|suggestions?|warnings?|errors?|concerns?|risks?)$/i;
/** A verdict that a clean review does not have. */
const REFUSAL =
  /^(?:request[_ -]?changes|changes[_ -]?requested|reject(?:ed)?|not[_ -]approved|needs[_ -](?:work|changes))$/i;
/**
 * Says that there is none: a word of it alone, or "no" and "0" before a word for defects. "Null
 * pointer" and "no bounds check" are defects.
 */
const NONE =
  /^\W{0,9}(?:(?:none|nothing|n\/a)\b|(?:no|0|null)\W*$|(?:no|0)\b.{0,40}\b(?:issue|problem|finding|defect|bug|violation|vulnerabilit|concern|warning|error)|$)/i;

function isWholeList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0 && value.every(isWholeFinding);
}

/** Keeps the first of equal ones. */
function withoutEqual(list: readonly unknown[], known: ReadonlySet<string>): readonly unknown[] {
  const seen = new Set(known);
  return list.filter((one) => {
    const key = JSON.stringify(one);
    return !seen.has(key) && seen.add(key);
  });
}

function listTexts(list: readonly unknown[]): ReadonlySet<string> {
  return new Set(list.filter(isWholeFinding).map((one) => JSON.stringify(one)));
}

/**
 * The findings of a reply in one list: those of `findings`, then whole ones that stand next to the
 * object or in a list under another key. Each source has a diagnostic; a finding that is there
 * already is not added.
 */
export function gatherFindings(
  value: Record<string, unknown>,
  listed: readonly unknown[],
  rest: RestOfReply,
  diagnostics: DiagnosticsCollector,
): readonly unknown[] {
  const all = [...listed];
  const add = (where: 'text_around' | 'other_key', found: readonly unknown[]): void => {
    const fresh = found.length === 0 ? [] : withoutEqual(found, listTexts(all));
    if (fresh.length > 0) diagnostics.add({ code: 'findings_recovered', where, count: fresh.length });
    all.push(...fresh);
  };
  add('text_around', rest.recovered);
  const lists = Object.entries(value).filter(([key, one]) => !TOP_LEVEL.has(key) && isWholeList(one));
  add(
    'other_key',
    lists.flatMap(([, list]) => list as readonly unknown[]),
  );
  return all;
}

/** Counts finding-like objects and texts in a parsed value. No recursion: a model may nest as deep as it likes. */
function countIn(roots: readonly unknown[]): number {
  let found = 0;
  const stack = [...roots];
  while (stack.length > 0) {
    const node = stack.pop();
    if (typeof node === 'string') found += countFindingLikeTexts(node);
    else if (isJsonRecord(node) && looksLikeFinding(node)) found += 1;
    else if (Array.isArray(node)) for (const inner of node) stack.push(inner);
    else if (isJsonRecord(node)) for (const [key, inner] of Object.entries(node)) stack.push(key, inner);
  }
  return found;
}

/** Texts of several words: one word is a name or a value. */
function collectTexts(roots: readonly unknown[]): readonly string[] {
  const texts: string[] = [];
  const stack = [...roots];
  while (stack.length > 0) {
    const node = stack.pop();
    if (typeof node === 'string' && /\S\s+\S+\s+\S/.test(node)) texts.push(node);
    else if (typeof node === 'object' && node !== null) for (const inner of Object.values(node)) stack.push(inner);
  }
  return texts;
}

/** Behind a list that closed too early any trace of a finding counts, and next to an empty one. */
function countAround(text: string, none: boolean): number {
  const isTraced = opensFinding(text) || (none && hasQuotedField(text));
  return Math.max(countFindingLikeTexts(text), isTraced ? 1 : 0);
}

/** Counts the defects that the value under such a key promises. */
function countPromised(value: unknown): number {
  if (typeof value === 'number') return value > 0 ? Math.ceil(Math.min(value, 1_000)) : 0;
  if (value === true) return 1;
  if (typeof value === 'string') return NONE.test(value) ? 0 : 1;
  if (Array.isArray(value))
    return value.filter((one) => (typeof one === 'string' ? !NONE.test(one) : one !== null)).length;
  if (!isJsonRecord(value)) return 0;
  return Object.values(value).reduce((sum: number, one) => sum + (typeof one === 'number' && one > 0 ? 1 : 0), 0);
}

function countPromisedIn(record: Record<string, unknown>, ignored: ReadonlySet<string>): number {
  return Object.entries(record)
    .filter(([key, one]) => !ignored.has(key) && !isWholeList(one))
    .reduce((sum, [key, one]) => {
      if (DEFECT_KEY.test(key) || (LIST_KEY.test(key) && Array.isArray(one))) return sum + countPromised(one);
      const isRefusal = (key === 'approved' && one === false) || (typeof one === 'string' && REFUSAL.test(one.trim()));
      return sum + (isRefusal ? 1 : 0);
    }, 0);
}

/** Quotes under an empty list belong to findings that never came. */
function countQuotes(quotes: unknown): number {
  if (Array.isArray(quotes)) return quotes.length;
  return isJsonRecord(quotes) ? Object.keys(quotes).length : 0;
}

/** A top level's undocumented members, and its meta without the quotes, which hold source. */
function undocumentedIn(value: Record<string, unknown>): readonly unknown[] {
  const others = Object.entries(value).flatMap(([key, one]) => (TOP_LEVEL.has(key) ? [] : [key, one]));
  const { meta } = value;
  if (!isJsonRecord(meta)) return [...others, meta];
  const { quotes: _quotes, ...own } = meta;
  return [...others, own];
}

/** A value without the lists that `gatherFindings` read. */
function withoutRead(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([key, one]) => TOP_LEVEL.has(key) || !isWholeList(one)));
}

/** Members of findings that the schema does not name. */
function listExtras(findings: readonly unknown[]): readonly unknown[] {
  return findings
    .filter(isJsonRecord)
    .flatMap((one) => Object.entries(one).flatMap(([key, inner]) => (FIELDS.has(key) ? [] : [key, inner])));
}

/**
 * Findings that ran together with another: several of their own fields came twice, or a mended
 * one's raw text has a field twice.
 */
function countMerged(rest: RestOfReply): number {
  const repeated = new Map<number, number>();
  for (const { index, key } of rest.repeats)
    if (index !== null && FIELDS.has(key)) repeated.set(index, (repeated.get(index) ?? 0) + 1);
  const byKeys = [...repeated.values()].filter((count) => count > 1).length;
  const byText = rest.mended.reduce((sum, text) => sum + Math.max(0, countMostFrequentField(text) - 1), 0);
  return Math.max(byKeys, byText);
}

/** The value of a mended document is judged by its raw text, which holds what the mending lost. */
function countInDocument(value: Record<string, unknown>, rest: RestOfReply): number {
  const flat = looksLikeFinding(value, TOP_LEVEL) ? 1 : 0;
  const parsed = flat + countIn([value['summary'], ...undocumentedIn(withoutRead(value))]);
  return Math.max(parsed, countFindingLikeTexts(rest.gaps));
}

/**
 * Counts what looks like findings and is in no list: it was not read, so the review may miss
 * something, and without any finding it is not clean (OUT-9). Reasoning, prose, promises and
 * ellipses count only for a reply without findings.
 */
export function countUnread(
  value: Record<string, unknown>,
  envelope: Pick<Envelope, 'findings' | 'summary' | 'meta'>,
  rest: RestOfReply,
  diagnostics: DiagnosticsCollector,
): number {
  const none = envelope.findings.length === 0;
  const meta = envelope.meta ?? {};
  const counts: Readonly<Record<UnreadPlace, number>> = {
    text_around: rest.around.reduce((sum, text) => sum + countAround(text, none), 0),
    other_key: countInDocument(value, rest) + countIn(listExtras(envelope.findings)),
    other_object: rest.others.reduce(
      (sum, other) => sum + (looksLikeFinding(other, TOP_LEVEL) ? 1 : 0) + countIn(undocumentedIn(other)),
      0,
    ),
    merged: countMerged(rest),
    reasoning: none ? countFindingLikeTexts(rest.reasoning) : 0,
    summary: none && envelope.summary !== undefined && namesDefects(envelope.summary) ? 1 : 0,
    prose: none ? [...rest.around, ...collectTexts(undocumentedIn(withoutRead(value)))].filter(namesDefects).length : 0,
    promised: none
      ? countQuotes(meta['quotes']) +
        countPromisedIn(value, TOP_LEVEL) +
        countPromisedIn(meta, NO_KEYS) +
        (rest.elided ? 1 : 0)
      : 0,
  };
  let total = 0;
  for (const [where, count] of Object.entries(counts) as [UnreadPlace, number][]) {
    if (count > 0) diagnostics.add({ code: 'findings_unread', where, count });
    total += count;
  }
  return total;
}

/** Counts what looks like findings in a reply that holds no document at all. */
export function countUnreadText(text: string, diagnostics: DiagnosticsCollector): number {
  const isTraced = opensFinding(text) || hasQuotedField(text) || namesDefects(text);
  const count = Math.max(countFindingLikeTexts(text), isTraced ? 1 : 0);
  if (count > 0) diagnostics.add({ code: 'findings_unread', where: 'prose', count });
  return count;
}

/** Counts what looks like findings in a document that is refused as a whole, its list included. */
export function countUnreadRejected(value: unknown, rest: RestOfReply, diagnostics: DiagnosticsCollector): number {
  const { findings, summary, meta, ...others } = isJsonRecord(value) ? value : { findings: value };
  const listed = Array.isArray(findings) ? findings.length : Math.max(countIn([findings]), countPromised(findings));
  const lists = Object.values(others).reduce((sum: number, one) => sum + (isWholeList(one) ? one.length : 0), 0);
  const count = listed + lists + rest.recovered.length;
  if (count > 0) diagnostics.add({ code: 'findings_unread', where: 'other_object', count });
  const envelope = {
    findings: [],
    summary: typeof summary === 'string' ? summary : undefined,
    meta: isJsonRecord(meta) ? meta : undefined,
  };
  return count + countUnread({ ...others, summary, meta }, envelope, rest, diagnostics);
}
