import type { z } from 'zod';
import { checkFields, checkOptions, type OptionShape } from '../../foundation/check-options.js';
import { checkedElsewhere, observerShape, withMethods } from '../../foundation/option-checks.js';
import { describeIssues } from '../../foundation/schema-issues.js';
import { checkJson, checkOneOf } from '../../foundation/store-input.js';
import { systemClock } from '../../foundation/time/system-clock.js';
import type { EnqueueResult, JobStore, NewJob } from '../../stores/job-store.js';
import { noTelemetry, type Telemetry } from '../../telemetry/telemetry.js';
import type { JobKind, StageContext, StageOutcome } from '../run/stage.js';
import { checkKinds } from './check-kinds.js';
import { createTracedEnqueue } from './traced-enqueue.js';

/** A stage whose name is part of its type. */
export interface NamedStage<Payload, Name extends string> {
  name: Name;
  run(context: StageContext<Payload>): Promise<StageOutcome>;
}

/**
 * A `JobKind` whose name, payload and stages are part of its type. `Input` is what is enqueued,
 * `Payload` what its schema makes of it.
 */
export interface DefinedJobKind<Name extends string, Input, Payload, StageName extends string> {
  kind: Name;
  payload: z.ZodType<Payload, Input>;
  stages: readonly [NamedStage<Payload, StageName>, ...NamedStage<Payload, StageName>[]];
  deleteCompleted?: boolean | undefined;
}

/**
 * Gives a kind of job back as it is, with its name and its stages' names in its type, so that
 * `createJobQueue` can hold callers to them. Fits wherever a `JobKind` is asked for. Throws
 * `TypeError` for a kind that cannot run, as `createQueueWorker` does.
 */
export function defineJobKind<const Name extends string, Input, Payload, const StageName extends string>(
  kind: DefinedJobKind<Name, Input, Payload, StageName>,
): DefinedJobKind<Name, Input, Payload, StageName> {
  const kinds: readonly JobKind<Payload>[] = [kind];
  checkKinds('defineJobKind', kinds);
  return kind;
}

/** As much of a kind as typed jobs are made of. */
type KindLike = { kind: string; payload: z.ZodType; stages: readonly { name: string }[] };

/** A job of one of these kinds: the payload is the kind's, and so is the stage. */
export type TypedJob<Kind extends KindLike> = Kind extends KindLike
  ? Omit<NewJob, 'kind' | 'payload' | 'stage'> & {
      kind: Kind['kind'];
      payload: z.input<Kind['payload']>;
      /** Default: the kind's first. */
      stage?: Kind['stages'][number]['name'] | undefined;
    }
  : never;

/** Where jobs go, and the kinds that may be enqueued. */
export interface JobQueueOptions<Tx, Kind extends KindLike> {
  /** `Stores.jobs`. */
  jobs: Pick<JobStore<Tx>, 'enqueue'>;
  /** What may be enqueued here, each made by `defineJobKind`. */
  kinds: readonly Kind[];
  /** Receives a producer span for each call, whose `traceparent` the jobs keep. Default: none. */
  telemetry?: Telemetry | undefined;
}

/** The way in for jobs of known kinds. */
export interface JobQueue<Tx, Kind extends KindLike> {
  /**
   * As `JobStore.enqueue`, where a wrong kind, payload or stage does not compile. For callers
   * without types each is a `TypeError` that names the field and never its value, and nothing is
   * stored. What is stored is the payload as given: the worker reads it by the same schema.
   */
  enqueue(jobs: readonly TypedJob<Kind>[], options?: { tx?: Tx | undefined }): Promise<readonly EnqueueResult[]>;
}

const optionShape: OptionShape<JobQueueOptions<unknown, KindLike>> = {
  jobs: withMethods('enqueue'),
  kinds: checkedElsewhere,
  telemetry: observerShape.telemetry,
};

type AnyJob = Omit<NewJob, 'payload' | 'stage'> & { payload: unknown; stage?: string | undefined };

function checkJob(at: string, job: AnyJob, kinds: ReadonlyMap<string, KindLike>): NewJob {
  checkOneOf(`${at}.kind`, job?.kind, [...kinds.keys()]);
  const kind = kinds.get(job.kind);
  const names = (kind?.stages ?? []).map(({ name }) => name);
  const stage = job.stage ?? names[0] ?? '';
  checkOneOf(`${at}.stage`, stage, names);
  const { payload } = job;
  checkJson(`${at}.payload`, payload);
  const read = kind?.payload.safeParse(payload);
  if (read?.success !== true)
    throw new TypeError(
      `${at}.payload: expected a payload of "${job.kind}"; it does not fit: ${JSON.stringify(describeIssues(read?.error.issues))}`,
    );
  return { ...job, stage, payload };
}

/**
 * A queue for jobs of these kinds, over the stores' jobs: `enqueue` is typed by kind. Throws
 * `TypeError` for wrong options and for kinds that cannot run.
 */
export function createJobQueue<Tx, const Kind extends KindLike>(
  options: JobQueueOptions<Tx, Kind>,
): JobQueue<Tx, Kind> {
  checkOptions('createJobQueue', options, optionShape);
  const { jobs, kinds, telemetry = noTelemetry } = options;
  const enqueue = createTracedEnqueue({ jobs, telemetry, clock: systemClock });
  checkKinds('createJobQueue', kinds as readonly KindLike[] as readonly JobKind<unknown>[]);
  const byName = new Map<string, KindLike>(kinds.map((kind) => [kind.kind, kind]));
  return {
    async enqueue(list, enqueueing) {
      checkFields<NonNullable<typeof enqueueing>>('enqueue: options', enqueueing, { tx: checkedElsewhere });
      const checked = list.map((job, n) => checkJob(`jobs[${n}]`, job, byName));
      return enqueue('enqueue', checked, enqueueing?.tx);
    },
  };
}
