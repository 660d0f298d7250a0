import { afterSpace, isJsonSpace, isQuote, type JsonReader, repaired } from './json-reader.js';

/** Where a string stands; decides what may follow its closing quote. */
export type StringPlace = 'key' | 'member' | 'element';

/** Longest key looked ahead for: bounds every look-ahead, so that reading stays linear. */
const MAX_KEY = 64;
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '"': '"',
  '\\': '\\',
  '/': '/',
};

/** Which characters may close a string that `open` opened. */
function closersOf(open: string): string {
  if (open === '"') return '"';
  if (open === "'") return "'";
  if (open === '`') return '`';
  return '‘’‚‛'.includes(open) ? "‘’‛'" : '“”„‟«»"';
}

function isWordCode(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || (code >= 0x61 && code <= 0x7a)
  );
}

/** Any character of a quoted key: ids and paths serve as keys of `meta`. */
function isKeyChar(char: string | undefined): boolean {
  return char !== undefined && !isQuote(char) && !'\\\n{}[]'.includes(char);
}

/** The key that starts at `at`, quoted or (when `bare`) not, if a colon follows; else null. */
export function keyAt(reader: JsonReader, at: number, bare: boolean): string | null {
  const { text } = reader;
  const quoted = isQuote(text[at]);
  if (!quoted && !bare) return null;
  const start = quoted ? at + 1 : at;
  let stop = start;
  while (
    stop < reader.end &&
    stop - start < MAX_KEY &&
    (quoted ? isKeyChar(text[stop]) : isWordCode(text.charCodeAt(stop)))
  )
    stop += 1;
  if (stop === start || (quoted && !isQuote(text[stop]))) return null;
  const colon = afterSpace(reader, quoted ? stop + 1 : stop);
  return text[colon] === ':' || text[colon] === '：' ? text.slice(start, stop) : null;
}

/** After a comma behind a closing quote: does the next member or element start here? */
function startsNext(reader: JsonReader, at: number, place: StringPlace): boolean {
  const char = reader.text[at];
  if (at >= reader.end || char === undefined) return true;
  if (char === '}' || char === ']' || char === '{' || char === '…' || char === '#') return true;
  if (char === '/' || char === '.') return reader.text[at + 1] === char || reader.text[at + 1] === '*';
  if (place === 'element') return isQuote(char) || char === '[' || char === '-' || isWordCode(char.charCodeAt(0));
  return keyAt(reader, at, true) !== null;
}

/** After a bracket behind a closing quote: does the document go on as a document? */
function startsAfterClose(reader: JsonReader, at: number): boolean {
  const next = afterSpace(reader, at);
  const char = reader.text[next];
  return next >= reader.end || reader.depth <= 1 || (char !== undefined && ',}]{;`，/#…'.includes(char));
}

/** A brace on a later line, with a key in it: the object round the string lost its closing brace. */
function opensObjectBelow(reader: JsonReader, quote: number, brace: number): boolean {
  const isBelow = reader.text.slice(quote + 1, Math.min(brace, quote + 1 + MAX_KEY)).includes('\n');
  return isBelow && keyAt(reader, afterSpace(reader, brace + 1), false) !== null;
}

/** Does the quote at `at` close the string, judged by what follows it? */
function terminates(reader: JsonReader, at: number, place: StringPlace): boolean {
  if (place === 'key') return true;
  const { text } = reader;
  const next = afterSpace(reader, at + 1);
  const char = text[next];
  if (next >= reader.end || char === undefined) return true;
  switch (char) {
    case ',':
    case '，':
    case ';':
      return startsNext(reader, afterSpace(reader, next + 1), place);
    case '}':
    case ']':
      return startsAfterClose(reader, next + 1);
    case '+':
      return isQuote(text[afterSpace(reader, next + 1)]);
    case '/':
      return text[next + 1] === '/' || text[next + 1] === '*';
    case '#':
      return next > at + 1;
    case '.':
      return text.startsWith('...', next) && next > at + 1;
    case '`':
      return text.startsWith('```', next);
    case '{':
      return next > at + 1 && (place === 'element' || opensObjectBelow(reader, at, next));
  }
  if (next === at + 1) return false;
  if (place === 'element') return isQuote(char);
  return keyAt(reader, next, text.slice(at + 1, Math.min(next, at + 1 + MAX_KEY)).includes('\n')) !== null;
}

/** Within one string: what has been read, and where its current token began. */
interface StringState {
  out: string;
  /** Start of text not yet copied to `out`. */
  run: number;
  at: number;
  tokenAt: number;
  /** `out` as it was at the token's start, to read the token again. */
  tokenOut: string;
  /** A token with an invalid escape is a path or a regex: its backslashes are meant. */
  literal: boolean;
  /** An escape of this token that such a text hardly means was taken as one. */
  suspicious: boolean;
  /** Only white space since a line feed. */
  freshLine: boolean;
}

function flush(state: StringState, text: string): void {
  if (state.run < state.at) state.out += text.slice(state.run, state.at);
}

/** `X:\\dir` or `\\\\host`: the token was a path all along. */
function startsPath(head: string): boolean {
  return /^[^\w\\]?[A-Za-z]:\\[^\\]/.test(head) || /^\\\\\w/.test(head);
}

/** Keeps a backslash as text; reads the token again from its start where an earlier escape of it was misunderstood. */
function keepBackslash(reader: JsonReader, state: StringState): void {
  repaired(reader, 'invalid_escape');
  const { text } = reader;
  if (!state.literal && (state.suspicious || startsPath(text.slice(state.tokenAt, state.tokenAt + 4)))) {
    state.at = state.tokenAt;
    state.run = state.tokenAt;
    state.out = state.tokenOut;
  } else {
    // A letter goes with its backslash; a quote stays to be judged by itself.
    state.at += isWordCode(text.charCodeAt(state.at + 1)) ? 2 : 1;
  }
  state.literal = true;
}

function readEscape(reader: JsonReader, state: StringState, open: string, place: StringPlace): void {
  const { text } = reader;
  const next = text[state.at + 1] ?? '';
  const take = (value: string, width: number): void => {
    flush(state, text);
    state.out += value;
    state.at += width;
    state.run = state.at;
  };
  if (next === '"' && !(state.literal && terminates(reader, state.at + 1, place) && keyAfter(reader, state.at + 2)))
    take('"', 2);
  else if (next === 'u' && /^[0-9a-fA-F]{4}$/.test(text.slice(state.at + 2, state.at + 6))) {
    take(String.fromCharCode(Number.parseInt(text.slice(state.at + 2, state.at + 6), 16)), 6);
  } else if (isQuote(next) && next !== '"') {
    repaired(reader, 'invalid_escape');
    take(next, 2);
  } else if (next === 'x' && open === "'" && /^[0-9a-fA-F]{2}$/.test(text.slice(state.at + 2, state.at + 4))) {
    repaired(reader, 'invalid_escape');
    take(String.fromCharCode(Number.parseInt(text.slice(state.at + 2, state.at + 4), 16)), 4);
  } else if (!state.literal && next !== '"' && ESCAPES[next] !== undefined) {
    if (next === 'b' || next === 'f') state.suspicious = true;
    take(ESCAPES[next], 2);
  } else keepBackslash(reader, state);
}

/** Behind a path's closing backslash and quote: the end of the member, for certain? */
function keyAfter(reader: JsonReader, at: number): boolean {
  const next = afterSpace(reader, at);
  const char = reader.text[next];
  return (
    char === '}' ||
    char === ']' ||
    ((char === ',' || char === '，') && keyAt(reader, afterSpace(reader, next + 1), false) !== null)
  );
}

/**
 * Reads the string whose opening quote is at `pos` and moves past it. Tolerates any quotes, raw
 * control characters, invalid escapes (kept as text: `C:\Users`, `\d+`) and unescaped inner quotes.
 * A missing closing quote ends before the next line that starts with one of `knownKeys`.
 */
export function readString(reader: JsonReader, place: StringPlace, knownKeys: ReadonlySet<string>): string {
  const { text } = reader;
  const open = text[reader.pos] ?? '"';
  const closers = closersOf(open);
  if (open !== '"') repaired(reader, 'odd_quotes');
  const start = reader.pos + 1;
  const state: StringState = {
    out: '',
    run: start,
    at: start,
    tokenAt: start,
    tokenOut: '',
    literal: false,
    suspicious: false,
    freshLine: false,
  };
  while (state.at < reader.end) {
    const char = text[state.at] as string;
    const code = text.charCodeAt(state.at);
    if (code === 0x5c) {
      readEscape(reader, state, open, place);
      state.freshLine = false;
      continue;
    }
    if (closers.includes(char)) {
      if (state.freshLine && place === 'member' && knownKeys.has(keyAt(reader, state.at, false) ?? ''))
        return endBeforeKey(reader, state);
      if (terminates(reader, state.at, place)) return endString(reader, state);
      repaired(reader, 'unescaped_quote');
    }
    if (code < 0x20) repaired(reader, 'raw_control_character');
    state.at += 1;
    if (code === 0x0a) state.freshLine = true;
    else if (code !== 0x20 && code !== 0x09 && code !== 0x0d) state.freshLine = false;
    if (isJsonSpace(code)) beginToken(state, text);
  }
  reader.cut = true;
  flush(state, text);
  reader.pos = reader.end;
  return state.out;
}

function beginToken(state: StringState, text: string): void {
  flush(state, text);
  state.run = state.at;
  state.tokenAt = state.at;
  state.tokenOut = state.out;
  state.literal = false;
  state.suspicious = false;
}

function endString(reader: JsonReader, state: StringState): string {
  flush(state, reader.text);
  reader.pos = state.at + 1;
  return state.out;
}

function endBeforeKey(reader: JsonReader, state: StringState): string {
  repaired(reader, 'missing_quote');
  flush(state, reader.text);
  reader.pos = state.at;
  return state.out.trimEnd().replace(/,$/, '');
}
