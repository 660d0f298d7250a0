import { createHash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { type ContentDigest, createContentDigest } from './content-digest.js';

const file = {
  path: '//depot/main/app.env',
  action: 'edit' as const,
  fileType: 'text',
  revision: 2,
  bytes: 3,
  digest: createHash('md5').update('one').digest('hex').toUpperCase(),
  from: null,
};
const change: Parameters<ContentDigest>[0] = { status: 'submitted', files: [file] };
const none = (): null => null;

it('RED-8: the digest of a content is the same under one key, as bytes or text, and another under another', () => {
  const key = randomBytes(32).toString('base64');
  const digest = createContentDigest(key)(change, none);
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(createContentDigest(Buffer.from(key))(change, none)).toBe(digest);
  expect(createContentDigest(randomBytes(32))(change, none)).not.toBe(digest);
});

it('RED-8: a key that its owner wipes later still makes the same digests', () => {
  const key = randomBytes(32);
  const contentDigest = createContentDigest(key);
  const before = contentDigest(change, none);
  key.fill(0);
  expect(contentDigest(change, none)).toBe(before);
});
