import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HiddenPath } from '../../changes/redacted-change.js';
import type { ReviewRecord } from '../llm/stored-review.js';
import { restorePaths } from './true-paths.js';

const hidden = (file: number): HiddenPath => ({
  alias: `//d/@alias-${file + 1}`,
  shown: `//d/[X:${file}]`,
  file,
  side: 'path',
});

function reviewOf(texts: readonly string[], hiddenPaths: readonly HiddenPath[]): ReviewRecord {
  const finding = {
    id: 'f',
    severity: 'high',
    category: 'style',
    title: 't',
    place: { line: 1, endLine: null, status: 'exact' },
    model: { severity: 'high', line: 1, endLine: null },
    identity: { line: null, neighbours: null, section: null, occurrence: 0 },
    state: 'new',
    since: 1,
  } as const;
  return {
    format: 4,
    history: null,
    earlier: [],
    suppressed: [],
    reading: [],
    findings: texts.map((text) => ({ ...finding, file: text, message: `in ${text}.` })),
    secretFindings: [],
    hiddenPaths,
    change: {
      serverId: 's',
      number: 1,
      changelistId: 's/1',
      user: 'u',
      description: texts[0] ?? '',
      kind: 'submitted',
    },
    result: {
      schema_version: '1.0',
      prompt_version: '1.0',
      meta: { findings: { f: { quote: texts[0] ?? '' } } },
    },
    check: null,
    droppedByCheck: [],
    coverage: {
      files: texts.map((path) => ({ path, state: 'reviewed_full', hunks: 1 })),
      totals: { files: 1, reviewed_full: 1, reviewed_partial: 0, skipped: 0 },
      denied_files: 0,
      visibility: 'complete',
      complete: true,
    },
    state: { verdict: 'findings', doubts: [] },
    secretsWithheld: 0,
    secrets: [],
    findingsWithheld: {},
    diagnostics: [],
    reviewers: [],
    usage: [],
  };
}

describe('true paths of a review', () => {
  it('R15: every alias leads back to its own path, in findings, prose and ledger, whatever the paths are', () => {
    const paths = fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 25 });
    fc.assert(
      fc.property(paths, (names) => {
        const files = names.map((path) => ({ path, oldPath: null }));
        const hiddenPaths = names.map((_, at) => hidden(at));
        const { findings, coverage } = restorePaths(
          reviewOf(
            hiddenPaths.map(({ alias }) => alias),
            hiddenPaths,
          ),
          files,
        );
        expect(findings.map(({ file }) => file)).toEqual(names);
        expect(findings.map(({ message }) => message)).toEqual(names.map((path) => `in ${path}.`));
        expect(coverage.files.map(({ path }) => path)).toEqual(names);
      }),
    );
  });

  it('R15: an alias of another path is none of these, and the change itself is left alone', () => {
    const texts = ['//d/@alias-1', '//d/@alias-12', '//d/@alias-1/x.c', '//d/@alias-1x'];
    const review = restorePaths(reviewOf(texts, [hidden(0)]), [{ path: '//d/true', oldPath: null }]);
    expect(review.findings.map(({ file }) => file)).toEqual([
      '//d/true',
      '//d/@alias-12',
      '//d/true/x.c',
      '//d/@alias-1x',
    ]);
    expect(review.change.description).toBe('//d/@alias-1');
  });

  it('ART-1: once the raw change has expired the redacted path is named', () => {
    expect(restorePaths(reviewOf(['//d/@alias-1'], [hidden(0)]), null).findings[0]?.file).toBe('//d/[X:0]');
  });
});
