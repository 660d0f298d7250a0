import { Buffer } from 'node:buffer';

/** Why a text is no depot path that may be read (P4-3). Stable words for events and counters. */
export type DepotPathDefect =
  | 'not_depot_form'
  | 'empty_segment'
  | 'dot_segment'
  | 'wildcard'
  | 'revision_mark'
  | 'bad_escape'
  | 'control_character'
  | 'undecodable'
  | 'too_long';

/** A depot path in canonical form, or why it has none. */
export type DepotPathResult = { ok: true; path: string } | { ok: false; defect: DepotPathDefect };

/** The server refuses longer identifiers. */
const maxPathBytes = 1024;
const escapes = /%(?!40|23|2A|25)/;
// Line and paragraph separators are no control characters to Unicode, but they break lines in logs and mails.
const controls = /[\p{Cc}\u2028\u2029]/u;

/**
 * Checks one file path of a depot, `//depot/dir/file` (P4-3). The canonical form is the stored one,
 * in which `@ # * %` stand as `%40 %23 %2A %25`; it is never decoded for comparing or sending, so
 * that no two spellings name one file.
 */
export function parseDepotPath(value: string): DepotPathResult {
  const defect = findDefect(value);
  return defect === undefined ? { ok: true, path: value } : { ok: false, defect };
}

/** The same for bytes as the server sent them: bytes that are not UTF-8 have no canonical form. */
export function parseDepotPathBytes(bytes: Uint8Array): DepotPathResult {
  if (bytes.length > maxPathBytes) return { ok: false, defect: 'too_long' };
  // What does not decode becomes U+FFFD, which no path may hold.
  return parseDepotPath(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
}

/** A file that rules can judge and a report can show, though no command can name it. */
export interface UnaskablePath {
  /**
   * Bytes that are no UTF-8 appear as `%FC`, which no canonical path holds. Never sent to the
   * server.
   */
  path: string;
  /** A canonical path in the deepest directory whose name is clear: what rules judge instead. */
  judgedAs: string;
  /** The name of a directory is affected: which rules for directories match is unknown. */
  hasUnclearDirectory: boolean;
}

/**
 * Reads a path with bytes that are no UTF-8, or with `...` inside a name. Null where more is wrong
 * with it, or nothing.
 */
export function parseUnaskablePath(bytes: Uint8Array): UnaskablePath | null {
  if (bytes.length > maxPathBytes) return null;
  const segments = splitBytes(Buffer.from(bytes)).map(showBytes);
  const clear = segments.map(({ text, isClear }) => (isClear ? text : text.replace(/%[89A-F][0-9A-F]|\.{3,}/g, 'x')));
  const first = segments.findIndex(({ isClear }) => !isClear);
  if (first === -1 || findDefect(clear.join('/')) !== undefined) return null;
  if (segments.some(({ text, isClear }) => !isClear && /^\.+$/.test(text))) return null;
  return {
    path: segments.map(({ text }) => text).join('/'),
    judgedAs: [...clear.slice(0, first), 'x'].join('/'),
    hasUnclearDirectory: first < segments.length - 1,
  };
}

function splitBytes(path: Buffer): Buffer[] {
  const segments: Buffer[] = [];
  let from = 0;
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', from)) {
    segments.push(path.subarray(from, slash));
    from = slash + 1;
  }
  return [...segments, path.subarray(from)];
}

/** The name with `%XX` for each byte of what does not decode, and whether it is clear without. */
function showBytes(segment: Buffer): { text: string; isClear: boolean } {
  const whole = segment.toString('utf8');
  if (!whole.includes('\uFFFD')) return { text: whole, isClear: !whole.includes('...') };
  // Byte by byte: a sequence that is no UTF-8 alone ends where the next character begins.
  let text = '';
  for (let at = 0; at < segment.length; ) {
    const length = [1, 2, 3, 4].find((bytes) => {
      const character = segment.subarray(at, at + bytes).toString('utf8');
      return !character.includes('\uFFFD') && [...character].length === 1;
    });
    text +=
      length === undefined
        ? `%${segment.toString('hex', at, at + 1).toUpperCase()}`
        : segment.toString('utf8', at, at + length);
    at += length ?? 1;
  }
  return { text, isClear: false };
}

function findDefect(value: string): DepotPathDefect | undefined {
  if (!/^\/\/[^/]/.test(value)) return 'not_depot_form';
  if (Buffer.byteLength(value, 'utf8') > maxPathBytes) return 'too_long';
  if (controls.test(value)) return 'control_character';
  // A lone surrogate becomes U+FFFD on the way to bytes: two texts would name one path.
  if (value.includes('\uFFFD') || /\p{Cs}/u.test(value)) return 'undecodable';
  if (value.includes('...') || value.includes('*') || /%%[0-9]/.test(value)) return 'wildcard';
  if (/[@#]/.test(value)) return 'revision_mark';
  if (escapes.test(value)) return 'bad_escape';
  const segments = value.slice(2).split('/');
  if (segments.length < 2) return 'not_depot_form';
  if (segments.some((segment) => segment === '')) return 'empty_segment';
  if (segments.some((segment) => segment === '.' || segment === '..')) return 'dot_segment';
  return undefined;
}

const decoded: Readonly<Record<string, string>> = { '%40': '@', '%23': '#', '%2A': '*', '%25': '%' };

/** The path as people write it. For display alone: never compare it, never send it to the server. */
export function displayDepotPath(path: string): string {
  return path.replace(/%(?:40|23|2A|25)/g, (code) => decoded[code] ?? code);
}

/** Lower case for ASCII letters alone: what every server that ignores case agrees on. */
export function foldAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
