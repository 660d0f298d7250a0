import { type RepeatedKey, scanLayout } from './json-layout.js';
import { createReader, isJsonSpace, isQuote, type JsonReader, repaired, skipFiller } from './json-reader.js';
import { readString } from './json-strings.js';
import { readBareWord } from './json-words.js';
import { describeStrict, type ElementMark, type RepairedObject, type RepairOptions } from './repaired-object.js';
import { defineKey, parseStrict, strictEnd } from './strict-json.js';

/** Deeper than any review; bounds the stack. */
const MAX_DEPTH = 64;

interface Watch extends RepairOptions {
  elements: ElementMark[];
  cutKey: string | null;
  seen: number;
  /** What the watched arrays held so far: a second one adds to the first. */
  list: unknown[];
  repeats: RepeatedKey[];
  /** The element being read; null outside the watched array. */
  index: number | null;
  /** The key whose value is being read, of the document or of that element. */
  ownKey: string;
  /** Characters that may still be spent on strict attempts at elements: keeps the whole linear. */
  strictBudget: number;
}

/**
 * Reads the object at `start` of damaged JSON in one forward pass, bounded in depth and linear in
 * the text. Strictly valid text gives exactly what `JSON.parse` gives. Null where nothing can be
 * read: nested too deep. Never throws (ruling R7, step 0).
 */
export function repairJsonObject(text: string, start: number, options: RepairOptions): RepairedObject | null {
  const whole = strictEnd(text, start, text.length);
  const strict = whole < 0 ? null : parseStrict(text.slice(start, whole));
  if (strict !== null)
    return describeStrict(text, start, whole, strict.value as Record<string, unknown>, options.watchKey);
  const reader = createReader(text, start);
  const watch: Watch = {
    ...options,
    elements: [],
    cutKey: null,
    seen: 0,
    list: [],
    repeats: [],
    index: null,
    ownKey: '',
    strictBudget: 2 * (text.length - start),
  };
  const { value, closed } = readObject(reader, watch);
  if (reader.failed) return null;
  return {
    value,
    end: reader.pos,
    closed,
    repairs: [...reader.repairs],
    elements: watch.elements,
    cutKey: watch.cutKey,
    repeated: watch.seen > 1,
    repeats: watch.repeats,
  };
}

function readValue(
  reader: JsonReader,
  watch: Watch,
  place: 'member' | 'element',
  marks: ElementMark[] | null,
): unknown {
  skipFiller(reader);
  while (reader.pos < reader.end && ':;='.includes(reader.text.charAt(reader.pos))) {
    repaired(reader, 'odd_punctuation');
    reader.pos += 1;
    skipFiller(reader);
  }
  const char = reader.text[reader.pos];
  if (reader.pos >= reader.end || char === undefined) {
    reader.cut = true;
    return undefined;
  }
  if (char === '{') return readObject(reader, watch).value;
  if (char === '[') return readArray(reader, watch, marks);
  if (isQuote(char)) return readStrings(reader, watch, place);
  return readBareWord(reader);
}

/** A string, and further ones that a `+` joins. */
function readStrings(reader: JsonReader, watch: Watch, place: 'member' | 'element'): string {
  let out = readString(reader, place, watch.knownKeys);
  for (;;) {
    const before = reader.pos;
    skipFiller(reader);
    if (reader.text[reader.pos] !== '+' || reader.pos >= reader.end) {
      reader.pos = before;
      return out;
    }
    reader.pos += 1;
    skipFiller(reader);
    if (!isQuote(reader.text[reader.pos])) {
      reader.pos = before + 1;
      return out;
    }
    repaired(reader, 'joined_strings');
    out += readString(reader, place, watch.knownKeys);
  }
}

/**
 * Takes the separator before the next member; tells whether the container goes on, ends here, or is
 * left to its parent.
 */
function nextStep(reader: JsonReader, own: '}' | ']', first: boolean): 'item' | 'close' | 'leave' | 'end' {
  let commas = 0;
  for (;;) {
    skipFiller(reader);
    const char = reader.text[reader.pos];
    if (reader.pos >= reader.end || char === undefined) return 'end';
    if (char === ',' || char === ';' || char === '，') {
      commas += 1;
      if (char !== ',') repaired(reader, 'odd_punctuation');
      if (commas > 1 || first) repaired(reader, 'stray_comma');
      reader.pos += 1;
    } else if (char === own) {
      if (commas > 0) repaired(reader, 'trailing_comma');
      reader.pos += 1;
      return 'close';
    } else if (char === '}' || char === ']') {
      repaired(reader, 'mismatched_bracket');
      // Left to the parent it belongs to; noise is skipped.
      if (char === '}' ? reader.depth > 1 : reader.openArrays > 0) return 'leave';
      reader.pos += 1;
    } else {
      if (!first && commas === 0) repaired(reader, 'missing_comma');
      return 'item';
    }
  }
}

function readObject(reader: JsonReader, watch: Watch): { value: Record<string, unknown>; closed: boolean } {
  const value: Record<string, unknown> = {};
  reader.pos += 1;
  reader.depth += 1;
  if (reader.depth > MAX_DEPTH) reader.failed = true;
  let closed = false;
  for (let first = true; !reader.failed; first = false) {
    const step = nextStep(reader, '}', first);
    closed = step === 'close';
    if (step === 'end') {
      reader.cut = true;
      repaired(reader, 'unclosed');
    }
    if (step !== 'item') break;
    if (!first && opensNextFinding(reader, watch)) {
      repaired(reader, 'unclosed');
      break;
    }
    readMember(reader, watch, value);
  }
  reader.depth -= 1;
  return { value, closed };
}

/** A brace where a finding's next key should be: its own closing brace is lost, and the next finding begins. */
function opensNextFinding(reader: JsonReader, watch: Watch): boolean {
  return watch.index !== null && reader.depth === FINDING_DEPTH && reader.text[reader.pos] === '{';
}

function readMember(reader: JsonReader, watch: Watch, target: Record<string, unknown>): void {
  const key = readKey(reader, watch);
  const top = reader.depth === 1;
  skipFiller(reader);
  const char = reader.text[reader.pos];
  if (char === ':') reader.pos += 1;
  else if (char === '=' || char === '：') {
    repaired(reader, 'odd_punctuation');
    reader.pos += reader.text[reader.pos + 1] === '>' ? 2 : 1;
  } else repaired(reader, 'missing_colon');
  const isWatched = top && key === watch.watchKey;
  if (isWatched) watch.seen += 1;
  else if (Object.hasOwn(target, key)) noteRepeat(reader, watch, key);
  if (reader.depth === ownDepth(watch)) watch.ownKey = key;
  const value = readValue(reader, watch, 'member', isWatched ? watch.elements : null);
  if (reader.cut && top) watch.cutKey = key;
  if (isWatched && Array.isArray(value)) for (const element of value) watch.list.push(element);
  if (value !== undefined) defineKey(target, key, isWatched && watch.list.length > 0 ? watch.list : value);
}

/** Depth of the document's own members, and of a finding's. */
const DOCUMENT_DEPTH = 1;
const FINDING_DEPTH = 3;

function noteRepeat({ depth }: JsonReader, watch: Watch, key: string): void {
  watch.repeats.push({ index: watch.index, key: depth === ownDepth(watch) ? key : `${watch.ownKey}.${key}` });
}

function ownDepth(watch: Watch): number {
  return watch.index === null ? DOCUMENT_DEPTH : FINDING_DEPTH;
}

function readKey(reader: JsonReader, watch: Watch): string {
  if (isQuote(reader.text[reader.pos])) return readString(reader, 'key', watch.knownKeys);
  const start = reader.pos;
  while (reader.pos < reader.end && !':=：,{}[]"\n'.includes(reader.text[reader.pos] as string)) reader.pos += 1;
  repaired(reader, 'unquoted_key');
  if (reader.pos === start) reader.pos += 1;
  return reader.text.slice(start, reader.pos).trim();
}

function readArray(reader: JsonReader, watch: Watch, marks: ElementMark[] | null): unknown[] {
  const value: unknown[] = [];
  reader.pos += 1;
  reader.depth += 1;
  reader.openArrays += 1;
  if (reader.depth > MAX_DEPTH) reader.failed = true;
  for (let first = true; !reader.failed; first = false) {
    const step = nextStep(reader, ']', first);
    if (step === 'end') {
      reader.cut = true;
      repaired(reader, 'unclosed');
    }
    if (step !== 'item') break;
    const element = marks === null ? readValue(reader, watch, 'element', null) : readMarked(reader, watch, marks);
    if (element !== undefined) value.push(element);
  }
  reader.openArrays -= 1;
  reader.depth -= 1;
  return value;
}

/**
 * One element of the watched array: strictly where it is strict, and marked complete only where its
 * end is beyond doubt.
 */
function readMarked(reader: JsonReader, watch: Watch, marks: ElementMark[]): unknown {
  const start = reader.pos;
  const opens = reader.text[start] === '{';
  const strict = opens ? readStrictElement(reader, watch) : null;
  if (strict !== null) {
    watch.repeats.push(
      ...scanLayout(reader.text, start, reader.pos, '').repeats.map(({ key }) => ({ index: marks.length, key })),
    );
    marks.push({ start, end: reader.pos, complete: true, strict: true });
    return strict.value;
  }
  watch.index = marks.length;
  const { value, complete } = opens ? readObjectElement(reader, watch) : readBareElement(reader, watch);
  watch.index = null;
  if (value !== undefined) marks.push({ start, end: reader.pos, complete, strict: false });
  return value;
}

function readStrictElement(reader: JsonReader, watch: Watch): { value: unknown } | null {
  const { text, pos } = reader;
  if (watch.strictBudget <= 0) return null;
  const end = strictEnd(text, pos, Math.min(reader.end, pos + watch.strictBudget));
  const strict = end < 0 ? null : parseStrict(text.slice(pos, end));
  // A failed attempt is dear: after some, the rest is read tolerantly at once.
  watch.strictBudget -= strict === null ? Math.max(text.length >> 4, 1_024) : end - pos;
  if (end < 0) watch.strictBudget = 0;
  if (strict !== null) reader.pos = end;
  return strict;
}

function readBareElement(reader: JsonReader, watch: Watch): { value: unknown; complete: boolean } {
  const value = readValue(reader, watch, 'element', null);
  return { value, complete: !reader.cut };
}

function readObjectElement(reader: JsonReader, watch: Watch): { value: unknown; complete: boolean } {
  const { text } = reader;
  const { value, closed } = readObject(reader, watch);
  let next = reader.pos;
  while (next < reader.end && isJsonSpace(text.charCodeAt(next))) next += 1;
  // Mended text may have closed by mistake: only what follows proves that the brace was the element's own.
  return { value, complete: closed && next < reader.end && ',]{}'.includes(text[next] as string) };
}
