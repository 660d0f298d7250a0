import type { Fault } from './fault.js';

export const opsFaults: readonly Fault[] = [
  {
    id: 'OPS-2',
    file: 'packages/core/src/pipeline/job-runner.ts',
    find: 'const outcome = readStageOutcome(stage.name, returned);',
    replace: 'const outcome = returned;',
    tests: 'core/test/stage-outcome',
  },
];
