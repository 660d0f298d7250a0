import { z } from 'zod';
import { count, minute, ms } from './bounds.js';

export const worker = z
  .strictObject({
    concurrency: count(1, 1_000, 4, 'Jobs at a time in this process.'),
    prefetch: count(
      0,
      1_000,
      0,
      'Jobs claimed beyond those that run, under leases of their own. For short jobs in great number; long ones would wait here while another process is idle.',
    ),
    leaseMs: ms(
      1_000,
      10 * minute,
      minute,
      'How long a claim lasts without a heartbeat; beats come every third of it (WQ-5).',
    ),
    pollMinMs: ms(10, minute, 250, 'First sleep after an empty claim (WQ-11).'),
    pollMaxMs: ms(
      10,
      10 * minute,
      1_000,
      'Longest sleep after empty claims; how late at most an idle worker takes up a job whose worker died, once its lease ran out.',
    ),
    shutdownGraceMs: ms(0, 10 * minute, 20_000, 'What a stop lets running jobs finish in; then they are given back.'),
    sweepEveryMs: ms(
      1_000,
      60 * minute,
      30_000,
      'How often expired leases and artifacts are swept, old jobs pruned and the clock skew measured.',
    ),
    statsEveryMs: z
      .number()
      .int()
      .min(1_000)
      .max(60 * minute)
      .nullable()
      .default(minute)
      .describe('How often the depth of the queue is measured for telemetry; null: never.'),
    maxRunning: z
      .number()
      .int()
      .min(1)
      .nullable()
      .default(null)
      .describe(
        'The global limit W on running jobs over all processes (WQ-10); null: none. Processes that disagree refuse to start.',
      ),
  })
  .prefault({})
  .describe('The worker of this process.');

export const retry = z
  .strictObject({
    maxAttemptsPerStage: count(1, 100, 5, 'Attempts a stage may start, the first included (ERR-5).'),
    maxLostLeases: count(1, 100, 3, 'Workers a stage may lose before the job is dead-lettered as WORKER_LOST.'),
    parkMs: ms(
      100,
      60 * minute,
      minute,
      'How long a parked stage (expired credential, kill switch) waits before it looks again, and the longest time between two looks at a Perforce server or a model provider that is out (INT-4).',
    ),
    outageAfter: z
      .number()
      .int()
      .min(1)
      .max(100)
      .nullable()
      .default(3)
      .describe(
        'Failures in a row of a Perforce server or a model provider, whatever the jobs, after which this process takes it for out and parks its work; one that cannot be reached at all counts at once. Keep it below maxAttemptsPerStage. null: never, each failure spends an attempt.',
      ),
    initialMs: ms(1, minute, 1_000, 'First back-off ceiling (ERR-2).'),
    multiplier: z.number().min(1).max(10).default(2).describe('Growth of the back-off ceiling per attempt (ERR-2).'),
    maxMs: ms(1, 60 * minute, minute, 'Largest back-off ceiling (ERR-2).'),
  })
  .prefault({})
  .describe('Retries of pipeline stages.');

export const clock = z
  .strictObject({
    skewBudgetMs: ms(1, minute, 2_000, 'Difference between host and store clock that is warned of (INV-7).'),
  })
  .prefault({})
  .describe('Time.');

export const telemetry = z
  .strictObject({
    oneTrace: z
      .boolean()
      .default(false)
      .describe(
        'true: the attempts and mails of a job are children of the span that stored it, in one trace from submit to mail however long it waits. false: each attempt has a trace of its own that links to that span, as the messaging conventions advise.',
      ),
  })
  .prefault({})
  .describe('Traces.');
