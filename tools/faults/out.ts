import type { Fault } from './fault.js';

export const outFaults: readonly Fault[] = [
  {
    id: 'OUT-2',
    file: 'packages/core/src/review/parse-review.ts',
    find: 'const valid = list.map((raw, index) => readFinding(raw, index, diagnostics));\n  return valid.flatMap((finding, index) => (finding === null ? [] : reconcileFinding(finding, index, paths, diagnostics)));',
    replace:
      'return list.flatMap((raw, index) => [readFinding(raw, index, diagnostics)].flatMap((finding) => (finding === null ? [] : reconcileFinding(finding, index, paths, diagnostics))));',
    tests: 'review/parse-review',
  },
  {
    id: 'OUT-3',
    file: 'packages/core/src/review/read-envelope.ts',
    find: "if (!Array.isArray(findings)) return { rejected: { reason: 'schema_mismatch', field: 'findings' } };",
    replace: "if (!Array.isArray(findings)) return { rejected: { reason: 'missing_required_field', field: 'findings' } };",
    tests: 'review/parse-review',
  },
  {
    id: 'OUT-4',
    file: 'packages/core/src/review/read-finding.ts',
    find: "return trimmed.replaceAll('\\\\', '/');",
    replace: 'return trimmed;',
    tests: 'review/parse-review',
  },
  {
    id: 'OUT-5',
    file: 'packages/core/src/review/read-finding.ts',
    find: 'end_line !== undefined && end_line < line ?',
    replace: 'end_line !== undefined && end_line > line ?',
    tests: 'review/parse-review',
  },
  {
    id: 'OUT-6',
    file: 'packages/core/src/review/read-finding.ts',
    find: '[diagnostics.value(field, value), diagnostics.value(field, coerced)]',
    replace: '[String(value), String(coerced)]',
    tests: 'review/parse-review',
  },
  {
    id: 'OUT-7',
    file: 'packages/core/src/review/read-finding.ts',
    find: "? 'invalid_enum_value' : 'schema_mismatch'",
    replace: "? 'schema_mismatch' : 'schema_mismatch'",
    tests: 'review/parse-review',
  },
  {
    id: 'OUT-8',
    file: 'packages/core/src/review/reconcile.ts',
    find: '(byForm.get(normalisePath(file)) ?? null)',
    replace: '(byForm.get(normalisePath(file)) ?? file)',
    tests: 'review/parse-review',
  },
  {
    id: 'OUT-8',
    file: 'packages/core/src/pipeline/true-paths.ts',
    find: 'truePaths?.[file]?.[side] ?? shown',
    replace: 'shown',
    tests: 'core/test/criticizer.test',
  },
  { id: 'OUT-9', file: 'packages/core/src/review/extract-json.ts', find: 'filled.at(-1) ?? equals.at(-1)', replace: 'equals.at(-1)' },
  {
    id: 'OUT-9',
    file: 'packages/core/src/pipeline/stored-review.ts',
    find: 'return findings.length === 0 && review.state.doubts.length === 0;',
    replace: 'return findings.length === 0;',
    tests: 'pipeline/stored-review',
  },
  {
    id: 'OUT-9',
    file: 'packages/core/src/review/review-state.ts',
    find: "if (!coverage.complete) doubts.add('coverage_incomplete');",
    replace: '',
    tests: 'review/merge-reviews',
  },
];
