import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Hit } from '../grammar/rule.js';
import { createRedactor, type RedactionFinding } from '../redactor.js';
import { secretInContext } from '../testing/contexts.js';
import { BASE64, madeUp } from '../testing/redact-line.js';
import { createSegmenter, type SegmentSizes } from './redaction-stream.js';

const fingerprintKey = 'fingerprint-key-of-the-tests';
const sizes: SegmentSizes = { segment: 40, lookahead: 60, context: 20 };

/** Every word of capitals is a secret. */
const capitals = (text: string): Hit[] =>
  [...text.matchAll(/[A-Z]{3,}/g)].map(({ index, 0: word }) => ({
    rule: 'r',
    confidence: 'low',
    spans: [index, index + word.length],
  }));

function segmented(chunks: readonly string[]): { text: string; places: string[]; longest: number } {
  let text = '';
  let longest = 0;
  const places: string[] = [];
  const segmenter = createSegmenter(
    (window) => {
      longest = Math.max(longest, window.length);
      return capitals(window);
    },
    (segment) => {
      text += segment.text;
      for (const hit of segment.hits)
        places.push(`${segment.offset + (hit.spans[0] as number)}-${segment.offset + (hit.spans[1] as number)}`);
    },
    sizes,
  );
  for (const chunk of chunks) segmenter.write(chunk);
  segmenter.end();
  return { text, places, longest };
}

describe('redaction of a stream', () => {
  it('RED-1: segments and finds are the same for every split of a text, and no window is longer than its bound', () => {
    const piece = fc.constantFrom('SECRET', 'WORD', 'a', ' ', '\n', 'lower case text ', 'AB');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), fc.array(fc.nat(600), { maxLength: 6 }), (pieces, cuts) => {
        const text = pieces.join('');
        const at = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
        const chunks = at.slice(1).map((end, index) => text.slice(at[index], end));
        const whole = segmented([text]);
        expect(segmented(chunks)).toEqual(whole);
        expect(whole.text).toBe(text);
        expect(whole.places).toEqual(capitals(text).map(({ spans }) => `${spans[0]}-${spans[1]}`));
        expect(whole.longest).toBeLessThanOrEqual(sizes.segment + sizes.lookahead + sizes.context);
      }),
      { numRuns: 200 },
    );
  });

  it('RED-1: a session gives the same text, findings and counts at every split point', () => {
    fc.assert(
      fc.property(secretInContext(), fc.nat(), ({ text, path, diff }, seed) => {
        const whole = createRedactor({ fingerprintKey }).session().redact(text, { path, diff });
        const stream = createRedactor({ fingerprintKey }).session().stream({ path, diff });
        const cut = seed % (text.length + 1);
        const parts = [stream.write(text.slice(0, cut)), stream.write(text.slice(cut)), stream.end()];
        expect(parts.map((part) => part.text).join('')).toBe(whole.text);
        expect(parts.flatMap((part) => part.findings)).toEqual(whole.findings);
      }),
      { numRuns: 100 },
    );
  });

  it('RED-1: a text of several segments keeps its lines, and a key across the cut is hidden whole', () => {
    const key = Array.from({ length: 40 }, (_, index) => madeUp(64, BASE64, index + 1));
    const pem = `-----BEGIN ${'PRIVATE KEY'}-----\n${key.join('\n')}\n-----END ${'PRIVATE KEY'}-----\n`;
    const filler = 'a line of ordinary text\n'.repeat(Math.floor((1 << 20) / 24) - 20);
    const text = `${filler}${pem}const password = "${madeUp(20)}";\n${filler}`;
    const { text: redacted, findings } = createRedactor({ fingerprintKey }).session().redact(text, { path: 'a.ts' });
    for (const line of key) expect(redacted).not.toContain(line);
    expect(redacted.split('\n')).toHaveLength(text.split('\n').length);
    for (const { line, start } of findings as RedactionFinding[])
      expect(text.slice(0, start).split('\n')).toHaveLength(line);
    expect(new Set(findings.map(({ rule }) => rule))).toEqual(new Set(['private-key', 'password']));
  });
});

describe('text with NUL characters', () => {
  it('RED-8: UTF-16 read as bytes, and a NUL inside a token, hide nothing', () => {
    const token = `ghp_${madeUp(36)}`;
    const { session } = createRedactor({ fingerprintKey });
    const wide = [...`token ${token} end`].join('\0');
    expect(session().redact(wide).text).toBe(
      `${[...'token '].join('\0')}\0[REDACTED:github-token:1]\0${[...' end'].join('\0')}`,
    );
    expect(session().redact(`x ${token.slice(0, 9)}\0${token.slice(9)} y\0`).text).toBe(
      'x [REDACTED:github-token:1] y\0',
    );
  });
});
