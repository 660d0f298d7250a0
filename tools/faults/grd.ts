import type { Fault } from './fault.js';

export const grdFaults: readonly Fault[] = [
  {
    id: 'GRD-1',
    file: 'packages/core/src/pipeline/chunk-question.ts',
    find: 'files: files.map(({ file, hunks }) => ({ file, hunks: [...hunks] })),',
    replace: 'files: files.slice(0, 1).map(({ file, hunks }) => ({ file, hunks: [...hunks] })),',
    tests: 'core/test/stored-replies',
  },
  {
    id: 'GRD-1',
    file: 'packages/core/src/pipeline/chunk-question.ts',
    find: '      model,\n      mode,',
    replace: '      mode,',
    tests: 'core/test/stored-replies',
  },
  {
    id: 'GRD-1',
    file: 'packages/core/src/pipeline/review-chunk.ts',
    find: "if (parsed.outcome === 'accepted') return { files: chunk.files, parsed, reviewer: stored.reviewer };",
    replace: 'return { files: chunk.files, parsed, reviewer: stored.reviewer };',
    tests: 'core/test/stored-replies',
  },
  {
    id: 'GRD-1',
    file: 'packages/core/src/pipeline/llm-stage.ts',
    find: "if (reply.outcome === 'rejected') return 'failed';",
    replace: "if (reply.outcome === 'rejected') return 'read';",
    tests: 'core/test/stored-replies',
  },
];
