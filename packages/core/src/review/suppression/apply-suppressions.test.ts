import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withSuppressed } from '../merge/review-state.js';
import { CATEGORIES, CONFIDENCES, SEVERITIES } from '../review-result.js';
import { applySuppressions, type SuppressibleFinding, type SuppressionRule } from './apply-suppressions.js';

const now = new Date(Date.UTC(2026, 0, 10));
const later = new Date(now.getTime() + 1);
const isUnder = (pattern: string, file: string): boolean => file.startsWith(pattern);
const context = { now, isUnder };

const finding = (over: Partial<SuppressibleFinding> = {}): SuppressibleFinding => ({
  ...{ id: 'f1', origin: 'model', file: '//depot/a.ts', rule_id: 'naming' },
  ...{ category: 'style', severity: 'low', confidence: 'medium' },
  ...over,
});
const forever = { expiresAt: null, withdrawnAt: null };
const named = (findingId: string, over: Partial<SuppressionRule> = {}, coversSecret = false): SuppressionRule => ({
  ...{ id: `s-${findingId}`, scope: { kind: 'finding', findingId, coversSecret }, ...forever },
  ...over,
});
const nothing = { ruleId: null, paths: null, category: null, severity: null, confidence: null };
const rule = (conditions: object): SuppressionRule => ({
  ...{ id: 'rule', scope: { kind: 'rule', ...nothing, ...conditions }, ...forever },
});
const hides = (suppression: SuppressionRule, over: Partial<SuppressibleFinding> = {}): boolean =>
  applySuppressions([finding(over)], [suppression], context).suppressed.length === 1;

const id = fc.constantFrom('f1', 'f2', 'f3', 'f4');
const path = fc.constantFrom('//depot/a.ts', '//depot/gen/b.ts');
const word = <T>(words: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...words);
const findings = fc.array(
  fc.record({
    id,
    origin: word(['model', 'redaction'] as const),
    file: fc.option(path),
    rule_id: fc.constantFrom('naming', 'null-check'),
    category: word(CATEGORIES),
    severity: word(SEVERITIES),
    confidence: word(CONFIDENCES),
  }),
  { maxLength: 6 },
);
const instant = fc.option(fc.constantFrom(new Date(0), now, later));
const suppressions = fc.array(
  fc.record({
    id: fc.uuid(),
    scope: fc.oneof(
      fc.record({ kind: fc.constant('finding' as const), findingId: id, coversSecret: fc.boolean() }),
      fc.record({
        kind: fc.constant('rule' as const),
        ruleId: fc.option(fc.constantFrom('naming', 'null-check')),
        paths: fc.option(path),
        category: fc.option(fc.constantFrom<string>(...CATEGORIES)),
        severity: fc.option(fc.constantFrom<string>(...SEVERITIES, 'unknown')),
        confidence: fc.option(fc.constantFrom<string>(...CONFIDENCES)),
      }),
    ),
    expiresAt: instant,
    withdrawnAt: fc.option(fc.constant(now)),
  }),
  { maxLength: 6 },
);

describe('applySuppressions', () => {
  it('GRD-8: hides the finding that is named, and none that a rule does not fit in everything', () => {
    expect(hides(named('f1'))).toBe(true);
    expect(hides(named('f2'))).toBe(false);
    for (const [fits, fitsNot] of [
      [{ ruleId: 'naming' }, { ruleId: 'naming2' }],
      [{ paths: '//depot/' }, { paths: '//other/' }],
      [{ category: 'style' }, { category: 'security' }],
      [{ severity: 'medium' }, { severity: 'info' }],
      [{ confidence: 'medium' }, { confidence: 'low' }],
    ] as const) {
      expect(hides(rule(fits))).toBe(true);
      expect(hides(rule(fitsNot))).toBe(false);
      expect(hides(rule({ ruleId: 'naming', category: 'style', ...fitsNot }))).toBe(false);
    }
    expect(hides(rule({ paths: '//depot/' }), { file: null })).toBe(false);
    expect(hides(rule({ severity: 'grave' }))).toBe(false);
    expect(hides(rule({ confidence: 'high' }), { confidence: undefined })).toBe(false);
    expect(hides(rule({}))).toBe(false);
  });

  it('GRD-8: one that expired or was withdrawn hides nothing', () => {
    expect(hides(named('f1', { expiresAt: later }))).toBe(true);
    expect(hides(named('f1', { expiresAt: now }))).toBe(false);
    expect(hides(named('f1', { withdrawnAt: now }))).toBe(false);
    expect(hides({ ...rule({ ruleId: 'naming' }), expiresAt: now })).toBe(false);
  });

  it('GRD-8: no rule and no link hides a withheld credential; who names it and covers it does', () => {
    const secret = { origin: 'redaction' } as const;
    expect(hides(rule({ ruleId: 'naming' }), secret)).toBe(false);
    expect(hides(named('f1'), secret)).toBe(false);
    expect(hides(named('f1', {}, true), secret)).toBe(true);
    const { refused } = applySuppressions([finding(secret)], [named('f1')], context);
    expect(refused.map(({ suppression }) => suppression.id)).toEqual(['s-f1']);
  });

  it('GRD-8: a review of which every finding is hidden is never clean', () => {
    for (const verdict of ['findings', 'no_findings', 'inconclusive'] as const) {
      const state = { verdict, doubts: [] };
      expect(withSuppressed(state, { kept: 0, suppressed: 1 }).verdict).toBe('inconclusive');
      expect(withSuppressed(state, { kept: 1, suppressed: 1 }).verdict).toBe('findings');
      expect(withSuppressed(state, { kept: 0, suppressed: 0 })).toBe(state);
    }
  });

  it('GRD-8: keeps or suppresses each finding once, in order, and with any suppressed no state is clean', () => {
    fc.assert(
      fc.property(findings, suppressions, fc.boolean(), (given, rows, isClean) => {
        const { kept, suppressed } = applySuppressions(given, rows, context);
        const hidden = suppressed.map((one) => one.finding);
        expect(given.filter((one) => !hidden.includes(one))).toEqual(kept);
        expect(given.filter((one) => hidden.includes(one))).toEqual(hidden);
        for (const { suppression } of suppressed) {
          expect(suppression.withdrawnAt).toBeNull();
          expect(suppression.expiresAt === null || suppression.expiresAt > now).toBe(true);
        }
        const before = { verdict: isClean ? 'no_findings' : 'findings', doubts: [] } as const;
        const after = withSuppressed(before, { kept: kept.length, suppressed: hidden.length });
        if (hidden.length === 0) expect(after).toEqual(before);
        else expect(after.verdict).toBe(kept.length > 0 ? 'findings' : 'inconclusive');
      }),
      { numRuns: 100 },
    );
  });
});
