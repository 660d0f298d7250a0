import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../foundation/json.js';
import { decodeFrozenMail } from './frozen-mail.js';
import { decodeFrozenPost, encodeFrozenPost, type FrozenPost } from './frozen-post.js';

const post: FrozenPost = {
  channel: 'chat',
  target: 'C012',
  body: { text: 'one', blocks: [{ b: 1, a: null }] },
  content: 'counts',
  date: new Date('2026-01-02T03:04:05.000Z'),
};

function codeOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}

describe('a frozen post', () => {
  it('NOT-5: is read back as it was frozen, for any JSON body', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (body) => {
        const given = { ...post, body: JSON.parse(JSON.stringify(body)) as JsonObject };
        const { bytes, sha256 } = encodeFrozenPost(given);
        expect(decodeFrozenPost(bytes, sha256)).toEqual(given);
      }),
      { numRuns: 100 },
    );
  });

  it('NOT-5: has the same bytes in whatever order its body was put together', () => {
    const other = { ...post, body: { blocks: [{ a: null, b: 1 }], text: 'one' } };
    expect(encodeFrozenPost(other).sha256).toBe(encodeFrozenPost(post).sha256);
  });

  it('NOT-5: is refused where its bytes are others, and waits where it is of another kind', () => {
    const { bytes, sha256 } = encodeFrozenPost(post);
    expect(codeOf(() => decodeFrozenPost(bytes, 'a'.repeat(64)))).toBe('MAIL_DIGEST_MISMATCH');
    expect(codeOf(() => decodeFrozenMail(bytes, sha256))).toBe('MESSAGE_KIND_UNKNOWN');
  });

  it('refuses a target, a date and a body that it could not read back', () => {
    const wrong: Partial<FrozenPost>[] = [
      { target: '' },
      { target: ' x' },
      { target: 'a\nb' },
      { target: 'x'.repeat(256) },
      { channel: 'a:b' },
      { date: new Date(Number.NaN) },
      { body: { text: 'x'.repeat(1_000_001) } },
    ];
    for (const change of wrong) expect(() => encodeFrozenPost({ ...post, ...change })).toThrow(TypeError);
  });
});
