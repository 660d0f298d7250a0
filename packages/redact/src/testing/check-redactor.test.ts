import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RedactionContext, RedactionResult, Redactor } from '../redactor.js';
import { createRedactor } from '../redactor.js';
import { checkRedactor } from './check-redactor.js';
import type { TestableRedactor } from './redactor-properties.js';

const honest = (): Redactor => createRedactor({ fingerprintKey: 'fingerprint-key-of-the-tests' });

/** The honest redactor, its result spoilt. */
function spoilt(spoil: (result: RedactionResult, text: string) => string): () => TestableRedactor {
  return () => {
    const redactor = honest();
    return {
      ...redactor,
      session: () => {
        const session = redactor.session();
        return {
          redact(text, context) {
            const result = session.redact(text, context);
            return { ...result, text: spoil(result, text) };
          },
        };
      },
    };
  };
}

const EVERY_MARK = /\[REDACTED:[a-z0-9-]+:\d+\]/g;
const redactPiece = (chunk: string, context: RedactionContext): string =>
  honest().session().redact(chunk, context).text;

// Thousands of generated texts: twenty seconds of processor time, minutes on a busy machine.
describe('checkRedactor', { timeout: 600_000 }, () => {
  it('RED-1: acquits the honest redactor, in pieces too', async () => {
    const redactChunks = (chunks: readonly string[], context: RedactionContext): string =>
      redactPiece(chunks.join(''), context);
    expect(await checkRedactor({ create: honest, redactChunks, numRuns: 30, seed: 11 })).toEqual([]);
  });

  it.each<[string, () => TestableRedactor, RegExp]>([
    [
      'leaks the tail of a secret',
      spoilt(({ text, findings }, given) => {
        const last = findings.at(-1);
        return last === undefined ? text : `${text} ${given.slice(last.end - 8, last.end)}`;
      }),
      /^RED-8: no secret[\s\S]*but: {3}".{8}", characters \d+ to \d+ of a [a-z-]+, survives/,
    ],
    [
      'loses a line',
      spoilt(({ text, findings }) => (findings.length > 0 ? text.replace('\n', ' ') : text)),
      /^RED-1: lines stay[\s\S]*lines have become/,
    ],
    [
      'adds something on every pass',
      spoilt(({ text }) => text.replace(EVERY_MARK, '$&.')),
      /^RED-1: a second pass[\s\S]*a second pass makes of it/,
    ],
    [
      'is random',
      spoilt(({ text }) =>
        text.replace(EVERY_MARK, (mark) => `${mark.slice(0, -1)}${Math.floor(Math.random() * 1e6)}]`),
      ),
      /^RED-1: equal input[\s\S]*another time it becomes/,
    ],
    [
      'eats the closing quote',
      spoilt(({ text }) => text.replace(/(\[REDACTED:[a-z0-9-]+:\d+\])["']/g, '$1')),
      /^RED-8: what stands around[\s\S]*beside the secret is gone/,
    ],
    [
      'breaks JSON',
      spoilt(({ text }) => text.replace(EVERY_MARK, '$&"')),
      /^RED-8: JSON stays[\s\S]*it was JSON and is none any more/,
    ],
    [
      'takes plain words for secrets',
      spoilt(({ text }) => text.replace('password', '[REDACTED:password:1]')),
      /^RED-8: innocent text[\s\S]*there is no secret in it/,
    ],
    ['scans nothing', () => ({ ...honest(), scan: () => [] }), /^RED-10: the scan[\s\S]*the scan does not see the/],
    [
      'throws',
      spoilt(({ text }) => {
        if (text.includes('[REDACTED')) throw new RangeError('a rule failed');
        return text;
      }),
      /it threw: RangeError: a rule failed/,
    ],
  ])('RED-9: convicts a redactor that %s, in words', async (_name, create, message) => {
    const convictions = await checkRedactor({ create, numRuns: 150, seed: 11 });
    const told = convictions.map((conviction) => conviction.message);
    expect(told).toContainEqual(expect.stringMatching(message));
    for (const one of told) expect(one).toMatch(/\n {2}found with seed 11, made smaller \d+ times$/);
  });

  it('RED-9: convicts one whose result depends on how the text was cut', async () => {
    const redactChunks = (chunks: readonly string[], context: RedactionContext): string =>
      chunks.map((chunk) => redactPiece(chunk, context)).join('');
    const [conviction, ...others] = await checkRedactor({ create: honest, redactChunks, numRuns: 30, seed: 11 });
    expect(others).toEqual([]);
    expect(conviction?.message).toMatch(
      /^RED-1: a text in pieces[\s\S]*but: {3}(?:cut at character \d+|one character at a time) it becomes/,
    );
  });

  it("RED-9: takes a host's own secrets and innocent texts", async () => {
    const digits = fc.integer({ min: 10_000_000, max: 99_999_999 }).map(String);
    const secrets = digits.map((text) => ({
      secret: { family: 'badge', text, parts: [text], unmistakable: false },
      text: `badge ${text} of Ann`,
      path: 'people.txt',
      json: false,
    }));
    const innocent = digits.map((text) => ({ path: 'orders.txt', text: `"password": "order ${text} Kq9z"` }));
    const found = await checkRedactor({ create: honest, secrets, innocent, numRuns: 60, seed: 11 });
    expect(found.map(({ property }) => property.slice(0, 22))).toEqual([
      'RED-8: no secret and n',
      'RED-8: innocent text i',
    ]);
    expect(found[0]?.message).toContain('path:  people.txt');
  });
});
