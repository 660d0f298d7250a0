import { createCipheriv, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCriticizerError } from '../foundation/errors.js';
import { type EnvelopeBinding, open, seal } from './envelope.js';

const binding: EnvelopeBinding = {
  artifactId: 'a',
  namespace: 'raw',
  contentType: 'text/plain',
  kekId: 'k',
  purpose: 'change',
  changelistId: 'main/1',
  expiresAt: new Date(0),
};

async function* parts(...list: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* list;
}
async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const part of stream) all.push(part);
  return Buffer.concat(all);
}
const sealed = async (plain: Uint8Array, key: Uint8Array, bound = binding) => collect(seal(parts(plain), key, bound));
async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'opened',
    (error) => (isCriticizerError(error) ? error.code : 'other'),
  );
}

describe('envelope', () => {
  it('ART-2: opens to the same bytes at every size round the chunk and however the ciphertext arrives', async () => {
    const key = randomBytes(32);
    for (const size of [0, 1, 65_535, 65_536, 65_537, 131_072, 200_001]) {
      const plain = randomBytes(size);
      const bytes = await sealed(plain, key);
      expect((await collect(open(parts(bytes), key, binding))).equals(plain)).toBe(true);
      const split = [bytes.subarray(0, 2), bytes.subarray(2, 3), bytes.subarray(3, 70_000), bytes.subarray(70_000)];
      expect((await collect(open(parts(...split), key, binding))).equals(plain)).toBe(true);
    }
  });

  it('ART-2: the ciphertext shows nothing of the plaintext', async () => {
    const plain = Buffer.from('a line nobody may read '.repeat(400));
    expect((await sealed(plain, randomBytes(32))).includes(Buffer.from('nobody may'))).toBe(false);
  });

  it('refuses every single flipped bit', async () => {
    const key = randomBytes(32);
    const bytes = await sealed(randomBytes(300), key);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (at, bit) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
        expect(await codeOf(collect(open(parts(changed), key, binding)))).toBe('ARTIFACT_TAMPERED');
      }),
      { numRuns: 300 },
    );
  });

  it('refuses a body cut anywhere, chunks swapped, and bytes appended', async () => {
    const key = randomBytes(32);
    const chunk = 65_536 + 16;
    const bytes = await sealed(randomBytes(150_000), key);
    for (const end of [0, 3, 4, 10, 4 + chunk, 4 + 2 * chunk, bytes.length - 1])
      expect(await codeOf(collect(open(parts(bytes.subarray(0, end)), key, binding)))).toBe('ARTIFACT_TAMPERED');
    const swapped = Buffer.concat([
      bytes.subarray(0, 4),
      bytes.subarray(4 + chunk, 4 + 2 * chunk),
      bytes.subarray(4, 4 + chunk),
      bytes.subarray(4 + 2 * chunk),
    ]);
    expect(await codeOf(collect(open(parts(swapped), key, binding)))).toBe('ARTIFACT_TAMPERED');
    expect(await codeOf(collect(open(parts(bytes, Buffer.from('x')), key, binding)))).toBe('ARTIFACT_TAMPERED');
  });

  it('ART-2: reads what the version before wrote, bound to what that one bound, and takes neither for the other', async () => {
    const key = randomBytes(32);
    const plain = Buffer.from('written before');
    const nonce = Buffer.from('000000000000000000000001', 'hex');
    const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
    cipher.setAAD(Buffer.from(JSON.stringify(['CRZ1', 'raw', 'a', 'text/plain', 'k']), 'utf8'));
    const old = Buffer.concat([Buffer.from('CRZ1'), cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    for (const body of [parts(old), parts(old.subarray(0, 3), old.subarray(3))])
      expect((await collect(open(body, key, binding))).equals(plain)).toBe(true);
    expect(await codeOf(collect(open(parts(old), key, { ...binding, artifactId: 'b' })))).toBe('ARTIFACT_TAMPERED');
    const renamed = Buffer.concat([Buffer.from('CRZ2'), old.subarray(4)]);
    expect(await codeOf(collect(open(parts(renamed), key, binding)))).toBe('ARTIFACT_TAMPERED');
    const downgraded = Buffer.concat([Buffer.from('CRZ1'), (await sealed(plain, key)).subarray(4)]);
    expect(await codeOf(collect(open(parts(downgraded), key, binding)))).toBe('ARTIFACT_TAMPERED');
  });

  it('does not open in the place of another artifact, namespace, type or key', async () => {
    const key = randomBytes(32);
    const bytes = await sealed(Buffer.from('x'), key);
    for (const other of [
      { artifactId: 'b' },
      { namespace: 'redacted' },
      { contentType: 'text/html' },
      { kekId: 'j' },
      { purpose: 'mail' },
      { changelistId: null },
      { changelistId: 'main/2' },
      { expiresAt: new Date(1) },
    ])
      expect(await codeOf(collect(open(parts(bytes), key, { ...binding, ...other })))).toBe('ARTIFACT_TAMPERED');
    expect(await codeOf(collect(open(parts(bytes), randomBytes(32), binding)))).toBe('ARTIFACT_TAMPERED');
  });
});
