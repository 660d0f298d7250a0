import { describe, expect, it } from 'vitest';
import type { Hit } from '../grammar/rule.js';
import { findUntilStable, MAX_SCANS } from './find-until-stable.js';
import { replaceHits } from './replace-hits.js';

const hit = (...spans: number[]): Hit => ({ rule: 'r', confidence: 'low', spans });

/** Answers each scan from a list, and finds nothing after it. */
function redactWith(text: string, scans: ((text: string) => Hit[])[], mark = '[]') {
  let scanned = 0;
  const marksOf = (hits: readonly Hit[]): string[] => hits.map(() => mark);
  const hits = findUntilStable(text, (given) => scans[scanned++]?.(given) ?? [], marksOf);
  return { redacted: replaceHits(text, hits, marksOf(hits)), spans: hits.map(({ spans }) => spans), scanned };
}

const where = (piece: string) => (text: string) => [hit(text.indexOf(piece), text.indexOf(piece) + piece.length)];

describe('finding until stable', () => {
  it('RED-1: a text without a secret is scanned once and stays', () => {
    expect(redactWith('plain', [])).toEqual({ redacted: 'plain', spans: [], scanned: 1 });
  });

  it('RED-1: offsets of a later scan are carried back to the text given, before, between and after marks', () => {
    for (const mark of ['[]', '[a much longer mark]']) {
      const first = () => [hit(3, 9), hit(12, 18)];
      expect(redactWith('ab SECRET c SECRET de', [first, where('de')], mark)).toEqual({
        redacted: `ab ${mark} c ${mark} `.concat(mark),
        spans: [
          [3, 9],
          [12, 18],
          [19, 21],
        ],
        scanned: 3,
      });
      expect(redactWith('ab SECRET c SECRET de', [first, where('b'), where(' c ')], mark).spans).toEqual([
        [1, 2],
        [3, 9],
        [9, 12],
        [12, 18],
      ]);
    }
  });

  it('RED-1: a later hit round a mark takes the earlier one in, whole', () => {
    expect(redactWith('ab SECRET c', [where('SECRET'), where('b [] c')])).toEqual({
      redacted: 'a[]',
      spans: [[1, 11]],
      scanned: 3,
    });
    // An edge inside a mark stands for the edge of what the mark hides.
    expect(redactWith('ab SECRET c', [where('SECRET'), where('] c')]).spans).toEqual([[3, 11]]);
    expect(redactWith('ab SECRET c', [where('SECRET'), where('b [')]).spans).toEqual([[1, 9]]);
  });

  it('RED-8: what a later scan finds between the lines of a secret is hidden with it', () => {
    const found = redactWith('AAA\nmid\nBBB\n', [() => [hit(0, 3, 8, 11)], where('mid')]);
    expect(found).toEqual({ redacted: '[]\n[]\n[]\n', spans: [[0, 3, 4, 7, 8, 11]], scanned: 3 });
  });

  it('RED-1: the number of scans is bounded', () => {
    const next = (text: string): Hit[] => where('x')(text);
    expect(redactWith('x'.repeat(20), new Array<typeof next>(20).fill(next)).scanned).toBe(MAX_SCANS);
  });
});
