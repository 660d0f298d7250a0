import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { CriticizerError } from '../foundation/errors.js';
import { tooLarge } from './map-http-error.js';

const decoders: Readonly<Record<string, (data: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>>> =
  {
    gzip: promisify(gunzip),
    'x-gzip': promisify(gunzip),
    deflate: promisify(inflate),
    br: promisify(brotliDecompress),
  };

function malformed(host: string, reason: string): CriticizerError {
  return new CriticizerError('HTTP_MALFORMED', 'HTTP response body cannot be decoded', {
    category: 'upstream',
    details: { host, reason },
  });
}

/**
 * Reads to the end or to the cap, whichever comes first; at the cap the stream is destroyed. Throws
 * `HTTP_TOO_LARGE`.
 */
export async function readCapped(
  body: AsyncIterable<Uint8Array>,
  host: string,
  maxResponseBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxResponseBytes) throw tooLarge(host, maxResponseBytes);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, bytes);
}

/**
 * Undoes a content encoding that the peer used although none was asked for, never past the cap: 200
 * KB of gzip can hold 200 MB. Throws `HTTP_TOO_LARGE`, or `HTTP_MALFORMED` for damaged, unknown or
 * nested encodings.
 */
export async function decodeCapped(
  body: Uint8Array,
  encoding: string | undefined,
  host: string,
  maxResponseBytes: number,
): Promise<Uint8Array> {
  const name = (encoding ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity' || body.byteLength === 0) return body;
  const decode = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
  if (decode === undefined) throw malformed(host, 'content_encoding');
  try {
    return await decode(body, { maxOutputLength: maxResponseBytes });
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    throw code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(host, maxResponseBytes) : malformed(host, 'damaged');
  }
}
