import type { Fault } from './fault.js';

export const grdFaults: readonly Fault[] = [
  {
    id: 'GRD-1',
    file: 'packages/core/src/stages/chunk-question.ts',
    find: 'files: files.map(({ file, hunks }) => ({ file, hunks: [...hunks] })),',
    replace: 'files: files.slice(0, 1).map(({ file, hunks }) => ({ file, hunks: [...hunks] })),',
    tests: 'core/test/stored-replies',
  },
  {
    id: 'GRD-1',
    file: 'packages/core/src/stages/chunk-question.ts',
    find: '      model,\n      mode,',
    replace: '      mode,',
    tests: 'core/test/stored-replies',
  },
  {
    id: 'GRD-1',
    file: 'packages/core/src/stages/ask-part.ts',
    find: 'if (first === undefined || ![first, second].some((one) => one !== undefined && isUsable(one.reading))) continue;',
    replace: 'if (first === undefined) continue;\n    if (second === undefined) return toPart(review, part, first);',
    tests: 'core/test/stored-replies',
  },
  {
    id: 'GRD-1',
    file: 'packages/core/src/stages/read-reply.ts',
    find: "if (!isUsable(reading)) return 'failed';",
    replace: "if (!isUsable(reading)) return 'read';",
    tests: 'core/test/stored-replies',
  },
  {
    id: 'GRD-2',
    file: 'packages/core/src/review/merge/place-findings.ts',
    find: "place.status === 'unverified' ? MAX_UNVERIFIED_SEVERITY : finding.severity",
    replace: 'finding.severity',
    tests: 'core/src/review/merge/place-findings',
  },
  {
    id: 'GRD-2',
    file: 'packages/core/src/review/merge/place-findings.ts',
    find: 'end_line - line + anchored',
    replace: 'end_line',
    tests: 'core/src/review/merge/place-findings',
  },
  {
    id: 'GRD-2',
    file: 'packages/core/src/review/merge/place-findings.ts',
    find: 'return { line: anchored, endLine',
    replace: 'return { line, endLine',
    tests: 'core/test/criticizer.test',
  },
  {
    id: 'GRD-2',
    file: 'packages/core/src/review/merge/merge-reviews.ts',
    find: 'comparePlaced(a.placed, b.placed)',
    replace:
      'comparePlaced({ ...a.placed, severity: a.finding.severity }, { ...b.placed, severity: b.finding.severity })',
    tests: 'core/src/review/merge/merge-reviews',
  },
  {
    id: 'GRD-2',
    file: 'packages/core/src/stages/review-mail-content.ts',
    find: 'compareSeverity(finding.severity, settings.severityFloor) <= 0',
    replace: 'compareSeverity(finding.model.severity, settings.severityFloor) <= 0',
    tests: 'core/src/stages/stored-review',
  },
  {
    id: 'GRD-2',
    file: 'packages/notify/src/rendering/review-verdict.ts',
    find: "place.status === 'unverified' ? [labels.placeUnverified] : []",
    replace: '[]',
    tests: 'notify/test/mail-composer-contract',
  },
  {
    id: 'GRD-1',
    file: 'packages/core/src/stages/review-chunk.ts',
    find: 'if (earlier.success && partsFor(earlier.data, plan).length > 0)',
    replace: 'if (earlier.success)',
    tests: 'core/test/resized-requests',
  },
];
