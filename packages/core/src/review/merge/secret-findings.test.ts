import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactedChangeOf, redactedFileOf } from '../../../test/redacted-samples.js';
import {
  type RedactedChange,
  type RedactedFile,
  secretPlacements,
  type WithheldSecret,
} from '../../changes/redacted-change.js';
import { mergeSecrets } from './merge-secrets.js';
import type { MergedFinding, SecretFinding } from './review-finding.js';
import { findSecrets } from './secret-findings.js';

const lines = ['+const a = 1;', '+const key = "[REDACTED:github-token:1]";', ' use(key);'];

const file = (secrets: readonly WithheldSecret[], more: Partial<RedactedFile> = {}): RedactedFile =>
  redactedFileOf({
    path: '//d/a.ts',
    bytes: 10,
    hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 3, lines }],
    addedLines: 2,
    secrets,
    ...more,
  });

const change = (files: readonly RedactedFile[], secrets: readonly WithheldSecret[] = []): RedactedChange =>
  redactedChangeOf(files, {
    ...{ serverId: 'main', number: 7, changelistId: 'main/7', user: 'ada', description: 'd' },
    secrets,
  });

const secret = (more: Partial<WithheldSecret> = {}): WithheldSecret => ({
  rule: 'github-token',
  line: 2,
  where: 'added',
  confidence: 'high',
  ...more,
});

const found = (secrets: readonly WithheldSecret[], more?: Partial<RedactedFile>) =>
  findSecrets(change([file(secrets, more)])).findings;
const severityOf = (one: WithheldSecret, more?: Partial<RedactedFile>) => found([one], more)[0]?.severity;

describe('withheld secrets as findings', () => {
  it('GRD-7: say file, line, rule and what to do', () => {
    const [finding] = found([secret()]);
    expect(finding).toMatchObject({
      origin: 'redaction',
      severity: 'high',
      category: 'security',
      title: 'A credential stands in this change; rotate it',
      file: '//d/a.ts',
      place: { line: 2, endLine: null, status: 'exact' },
      confidence: 'high',
      rule_id: 'github-token',
      state: 'new',
    });
    expect(finding?.message).toContain('github-token');
    expect(finding?.identity.line).toMatch(/^[0-9a-f]{16}$/);
  });

  it('GRD-7: are as grave as the redactor is sure, and graver for private keys and keys of clouds', () => {
    expect(severityOf(secret({ kind: 'private-key' }))).toBe('critical');
    expect(severityOf(secret({ kind: 'cloud-key' }))).toBe('critical');
    expect(severityOf(secret({ kind: 'credential' }))).toBe('high');
    expect(severityOf(secret({ confidence: 'low', kind: 'cloud-key' }))).toBe('low');
    expect(found([secret({ confidence: 'low' })])[0]?.title).toMatch(/^What looks like .* rotate it if it is real$/);
  });

  it('GRD-7: what the change leaves as it is gives one finding for each file, one level lower, and says so', () => {
    const places = [9, 40, 41].map((line) => secret({ where: 'unchanged', line }));
    const [finding, ...others] = found([...places, secret({ where: 'unchanged', line: 50, kind: 'private-key' })]);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ severity: 'high', place: { line: 50 } });
    expect(finding?.title).toContain('on a line that the change leaves as it is');
    expect(finding?.message).toContain('on lines 9, 40, 41.');
    expect(severityOf(secret({ where: 'unchanged', line: 9 }))).toBe('medium');
    expect(severityOf(secret({ where: 'heading', line: null, confidence: 'low' }))).toBe('info');
  });

  it('GRD-7: a removed one is low and in the history still', () => {
    const [finding] = found([secret({ where: 'removed', line: null, oldLine: 12, kind: 'private-key' })]);
    expect(finding).toMatchObject({ severity: 'low', place: { line: null, status: 'file' } });
    expect(finding?.title).toBe('A private key is removed here, and the history still has it; rotate it');
    expect(finding?.message).toContain('line 12 before');
  });

  it('GRD-7: one in a path counts as added where the change names the file', () => {
    const inPath = secret({ where: 'path', line: null });
    expect(severityOf(inPath, { action: 'add' })).toBe('high');
    expect(severityOf(inPath, { action: 'edit' })).toBe('medium');
  });

  it('GRD-7: one in the description is in no file', () => {
    const { findings } = findSecrets(change([], [secret({ where: 'description', line: null })]));
    expect(findings).toMatchObject([{ file: null, severity: 'high', place: { line: null, status: 'file' } }]);
    expect(findings[0]?.title).toContain('the description of this change');
  });

  it('GRD-7: what is no credential is no finding', () => {
    expect(found([secret({ rule: 'email', kind: 'private-data' })])).toEqual([]);
  });

  it('GRD-7: keep their ids where another secret or lines come before them, and have ids of their own on one line', () => {
    const before = [
      { oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: ['+x = "[REDACTED:key:1]"'] },
      { oldStart: 9, oldLines: 1, newStart: 10, newLines: 3, lines: lines.map((one) => one.replace(':1]', ':2]')) },
    ];
    const moved = found([secret({ line: 11 })], { hunks: before });
    expect(moved.map(({ id }) => id)).toEqual(found([secret()]).map(({ id }) => id));
    expect(new Set(found([secret(), secret()]).map(({ id }) => id)).size).toBe(2);
  });

  it('GRD-7: a line that no hunk shows is identified by the whole text', () => {
    const newText = `${lines.map((line) => line.slice(1)).join('\n')}\n\nold("[REDACTED:github-token:3]")\n`;
    const [finding] = found([secret({ line: 5, where: 'unchanged' })], { newText });
    expect(finding?.identity.line).not.toBeNull();
  });

  it('GRD-7: at most 50, the gravest, and the rest is counted', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            rule: fc.constantFrom('a', 'b'),
            line: fc.option(fc.integer({ min: 1, max: 9 })),
            where: fc.constantFrom(...secretPlacements),
            confidence: fc.constantFrom('high' as const, 'low' as const),
            kind: fc.constantFrom('credential' as const, 'private-key' as const, 'private-data' as const),
          }),
          { maxLength: 90 },
        ),
        (secrets) => {
          const { findings, omitted } = findSecrets(change([file(secrets)]));
          expect(findings.length).toBeLessThanOrEqual(50);
          expect(omitted === 0 || findings.length === 50).toBe(true);
          expect(new Set(findings.map(({ id }) => id)).size).toBe(findings.length);
          const credentials = secrets.filter(({ kind }) => kind !== 'private-data');
          expect(findings.length + omitted > 0).toBe(credentials.length > 0);
          expect(findings.length + omitted).toBeLessThanOrEqual(credentials.length);
        },
      ),
      { numRuns: 60 },
    );
  });
});

function modelFinding(more: Partial<MergedFinding> = {}): MergedFinding {
  return {
    id: 'f',
    severity: 'medium',
    category: 'security',
    title: 'Hard-coded token',
    file: '//d/a.ts',
    place: { line: 2, endLine: null, status: 'exact' },
    model: { severity: 'medium', line: 2, endLine: null },
    message: 'The token is in the source.',
    identity: { line: null, neighbours: null, section: null, occurrence: 0 },
    state: 'new',
    since: null,
    ...more,
  };
}

describe('findings of the model about a withheld secret', () => {
  const ours = found([secret()]);
  const merge = (finding: MergedFinding, secrets: readonly SecretFinding[] = ours) => mergeSecrets([finding], secrets);

  it("GRD-7: become part of ours at their line: the model's words stay, the graver severity holds", () => {
    const { findings, secretFindings, diagnostics } = merge(
      modelFinding({ severity: 'critical', suggestion: 'Rotate' }),
    );
    expect(findings).toEqual([]);
    expect(secretFindings).toMatchObject([{ id: ours[0]?.id, severity: 'critical', suggestion: 'Rotate' }]);
    expect(secretFindings[0]?.message).toMatch(/^Redaction withheld .*\n\nThe model on this line: Hard-coded token\n/s);
    expect(diagnostics).toEqual([{ code: 'finding_merged', index: null, findingId: 'f', into: ours[0]?.id }]);
    expect(merge(modelFinding()).secretFindings[0]?.severity).toBe('high');
  });

  it.each([
    ['on another line', modelFinding({ place: { line: 3, endLine: null, status: 'exact' } })],
    ['in another file', modelFinding({ file: '//d/b.ts' })],
    ['of an unconfirmed place', modelFinding({ place: { line: null, endLine: null, status: 'unverified' } })],
    [
      'about something else',
      modelFinding({ title: 'Token compared with ==', message: 'Use a constant-time compare.' }),
    ],
    ['of another category', modelFinding({ category: 'correctness', message: 'connect([REDACTED:key:1]) may throw' })],
  ])('GRD-7: one %s stays as it is', (_what, finding) => {
    expect(merge(finding)).toMatchObject({ findings: [finding], diagnostics: [] });
  });
});
