import type { Fault } from './fault.js';

export const opsFaults: readonly Fault[] = [
  {
    id: 'OPS-2',
    file: 'packages/core/src/pipeline/job-runner.ts',
    find: 'const outcome = readStageOutcome(stage.name, returned);',
    replace: 'const outcome = returned;',
    tests: 'core/test/stage-outcome',
  },
  {
    id: 'OPS-2',
    file: 'packages/core/src/pipeline/settle-failure.ts',
    find: "  options.logger.error({ ...describeFailure(run, failure, sanitized), escalation }, 'a job became a dead letter');\n",
    replace: '',
    tests: 'core/test/dead-letter-lines',
  },
  {
    id: 'OPS-2',
    file: 'packages/queue-pg/src/pg-client.ts',
    find: 'setImmediate(() => giveUp(noAnswer(ms)))',
    replace: 'undefined',
    tests: 'queue-pg/test/half-open',
  },
  {
    id: 'OPS-2',
    file: 'packages/queue-pg/src/pg-client.ts',
    find: 'connectionTimeoutMillis: ms }',
    replace: 'connectionTimeoutMillis: 0 * ms }',
    tests: 'queue-pg/test/half-open',
  },
];
