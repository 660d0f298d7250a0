import type { JsonObject } from '../../foundation/json.js';
import type { Job, Outputs } from '../../stores/job.js';
import type { SettlementEffects } from '../../stores/job-store.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Span } from '../../telemetry/telemetry.js';
import { leaseLost } from '../lease/beats.js';
import { type JobRun, type JobRunnerOptions, throwIfLeaseLost } from './job-run.js';
import type { StageContext } from './stage.js';

/**
 * A class, so that its signal is made only where a stage asks for it; a getter in a literal costs
 * more than the rest of a short run.
 */
class RunContext implements StageContext<unknown> {
  readonly job: Job;
  readonly payload: unknown;
  readonly logger: Logger;
  readonly span: Span | undefined;
  // Fields, not methods: a stage takes them out of its context.
  readonly checkpoint: (effects: SettlementEffects) => Promise<void>;
  readonly outputs: () => Outputs;
  readonly report: (facts: JsonObject) => void;
  private readonly run: JobRun;

  constructor(run: JobRun, payload: unknown, { logger, leaseMs }: JobRunnerOptions, span: Span | undefined) {
    this.run = run;
    this.job = run.job;
    this.payload = payload;
    this.logger = logger;
    this.span = span;
    this.checkpoint = async (effects) => {
      throwIfLeaseLost(run);
      if ((await run.settle({ kind: 'checkpoint', leaseMs, effects })) !== 'settled') throw leaseLost();
      run.outputs = { ...run.outputs, ...effects.outputs };
    };
    this.outputs = () => run.outputs;
    this.report = (facts) => run.tell({ type: 'stage.reported', facts });
  }

  get signal(): AbortSignal {
    return this.run.hold.signal;
  }
}

/** What a stage's run is given. `span` is that of the run; undefined without telemetry. */
export function createStageContext(
  run: JobRun,
  payload: unknown,
  options: JobRunnerOptions,
  span?: Span,
): StageContext<unknown> {
  return new RunContext(run, payload, options, span);
}
