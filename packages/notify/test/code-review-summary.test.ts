import type { ReviewMailContent, ReviewMailFinding } from '@criticizer/core/ports';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderComment } from '../src/p4-code-review/render-comment.js';
import { maxSummaryChars, renderSummary } from '../src/p4-code-review/render-summary.js';
import { foreignText, reviewOf } from './chat-reviews.js';

const reference = '[crz:0123456789ab]';

function contentOf(foreign: string, count: number, warnings: number): ReviewMailContent {
  const { content } = reviewOf(foreign, count);
  if (content === null) throw new TypeError('expected content');
  return { ...content, warnings: Array.from({ length: warnings }, () => foreign) };
}

/** Findings by number, so that a test sees which are listed. */
const numbered = (findings: readonly ReviewMailFinding[]): readonly ReviewMailFinding[] =>
  findings.map((finding, n) => ({ ...finding, title: `Finding ${n} of them` }));

describe('the summary in P4 Code Review', () => {
  it('CHN-2: is at most 60,000 characters, lists the worst findings, and says how many it leaves out', () => {
    const texts = fc.oneof(foreignText, fc.constantFrom('_', '@', '\u{e0041}', '\u{1f600}', 'job1 ', '&a'));
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 0, max: 120 }),
        fc.integer({ min: 0, max: 200 }),
        (text, count, warnings) => {
          const content = contentOf(text.repeat(10_000 / text.length), count, warnings);
          const rest = numbered(content.result.findings);
          const summary = renderSummary({ content, commented: 0, rest, reference });
          expect(summary.length).toBeLessThanOrEqual(maxSummaryChars);
          expect(summary.endsWith(reference)).toBe(true);
          const listed = [...summary.matchAll(/^- \*\*.*\*\* Finding (\d+) of them/gm)].map(([, n]) => Number(n));
          expect(listed).toEqual([...listed.keys()]);
          expect(listed.length).toBeGreaterThanOrEqual(Math.min(count, 10));
          const [, more = '0'] =
            /^- and (\d+) more findings: the review that Criticizer stored has them/m.exec(summary) ?? [];
          expect(listed.length + Number(more)).toBe(count);
          if (warnings > 20) expect(summary).toMatch(/^and \d+ more warnings: the review that Criticizer stored/m);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('CHN-2: a comment has room for the longest finding', () => {
    fc.assert(
      fc.property(foreignText, (text) => {
        const [finding] = contentOf(text.repeat(20_000 / text.length), 1, 0).result.findings;
        if (finding === undefined) throw new TypeError('expected a finding');
        const comment = renderComment(finding, { references: [reference], hasLines: false });
        expect(comment.length).toBeLessThanOrEqual(maxSummaryChars);
      }),
      { numRuns: 15 },
    );
  });

  it('CHN-2: never speaks of a mail', () => {
    const content = contentOf('word', 60, 3);
    expect(renderSummary({ content, commented: 3, rest: content.result.findings, reference })).not.toMatch(/\bmail\b/);
  });
});
