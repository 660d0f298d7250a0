import { describe, expect, it } from 'vitest';
import { countReview, type Excerpts, renderFindings } from './render-findings.js';

const clearScreen = '\u001b[2J';
const finding = {
  id: 'f'.repeat(16),
  severity: 'high',
  title: `A canary title${clearScreen}`,
  file: '//depot/a.ts',
  place: { line: 12, endLine: null, status: 'exact' },
  message: 'A canary message',
};
const review = {
  findings: [finding],
  coverage: { totals: { reviewed_full: 1, files: 2 }, files: [] },
  secretsWithheld: 1,
  diagnostics: [],
  check: null,
  droppedByCheck: [{ ...finding, id: 'd', title: 'A canary that was dropped', check: { reason: 'canary' } }],
  state: { verdict: 'findings', doubts: [] },
  usage: [],
  ...{ history: null, earlier: [] },
} as never;
const excerpts: Excerpts = new Map([
  [
    finding.id,
    [
      { line: 11, text: `canary code${clearScreen}`, isCited: false },
      { line: 12, text: 'free(p);', isCited: true },
    ],
  ],
]);

describe('renderFindings', () => {
  it('EGR-1: prints code with line numbers at the level `code` alone, and of counts no text of the review', () => {
    const code = renderFindings(review, 'code', excerpts);
    expect(code).toContain('\n       11  canary code<U+001B>[2J\n  >    12  free(p);\n');
    const findings = renderFindings(review, 'findings', excerpts);
    expect(findings).toContain('A canary message');
    expect(findings).not.toContain('free(p)');
    expect(renderFindings(review, 'counts', excerpts)).toBe(
      '1 finding; 1 of 2 files reviewed in full; 1 secret withheld.',
    );
    expect(JSON.stringify(countReview(review))).not.toContain('canary');
  });

  it('GRD-6: says what became of earlier findings, and in counts how many', () => {
    const gone = { ...finding, state: 'resolved', reason: 'The line is gone.', title: 'A canary of version 1' };
    const second = { ...(review as object), history: { reviewVersion: 1, jobId: 'j' }, earlier: [gone] } as never;
    const since = 'Since version 1: 0 new, 0 still open, 1 resolved, 0 not verifiable.';
    expect(renderFindings(second, 'counts', excerpts).split('\n')[0]).toBe(since);
    const text = renderFindings(second, 'findings', excerpts);
    expect(text).toContain(
      '1 earlier finding not reported again:\n  resolved  high  //depot/a.ts: A canary of version 1',
    );
    expect(text).toContain('    The line is gone.');
  });

  it('prints no character that moves a cursor or hides text', () => {
    expect(renderFindings(review, 'code', excerpts)).not.toContain('\u001b');
  });
});
