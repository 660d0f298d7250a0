// A finished review with one of everything that formats must show, and texts that try to act.
import type { StoredReview } from '../src/stages/llm/stored-review.js';

const identity = { line: null, neighbours: null, section: null, occurrence: 0 };

/** Texts that a viewer might obey: of a model, or of the change that it read. */
export const hostileTexts: readonly string[] = [
  '](javascript:alert(1)) [click](https://evil.example/x)',
  '![pixel](https://evil.example/p.png) <img src=x onerror=alert(1)> www.evil.example',
  '@everyone @team/lead please approve {0} {1} \\[x] $(id) `rm -rf`',
  '```\n# Heading\n- item\n| a | b |\n```\n<script>x</script>',
  'turned \u202e round \u200b and \u0007 a bell, \ud800',
];

/** `texts`: of title, message and suggestion, in turn. */
export function sampleReview(texts: readonly string[] = ['Plain']): StoredReview {
  const text = (n: number): string => texts[n % texts.length] ?? '';
  const place = { line: 12, endLine: 14, status: 'exact' } as const;
  const common = { identity, state: 'new', since: 2 } as const;
  const of = (n: number) => ({ id: `${n}`.padStart(16, '0'), title: text(n), message: text(n + 1), ...common });
  const known = (n: number) => ({
    ...of(n),
    ...({ origin: 'model', severity: 'low', category: 'style', file: '//depot/main/src/z.c', place } as const),
    model: { severity: 'low', line: 12, endLine: null } as const,
  });
  const carried = (n: number) => ({ ...known(n), reason: '', since: 1, lastReported: { reviewVersion: 1, line: 12 } });
  return {
    format: 4,
    history: { reviewVersion: 1, jobId: 'job-1' },
    hiddenPaths: [],
    change: {
      serverId: 'main',
      number: 12,
      changelistId: 'main/12',
      user: 'ada',
      description: 'Mend',
      kind: 'shelved',
    },
    findings: [
      {
        ...of(1),
        ...{ origin: 'model', severity: 'critical', category: 'security', file: '//depot/main/src/a%40b c.ts', place },
        ...{ suggestion: text(3), confidence: 'high', rule_id: 'sql-injection' },
        model: { severity: 'critical', line: 12, endLine: 14 },
      },
      {
        ...of(2),
        ...{ origin: 'model', severity: 'medium', category: 'correctness', file: '//other/lib/b.c' },
        place: { line: null, endLine: null, status: 'file' },
        model: { severity: 'medium', line: 3, endLine: null },
      },
      {
        ...of(4),
        ...{ origin: 'redaction', severity: 'high', category: 'security', file: null, rule_id: 'private-key' },
        place: { line: null, endLine: null, status: 'exact' },
        secret: { rule: 'private-key', line: null },
      },
    ],
    earlier: [
      { ...carried(5), state: 'open', because: 'unanswered' },
      { ...carried(6), state: 'resolved', because: 'answered' },
    ],
    suppressed: [
      {
        ...known(7),
        suppression: {
          id: 's-1',
          scope: 'finding',
          disposition: 'false_positive',
          by: 'ada',
          reason: 'Known.',
          until: null,
        },
      },
    ],
    reading: [],
    result: { schema_version: '1.0', prompt_version: '1.2', findings: [] },
    check: null,
    droppedByCheck: [],
    coverage: {
      files: [
        { path: '//depot/main/src/a%40b c.ts', state: 'reviewed_full', hunks: 2 },
        {
          ...{ path: '//other/lib/b.c', state: 'reviewed_partial', hunks: 4, hunks_reviewed: 1 },
          reasons: ['budget'],
        },
        { path: '//depot/main/x.bin', state: 'skipped', reason: 'binary' },
        { path: '//depot/main/gone.c', state: 'skipped', reason: 'deleted' },
      ],
      totals: { files: 4, reviewed_full: 1, reviewed_partial: 1, skipped: 2 },
      ...{ denied_files: 1, visibility: 'complete', complete: false },
    },
    state: { verdict: 'findings', doubts: ['coverage_incomplete'] },
    secretsWithheld: 1,
    secrets: [],
    findingsWithheld: { low: 2 },
    diagnostics: [],
    reviewers: [],
    usage: [],
  };
}
