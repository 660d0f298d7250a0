// The other side of RED-8: somebody who holds all that was stored, sent, mailed and logged, and a list of guesses.
import { createHash, createHmac } from 'node:crypto';

/** One text that could be read, and where. */
export interface Evidence {
  where: string;
  text: string;
}

/** What came back: which secret, where, by what means. Never the secret. */
export interface Recovered {
  guess: number;
  where: string;
  means: string;
}

export interface Attack {
  evidence: readonly Evidence[];
  /** Secrets, their lines and words of a dictionary: each of eight characters or more. */
  guesses: readonly string[];
  /** Fragments of eight characters that are in public texts anyway, and prove nothing. */
  isPublic?: ((fragment: string) => boolean) | undefined;
  /** What an attacker has to put beside a guess: every key a fingerprint could have been made with. */
  publicValues?: readonly string[] | undefined;
}

const GRAM = 8;
const BITS = 27;

function slotOf(text: string, at: number): number {
  let hash = 0x811c9dc5;
  for (let i = at; i < at + GRAM; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> (32 - BITS);
}

/**
 * Answers for millions of candidates whether one stands anywhere: a bit for every eight characters,
 * and a look where all bits are set.
 */
function indexOf(evidence: readonly Evidence[]): (candidate: string) => Evidence | undefined {
  const bits = new Uint32Array(2 ** (BITS - 5));
  for (const { text } of evidence)
    for (let at = 0; at + GRAM <= text.length; at += 1) {
      const slot = slotOf(text, at);
      bits[slot >>> 5] = (bits[slot >>> 5] ?? 0) | (1 << (slot & 31));
    }
  const mayHold = (candidate: string, at: number): boolean => {
    const slot = slotOf(candidate, at);
    return ((bits[slot >>> 5] ?? 0) & (1 << (slot & 31))) !== 0;
  };
  return (candidate) => {
    if (candidate.length < GRAM || !mayHold(candidate, 0) || !mayHold(candidate, candidate.length - GRAM))
      return undefined;
    return evidence.find(({ text }) => text.includes(candidate));
  };
}

/** Base64 of the guess wherever it begins among the bytes around it: what is certain of it. */
function base64Forms(guess: string): string[] {
  const forms = [0, 1, 2].map((before) => {
    const whole = Buffer.from('\0'.repeat(before) + guess).toString('base64');
    const certain = whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + Buffer.byteLength(guess)) * 8) / 6));
    return certain;
  });
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))];
}

function encodings(guess: string): [means: string, candidate: string][] {
  const hex = Buffer.from(guess).toString('hex');
  return [
    ['hex', hex],
    ['hex', hex.toUpperCase()],
    ['percent escapes', [...Buffer.from(guess)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')],
    ['percent escapes', encodeURIComponent(guess)],
    ['JSON escapes', JSON.stringify(guess).slice(1, -1)],
    ['UTF-16', [...guess].join('\0')],
    ['reversed', [...guess].reverse().join('')],
    ...base64Forms(guess).map((form): [string, string] => ['base64', form]),
  ];
}

/** A fingerprint is cut as a rule: the first 64 bits and more, in each way of writing bytes down. */
function digestForms(digest: Buffer): string[] {
  const hex = digest.toString('hex').slice(0, 16);
  const base64 = digest.toString('base64').slice(0, 12);
  return [
    hex,
    hex.toUpperCase(),
    base64,
    base64.replaceAll('+', '-').replaceAll('/', '_'),
    digest.toString('latin1', 0, 8),
  ];
}

const HASHES = ['md5', 'sha1', 'sha256', 'sha512'] as const;

/** Tries every guess in every form against everything. Empty where nothing can be recovered. */
export function recoverSecrets({
  evidence,
  guesses,
  isPublic = () => false,
  publicValues = [],
}: Attack): readonly Recovered[] {
  const find = indexOf(evidence);
  const recovered: Recovered[] = [];
  guesses.forEach((text, guess) => {
    const tryOne = (means: string, candidate: string): void => {
      const found = find(candidate);
      if (found !== undefined) recovered.push({ guess, where: found.where, means });
    };
    for (let at = 0; at + GRAM <= text.length; at += 1) {
      const fragment = text.slice(at, at + GRAM);
      if (!isPublic(fragment)) tryOne(`characters ${at + 1} to ${at + GRAM}`, fragment);
    }
    for (const [means, candidate] of encodings(text)) if (!isPublic(candidate)) tryOne(means, candidate);
    for (const hash of HASHES)
      for (const form of digestForms(createHash(hash).update(text).digest())) tryOne(hash, form);
    for (const key of publicValues)
      for (const form of digestForms(createHmac('sha256', key).update(text).digest()))
        tryOne('HMAC with a public key', form);
  });
  return recovered;
}
