import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { CriticizerError } from '../foundation/errors.js';

/**
 * Bytes at rest: `CRZ2`, then chunks of 64 KiB, each AES-256-GCM under a data key used for this
 * artifact alone. The nonce is the chunk's number and a last-chunk flag, so chunks cannot be
 * swapped, repeated, dropped or cut off; the associated data bind what the manifest says of the
 * artifact, so that bytes do not open in another's place, for another change or after an expiry
 * that somebody moved. Plaintext leaves only after its chunk is authenticated. `CRZ1`, the version
 * before, bound neither purpose, change nor expiry; what was written under it is still read.
 */
const versions = ['CRZ2', 'CRZ1'] as const;
type Version = (typeof versions)[number];
const magicBytes = 4;
const chunkBytes = 64 * 1024;
const tagBytes = 16;
const sealedBytes = chunkBytes + tagBytes;

/** What the ciphertext is bound to. */
export interface EnvelopeBinding {
  artifactId: string;
  namespace: string;
  contentType: string;
  kekId: string;
  purpose: string;
  changelistId: string | null;
  /** As the manifest had it when the bytes were written. */
  expiresAt: Date;
}

function associatedData(version: Version, binding: EnvelopeBinding): Buffer {
  const bound: unknown[] = [version, binding.namespace, binding.artifactId, binding.contentType, binding.kekId];
  if (version === 'CRZ2') bound.push(binding.purpose, binding.changelistId, binding.expiresAt.getTime());
  return Buffer.from(JSON.stringify(bound), 'utf8');
}

function nonce(chunk: number, last: boolean): Buffer {
  const made = Buffer.alloc(12);
  made.writeUInt32BE(chunk, 7);
  made[11] = last ? 1 : 0;
  return made;
}

function tampered(why: string): CriticizerError {
  return new CriticizerError('ARTIFACT_TAMPERED', `The stored artifact does not authenticate: ${why}.`, {
    category: 'validation',
  });
}

/**
 * Splits any sequence of buffers into pieces of exactly `size`, the last one shorter, and marks the
 * last. At least one piece comes out.
 */
async function* pieces(
  body: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<{ piece: Buffer; last: boolean }> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const part of body) {
    if (part.length === 0) continue;
    held.push(Buffer.from(part.buffer, part.byteOffset, part.length));
    heldBytes += part.length;
    // Strictly more than one piece: whether a piece is the last is only known once something follows.
    while (heldBytes > size) {
      const all = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held, heldBytes);
      yield { piece: all.subarray(0, size), last: false };
      const rest = all.subarray(size);
      held = [rest];
      heldBytes = rest.length;
    }
  }
  yield { piece: Buffer.concat(held, heldBytes), last: true };
}

/** Encrypts a stream; memory stays at one chunk. */
export async function* seal(
  body: AsyncIterable<Uint8Array>,
  dataKey: Uint8Array,
  binding: EnvelopeBinding,
): AsyncGenerator<Uint8Array> {
  const bound = associatedData('CRZ2', binding);
  yield Buffer.from('CRZ2', 'latin1');
  let chunk = 0;
  for await (const { piece, last } of pieces(body, chunkBytes)) {
    const cipher = createCipheriv('aes-256-gcm', dataKey, nonce(chunk++, last), { authTagLength: tagBytes });
    cipher.setAAD(bound);
    yield Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()]);
  }
}

/**
 * Decrypts a stream. Throws `ARTIFACT_TAMPERED` at the first chunk that does not authenticate or
 * when the end is missing.
 */
export async function* open(
  body: AsyncIterable<Uint8Array>,
  dataKey: Uint8Array,
  binding: EnvelopeBinding,
): AsyncGenerator<Uint8Array> {
  const opened: { version?: Version } = {};
  let chunk = 0;
  for await (const { piece, last } of pieces(withoutMagic(body, opened), sealedBytes)) {
    const bound = associatedData(opened.version ?? 'CRZ2', binding);
    if (piece.length < tagBytes) throw tampered('cut short');
    const decipher = createDecipheriv('aes-256-gcm', dataKey, nonce(chunk++, last), { authTagLength: tagBytes });
    decipher.setAAD(bound);
    decipher.setAuthTag(piece.subarray(piece.length - tagBytes));
    const plain = decipher.update(piece.subarray(0, piece.length - tagBytes));
    try {
      decipher.final();
    } catch {
      throw tampered(`chunk ${chunk - 1}`);
    }
    yield plain;
  }
}

/** What follows the version, which is written to `opened` before anything comes out. */
async function* withoutMagic(
  body: AsyncIterable<Uint8Array>,
  opened: { version?: Version },
): AsyncGenerator<Uint8Array> {
  let head = Buffer.alloc(0);
  for await (const part of body) {
    if (head.length >= magicBytes) {
      yield part;
      continue;
    }
    head = Buffer.concat([head, part]);
    if (head.length < magicBytes) continue;
    const found = versions.find((version) => version === head.toString('latin1', 0, magicBytes));
    if (found === undefined) throw tampered('not an artifact');
    opened.version = found;
    yield head.subarray(magicBytes);
  }
  if (head.length < magicBytes) throw tampered('cut short');
}

/** Of the plaintext, under the data key: says nothing to who lacks the key. Hex. */
export function contentDigest(body: Uint8Array, dataKey: Uint8Array): string {
  return createHmac('sha256', dataKey).update('criticizer.artifact-digest').update(body).digest('hex');
}

/** Compares two hex digests in constant time; false for unequal lengths. */
export function sameDigest(a: string, b: string): boolean {
  const left = Buffer.from(a, 'utf8');
  const right = Buffer.from(b, 'utf8');
  return left.length === right.length && timingSafeEqual(left, right);
}
