import { Buffer } from 'node:buffer';

/** Text and what it was, or why there is none. */
export type DecodedText =
  | { kind: 'text'; text: string; encoding: string }
  | { kind: 'binary' }
  | { kind: 'undecodable' };

export interface DecodeTextOptions {
  /** The server says UTF-16: bytes without a mark are tried as such. */
  utf16?: boolean | undefined;
  /**
   * Tried where UTF-8 fails, `windows-1252` or another label of the Encoding Standard. Default:
   * none, such a file is undecodable.
   */
  legacyEncoding?: string | undefined;
}

/**
 * Decodes a file without ever replacing a byte: what does not decode exactly is reported, and a
 * byte order mark decides before all else.
 */
export function decodeText(bytes: Buffer, options: DecodeTextOptions = {}): DecodedText {
  if (startsWith(bytes, [0xef, 0xbb, 0xbf])) return decode(bytes.subarray(3), 'utf-8', 'utf8-bom');
  if (startsWith(bytes, [0xff, 0xfe])) return decode(bytes.subarray(2), 'utf-16le', 'utf16le');
  if (startsWith(bytes, [0xfe, 0xff])) return decode(Buffer.from(bytes.subarray(2)), 'utf-16be', 'utf16be');
  if (bytes.includes(0))
    return options.utf16 === true && bytes.length % 2 === 0 ? decode(bytes, 'utf-16le', 'utf16le') : { kind: 'binary' };
  const utf8 = decode(bytes, 'utf-8', 'utf8');
  if (utf8.kind !== 'undecodable' || options.legacyEncoding === undefined) return utf8;
  return decode(bytes, options.legacyEncoding, options.legacyEncoding);
}

/**
 * Checks an encoding label of the settings. Returns its canonical name; throws a TypeError for one
 * this Node does not know.
 */
export function parseEncodingLabel(label: unknown): string {
  try {
    return new TextDecoder(String(label), { fatal: true }).encoding;
  } catch {
    throw new TypeError('legacyEncoding: expected an encoding label such as windows-1252');
  }
}

const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

/** One of a kind: thousands of files come in the same encoding. */
function decoderFor(label: string): InstanceType<typeof TextDecoder> {
  const decoder = decoders.get(label) ?? new TextDecoder(label, { fatal: true, ignoreBOM: true });
  decoders.set(label, decoder);
  return decoder;
}

function decode(bytes: Buffer, label: string, encoding: string): DecodedText {
  try {
    const text = decoderFor(label).decode(bytes);
    return text.includes('\0') ? { kind: 'binary' } : { kind: 'text', text, encoding };
  } catch {
    decoders.delete(label); // it may hold a part of what it could not read
    return { kind: 'undecodable' };
  }
}

function startsWith(bytes: Buffer, mark: readonly number[]): boolean {
  return mark.every((byte, at) => bytes[at] === byte);
}
