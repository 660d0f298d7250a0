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
