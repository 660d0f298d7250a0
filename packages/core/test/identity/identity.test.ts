import { describe, expect, it } from 'vitest';
import { type IdentityRow, measureIdentity } from './measure-identity.js';

describe('the identity of findings over versions', () => {
  const rows = measureIdentity(30, 11);
  const matchedShare = (name: string): number => {
    const { matched = 0, pairs = 0 } = rows.find(({ variation }) => variation === name) ?? {};
    return matched / pairs;
  };

  it.each([
    ...['nothing', 'line shift', 're-indent', 'rename of the file', 'paraphrase', 'category drift', 'severity drift'],
  ])('GRD-6: at least 95 %% of the findings are matched under %s', (name) => {
    expect(matchedShare(name)).toBeGreaterThanOrEqual(0.95);
    const row = rows.find(({ variation }) => variation === name);
    expect((row?.false ?? 0) / (row?.matches ?? 0)).toBeLessThanOrEqual(0.01);
  });

  it('GRD-6: at most 1.25 % of all matches, of every variation, join different defects', () => {
    const sum = (read: (row: IdentityRow) => number): number => rows.reduce((total, row) => total + read(row), 0);
    expect(sum((row) => row.matches)).toBeGreaterThan(3_000);
    expect(sum((row) => row.false) / sum((row) => row.matches)).toBeLessThanOrEqual(0.0125);
  });
});
