import { describe, expect, it } from 'vitest';
import type { FileSkip } from '../../changes/change.js';
import { coverChange, type UnsentReason } from '../../review/merge/coverage.js';
import { mergeReviews } from '../../review/merge/merge-reviews.js';
import { parseReview } from '../../review/read/parse-review.js';
import { type Finding, reviewResultSchema, type Severity } from '../../review/review-result.js';
import { resolveSettings, type SettingsInput } from '../../settings/settings.js';
import type { OutputReader } from '../job/run-outputs.js';
import { buildMailContent, isSilent, summariseReview } from '../notify/review-mail-content.js';
import { type ReviewRecord, readStoredReview, type StoredReview } from './stored-review.js';

const hunk = {
  oldStart: 0,
  oldLines: 0,
  newStart: 1,
  newLines: 9,
  section: 'void main()',
  lines: Array.from({ length: 9 }, (_, at) => `+call_${at}();`),
};
const file = { path: '//depot/a.c', skipped: null, hunks: [hunk] };
const versions = { schemaVersion: '1.0', promptVersion: '1.0' };

interface Sample {
  cut?: boolean;
  /** Severities of findings whose line is not in the diff. */
  unverified?: readonly Severity[];
  /** Further files of the change that were skipped. */
  skips?: readonly FileSkip[];
  /** Why the one file with text was not sent; undefined: it was. */
  unsent?: UnsentReason;
  secretsWithheld?: number;
}

/** What the llm stage stores for these findings, one a line. */
function record(severities: readonly Severity[], sample: Sample = {}): ReviewRecord {
  const { cut = false, unverified = [], skips = [], unsent, secretsWithheld = 0 } = sample;
  const finding = (severity: Severity, line: number): Finding => ({
    id: `f${line}`,
    severity,
    category: 'correctness',
    title: `Call ${line} is wrong in a way of its own`,
    file: file.path,
    line,
    message: `Reason ${line}`,
  });
  const findings = [
    ...severities.map((one, at) => finding(one, at + 1)),
    ...unverified.map((one, at) => finding(one, at + 1_000)),
  ];
  const text = JSON.stringify({ schema_version: '1.0', prompt_version: '1.0', findings });
  const reply = parseReview({ text, stop: 'complete', expected: versions, changedFiles: [file] });
  const chunk = { files: [{ file: 0, hunks: [0] }], outcome: cut ? 'cut' : 'read' } as const;
  const skipped = skips.map((skip, at) => ({ path: `//depot/${at}.bin`, skipped: skip, hunks: [] }));
  const change = { files: [file, ...skipped], visibility: 'complete', deniedFiles: 0 } as const;
  const coverage = coverChange(change, unsent === undefined ? [chunk] : [], { unsentBecause: unsent });
  const merged = mergeReviews({ replies: unsent === undefined ? [reply] : [], coverage, versions });
  const { findings: _view, ...document } = merged.result;
  return {
    format: 4,
    history: null,
    earlier: [],
    suppressed: [],
    reading: [],
    findings: merged.findings,
    secretFindings: [],
    hiddenPaths: [],
    change: { serverId: 'main', number: 1, changelistId: 'main/1', user: 'ada', description: 'd', kind: 'submitted' },
    result: document,
    check: null,
    droppedByCheck: [],
    coverage,
    state: merged.state,
    secretsWithheld,
    secrets: [],
    findingsWithheld: merged.withheld,
    diagnostics: merged.diagnostics,
    reviewers: [],
    usage: [],
  };
}

/** Reads `stored` as if it were the job's stored review. */
function read(stored: unknown): Promise<StoredReview> {
  const body = Buffer.from(JSON.stringify(stored), 'utf8');
  const outputs: OutputReader = {
    read: async () => body,
    readRedacted: async () => {
      throw new Error('not used here');
    },
  };
  return readStoredReview(outputs);
}

const review = (severities: readonly Severity[], sample?: Sample): Promise<StoredReview> =>
  read(record(severities, sample));

const settings = (review: SettingsInput['review']) => resolveSettings({ review }).review;
const floor = (severityFloor: Severity) => settings({ severityFloor });
const severitiesOf = (stored: StoredReview, severityFloor: Severity) =>
  buildMailContent(stored, floor(severityFloor), 1).result.findings.map(({ severity }) => severity);

describe('what a mail says of a review', () => {
  it('INT-3: shows findings from the floor on, and counts those below it in a warning', async () => {
    const stored = await review(['info', 'critical', 'medium', 'low']);
    expect(severitiesOf(stored, 'info')).toEqual(['critical', 'medium', 'low', 'info']);
    expect(buildMailContent(stored, floor('info'), 1).warnings).toEqual([]);
    expect(severitiesOf(stored, 'medium')).toEqual(['critical', 'medium']);
    expect(buildMailContent(stored, floor('medium'), 1).warnings).toEqual(['2 findings below "medium" not shown.']);
  });

  it('INT-3: shows at most as many as set, the gravest, counts the rest, and keeps them all in the review', async () => {
    const stored = await review(['low', 'high', 'critical']);
    const content = buildMailContent(stored, settings({ maxFindings: 2 }), 1);
    expect(content.result.findings.map(({ severity }) => severity)).toEqual(['critical', 'high']);
    expect(content.notShown).toEqual({ belowFloor: 0, floor: 'info', overCap: 1 });
    expect(content.warnings).toEqual(['1 less severe finding not shown: a mail shows at most 2.']);
    expect(stored.findings.map(({ severity }) => severity)).toEqual(['critical', 'high', 'low']);
    expect(summariseReview(stored, settings({ maxFindings: 2 }))).toMatchObject({
      findings: { critical: 1, high: 1, low: 1 },
    });
  });

  it('INT-3 OUT-9: silence needs a whole review in which nothing reaches the floor', async () => {
    expect(isSilent(await review([]), floor('info'))).toBe(true);
    expect(isSilent(await review(['info']), floor('low'))).toBe(true);
    expect(isSilent(await review(['low']), floor('low'))).toBe(false);
    expect(isSilent(await review([], { cut: true }), floor('info'))).toBe(false);
    const doubted = { verdict: 'inconclusive', doubts: ['findings_unread'] } as const;
    expect(isSilent({ ...(await review([])), state: doubted }, floor('info'))).toBe(false);
    expect(buildMailContent(await review([], { cut: true }), floor('info'), 1).conclusive).toBe(false);
  });

  it.each<FileSkip>(['binary', 'symlink', 'generated', 'filtered', 'deleted', 'unchanged', 'purged', 'no_model'])(
    'INT-3: a file skipped as %s is no reason for a mail, though the review is not conclusive',
    async (skip) => {
      const stored = await review([], { skips: [skip] });
      expect(isSilent(stored, floor('info'))).toBe(true);
      expect(isSilent(await review(['high'], { skips: [skip] }), floor('info'))).toBe(false);
    },
  );

  it.each<FileSkip>(['oversize', 'undecodable', 'budget', 'error', 'unavailable', 'damaged', 'bad_path'])(
    'INT-3: a file not reviewed for %s is a reason for a mail',
    async (skip) => expect(isSilent(await review([], { skips: [skip] }), floor('info'))).toBe(false),
  );

  it('INT-3: a change that no model was asked about is silent unless a budget or a secret is the reason', async () => {
    expect(isSilent(await review([], { unsent: 'no_model' }), floor('info'))).toBe(true);
    expect(isSilent(await review([], { unsent: 'no_model', secretsWithheld: 1 }), floor('info'))).toBe(false);
    expect(isSilent(await review([], { unsent: 'budget' }), floor('info'))).toBe(false);
    expect(isSilent(await review([], { secretsWithheld: 1 }), floor('info'))).toBe(false);
  });

  it('INT-3 OUT-9: findings below the floor alone are counted for the subject and the job row', async () => {
    const stored = await review(['low', 'info', 'low']);
    expect(buildMailContent(stored, floor('medium'), 1)).toMatchObject({
      result: { findings: [] },
      notShown: { belowFloor: 3, floor: 'medium', overCap: 0 },
    });
    expect(summariseReview(stored, floor('medium'))).toMatchObject({
      verdict: 'findings',
      findingsBelowFloor: 3,
      severityFloor: 'medium',
    });
  });

  it('GRD-2: floor, order and counts go by the effective severity; an unverified place is warned of', async () => {
    const stored = await review(['high', 'low'], { unverified: ['critical'] });
    const content = buildMailContent(stored, floor('medium'), 1);
    expect(content.result.findings).toMatchObject([
      { severity: 'high', place: { status: 'exact' } },
      { severity: 'medium', place: { status: 'unverified', line: null }, model: { severity: 'critical' } },
    ]);
    expect(content.warnings[0]).toContain('1 finding without a confirmed place');
    expect(severitiesOf(stored, 'high')).toEqual(['high']);
    expect(summariseReview(stored, floor('medium'))).toMatchObject({
      findings: { critical: 0, high: 1, medium: 1, low: 0, info: 0 },
      findingsBelowFloor: 1,
    });
  });
});

describe('the stored review', () => {
  it('GRD-2: holds each finding with its resolved place and both severities', async () => {
    const { findings, result, diagnostics } = await review(['high'], { unverified: ['critical'] });
    expect(findings).toMatchObject([
      { severity: 'high', place: { line: 1, status: 'exact' }, model: { severity: 'high', line: 1 } },
      { severity: 'medium', place: { line: null, status: 'unverified' }, model: { severity: 'critical', line: 1_000 } },
    ]);
    expect(result.findings.map(({ severity, line }) => [severity, line])).toEqual([
      ['high', 1],
      ['critical', 1_000],
    ]);
    expect(diagnostics).toMatchObject([{ code: 'severity_lowered', from: 'critical', to: 'medium' }]);
  });

  it('holds of each finding what it is about, apart from category and words, and that it is new', async () => {
    const { findings } = await review(['high', 'low'], { unverified: ['critical'] });
    const digest = expect.stringMatching(/^[0-9a-f]{16}$/);
    const placed = { state: 'new', identity: { line: digest, neighbours: digest, section: digest, occurrence: 0 } };
    const unplaced = { state: 'new', identity: { line: null, neighbours: null, section: null, occurrence: 0 } };
    expect(findings).toMatchObject([placed, unplaced, placed]);
    expect(findings[0]?.identity.line).not.toBe(findings[2]?.identity.line);
    expect(findings[0]?.identity.section).toBe(findings[2]?.identity.section);
  });

  it('OUT-1: the document is a view of the findings, the same as the model sent it', async () => {
    const { result } = await review(['high', 'low'], { unverified: ['critical'] });
    expect(reviewResultSchema.safeParse(result).success).toBe(true);
    expect(result.findings.map(({ line, severity, title }) => [line, severity, title])).toEqual([
      [1, 'high', 'Call 1 is wrong in a way of its own'],
      [1_000, 'critical', 'Call 1000 is wrong in a way of its own'],
      [2, 'low', 'Call 2 is wrong in a way of its own'],
    ]);
  });

  it('GRD-2: a review of format 2 is read and placed; of what its findings are about nothing is known', async () => {
    const stored = await review(['high', 'low'], { unverified: ['critical'] });
    const { findings: _none, ...rest } = record(['high', 'low'], { unverified: ['critical'] });
    const old = await read({ ...rest, format: 2, result: stored.result });
    const unknown = { line: null, neighbours: null, section: null, occurrence: 0 };
    expect(old).toEqual({ ...stored, findings: stored.findings.map((one) => ({ ...one, identity: unknown })) });
  });

  it('GRD-6: a review of format 3 is read as one that was compared with none', async () => {
    const {
      history: _h,
      earlier: _e,
      suppressed: _s,
      reading: _r,
      ...rest
    } = record(['high'], { unverified: ['low'] });
    const findings = rest.findings.map(({ since: _since, ...finding }) => finding);
    expect(await read({ ...rest, findings, format: 3 })).toEqual(await review(['high'], { unverified: ['low'] }));
  });

  it.each([
    ['of a later format', { ...record([]), format: 5 }, 'STORED_FORMAT_UNKNOWN'],
    ['without findings', { ...record([]), findings: undefined }, 'STORED_REVIEW_INVALID'],
    ['without a format', { ...record([]), format: undefined }, 'STORED_REVIEW_INVALID'],
    ['that is none', null, 'STORED_REVIEW_INVALID'],
  ])('refuses a review %s without quoting it', async (_name, stored, code) => {
    await expect(read(stored)).rejects.toMatchObject({ code, category: 'validation' });
  });
});
