import { createHash, createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Evidence, recoverSecrets } from './recover-secrets.js';

// Without the characters that escaping changes, so that each form is a form of its own.
const secret = `k${randomBytes(12).toString('hex')}Q`;
const publicValue = 'policy-7';
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
const clean: Evidence[] = [
  {
    where: 'a row',
    text: JSON.stringify({
      id: randomBytes(16).toString('hex'),
      at: '2026-11-22',
      digest: sha256('something else').toString('hex'),
    }),
  },
  { where: 'an artifact', text: randomBytes(4_000).toString('latin1') },
  { where: 'a fingerprint', text: createHmac('sha256', randomBytes(32)).update(secret).digest('hex') },
];
const attack = (text: string) =>
  recoverSecrets({
    evidence: [...clean, { where: 'a leak', text }],
    guesses: ['blueberry', secret, 'raspberry'],
    publicValues: [publicValue],
  });

describe('recovering secrets', () => {
  it('RED-8: recovers nothing from what has no secret, a fingerprint under a secret key included', () => {
    expect(attack('nothing of interest')).toEqual([]);
  });

  it.each<[string, string]>([
    ['a log line with the value', `{"level":"warn","password":"${secret}"}`],
    ['eight characters of it', `…${secret.slice(9, 17)}…`],
    ['an unkeyed digest of it', sha256(secret).toString('hex')],
    ['a digest that was cut', sha256(secret).toString('hex').slice(0, 16)],
    ['a digest in base64url', sha256(secret).toString('base64url')],
    ['a digest as bytes', sha256(secret).toString('latin1')],
    ['an MD5 as Perforce writes it', createHash('md5').update(secret).digest('hex').toUpperCase()],
    ['an HMAC whose key is public', createHmac('sha256', publicValue).update(secret).digest('hex').slice(0, 32)],
    ['its base64 amid other bytes', Buffer.from(`user:${secret}@host`).toString('base64')],
    ['its base64url', Buffer.from(`>>${secret}??`).toString('base64url')],
    ['its hex', Buffer.from(secret).toString('hex')],
    ['its bytes as percent escapes', [...Buffer.from(secret)].map((byte) => `%${byte.toString(16)}`).join('')],
    ['it in UTF-16', Buffer.from(secret, 'utf16le').toString('latin1')],
  ])('RED-8: convicts %s', (_what, text) => {
    const recovered = attack(text);
    expect(new Set(recovered.map(({ guess, where }) => `${guess} ${where}`))).toEqual(new Set(['1 a leak']));
  });

  it('a fragment of a public text proves nothing', () => {
    const evidence = [{ where: 'a rule', text: 'github_pat_' }];
    expect(
      recoverSecrets({
        evidence,
        guesses: [`github_pat_${secret}`],
        isPublic: (fragment) => 'github_pat_'.includes(fragment),
      }),
    ).toEqual([]);
  });
});
