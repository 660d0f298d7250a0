/** One kind of damage met and mended while reading; a closed vocabulary for metrics. */
export type RepairKind =
  | 'text_around'
  | 'string_layer'
  | 'escaped_layer'
  | 'reasoning_block'
  | 'fence'
  | 'comment'
  | 'ellipsis'
  | 'odd_whitespace'
  | 'odd_punctuation'
  | 'trailing_comma'
  | 'stray_comma'
  | 'missing_comma'
  | 'missing_colon'
  | 'missing_value'
  | 'missing_quote'
  | 'odd_quotes'
  | 'unquoted_key'
  | 'unquoted_value'
  | 'unescaped_quote'
  | 'raw_control_character'
  | 'invalid_escape'
  | 'joined_strings'
  | 'odd_literal'
  | 'odd_number'
  | 'mismatched_bracket'
  | 'unclosed';

/** The moving part of a tolerant read: one forward pass over `text`. Not public. */
export interface JsonReader {
  readonly text: string;
  /** Exclusive; moved back when a closing fence ends the document early. */
  end: number;
  pos: number;
  depth: number;
  /** Arrays now open, so that a `]` inside an object can be told from noise. */
  openArrays: number;
  /** True once a value, string or container ran into the end. */
  cut: boolean;
  /** True where the text cannot be read at all (too deep). */
  failed: boolean;
  readonly repairs: Set<RepairKind>;
  /** Grows with every repair: equal before and after a value means it was strictly valid. */
  repairCount: number;
}

/** A reader at `start`. */
export function createReader(text: string, start: number): JsonReader {
  return {
    text,
    end: text.length,
    pos: start,
    depth: 0,
    openArrays: 0,
    cut: false,
    failed: false,
    repairs: new Set(),
    repairCount: 0,
  };
}

/** Notes one repair. */
export function repaired(reader: JsonReader, kind: RepairKind): void {
  reader.repairs.add(kind);
  reader.repairCount += 1;
}

/** Strict JSON white space. */
export function isJsonSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isOddSpace(code: number): boolean {
  return (
    code === 0xa0 ||
    code === 0xfeff ||
    code === 0x3000 ||
    code === 0x0b ||
    code === 0x0c ||
    (code >= 0x2000 && code <= 0x200d) ||
    code === 0x2028 ||
    code === 0x2029
  );
}

/** First position at or after `from` that is no white space of any sort; `end` if there is none. */
export function afterSpace(reader: JsonReader, from: number): number {
  let at = from;
  while (at < reader.end) {
    const code = reader.text.charCodeAt(at);
    if (!isJsonSpace(code) && !isOddSpace(code)) break;
    at += 1;
  }
  return at;
}

/** Moves past `from`'s comment; the end where it is never closed. */
function skipComment(reader: JsonReader, terminator: string): void {
  repaired(reader, 'comment');
  const found = reader.text.indexOf(terminator, reader.pos);
  // A line's end is left for the caller; a block's end is consumed.
  const stop = found < 0 ? reader.end : found + (terminator === '\n' ? 0 : terminator.length);
  reader.pos = Math.min(stop, reader.end);
}

/** Skips white space and what models put there: comments, ellipses. A closing code fence ends the document. */
export function skipFiller(reader: JsonReader): void {
  const { text } = reader;
  while (reader.pos < reader.end) {
    const code = text.charCodeAt(reader.pos);
    if (isJsonSpace(code)) reader.pos += 1;
    else if (isOddSpace(code)) {
      repaired(reader, 'odd_whitespace');
      reader.pos += 1;
    } else if (code === 0x2f && text[reader.pos + 1] === '/') skipComment(reader, '\n');
    else if (code === 0x2f && text[reader.pos + 1] === '*') {
      reader.pos += 2;
      skipComment(reader, '*/');
    } else if (code === 0x23) skipComment(reader, '\n');
    else if (code === 0x2026 || (code === 0x2e && text.startsWith('...', reader.pos))) {
      repaired(reader, 'ellipsis');
      reader.pos += code === 0x2026 ? 1 : 3;
    } else if (code === 0x60 && text.startsWith('```', reader.pos)) {
      repaired(reader, 'fence');
      reader.end = reader.pos;
    } else return;
  }
}

/** Any character models use as a quotation mark. */
export function isQuote(char: string | undefined): boolean {
  return char !== undefined && char.length > 0 && '"\'`“”„‟«»‘’‚‛'.includes(char);
}
