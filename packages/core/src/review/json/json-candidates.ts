import { afterSpace, createReader, isQuote, type JsonReader } from './json-reader.js';
import { keyAt } from './json-strings.js';
import { repairJsonObject } from './repair-json.js';
import type { RepairedObject, RepairOptions } from './repaired-object.js';

/** A top-level object of a reply that has the review's shape: an array under the watched key. */
export interface JsonCandidate extends RepairedObject {
  start: number;
  /** It lies within another object that was never closed. */
  nested: boolean;
}

/** Attempts per scan: decoys cannot make the scan more than linear. */
const MAX_ATTEMPTS = 12;

/**
 * Could an object start at the brace at `at`? Returns its first key, '' for an empty object, null
 * for a decoy such as `${{ x }}`.
 */
function firstKey(reader: JsonReader, at: number): string | null {
  const next = afterSpace(reader, at + 1);
  if (reader.text[next] === '}') return '';
  if (reader.text[next] === '/' || reader.text[next] === '#') return '';
  return keyAt(reader, next, !isQuote(reader.text[next]));
}

/** Skips a reasoning block a model left in its reply; `at` where there is none. An unclosed one is not skipped. */
function afterReasoning(text: string, at: number): number {
  const opened = /^<(think|thinking|reasoning|thought|scratchpad)>/i.exec(text.slice(at, at + 16));
  if (opened === null) return at;
  const closing = `</${opened[1]}>`;
  const found = text.indexOf(closing, at);
  return found < 0 ? at : found + closing.length;
}

/** Every position to try, in order: braces outside leading reasoning whose first key passes `accepts`. */
function* starts(text: string, from: number, accepts: (key: string) => boolean): Generator<number, void, number> {
  const reader = createReader(text, from);
  let at = from;
  for (;;) {
    const brace = text.indexOf('{', at);
    if (brace < 0) return;
    const key = firstKey(reader, brace);
    const resume = key !== null && accepts(key) ? yield brace : brace + 1;
    at = Math.max(brace + 1, resume);
  }
}

function collect(
  text: string,
  from: number,
  options: RepairOptions,
  accepts: (key: string) => boolean,
): JsonCandidate[] {
  const found: JsonCandidate[] = [];
  let openUntil = -1;
  let attempts = 0;
  const scan = starts(text, from, accepts);
  let step = scan.next(0);
  while (!step.done && attempts < MAX_ATTEMPTS) {
    attempts += 1;
    const start = step.value;
    const read = repairJsonObject(text, start, options);
    const shaped = read !== null && Array.isArray(read.value[options.watchKey]);
    if (read !== null && shaped) found.push({ ...read, start, nested: start < openUntil });
    // What was read cleanly is behind us; what was not may hide the review inside.
    const resume = read?.closed && (shaped || read.repairs.length === 0) ? read.end : start + 1;
    if (read !== null && !read.closed) openUntil = Math.max(openUntil, read.end);
    step = scan.next(resume);
  }
  return found;
}

/** The objects of a reply that could be the review, and where its reasoning ends. */
export interface FoundCandidates {
  /** In order. */
  candidates: readonly JsonCandidate[];
  answerStart: number;
}

/**
 * The objects of `text` that could be the review, in order. Objects that begin with a documented
 * key come first; others are tried only where there are none. One string-aware forward scan,
 * bounded attempts, linear.
 */
export function findCandidates(text: string, options: RepairOptions): FoundCandidates {
  const lead = text.length - text.trimStart().length;
  const from = afterReasoning(text, lead);
  const documented = collect(text, from, options, (key) => options.knownKeys.has(key));
  const found = documented.length > 0 ? documented : collect(text, from, options, (key) => !options.knownKeys.has(key));
  // Reasoning without its opening tag: what stands before the closing tag was a draft.
  const closing = text.lastIndexOf('</think>');
  const after = found.filter((candidate) => candidate.start > closing);
  const answerStart = from > lead ? from : 0;
  return after.length > 0 && closing >= 0
    ? { candidates: after, answerStart: Math.max(answerStart, closing + '</think>'.length) }
    : { candidates: found, answerStart };
}
