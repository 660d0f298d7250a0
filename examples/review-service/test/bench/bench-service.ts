import { randomBytes } from 'node:crypto';
import {
  createCriticizer,
  createEnvironmentSecrets,
  createMemoryMailer,
  type JobEvent,
  type Telemetry,
} from '@criticizer/core';
import { createLocalKeyRing } from '@criticizer/core/artifacts';
import type { Mailer } from '@criticizer/core/ports';
import { createReviewMailComposer } from '@criticizer/notify';
import { createRedactor } from '@criticizer/redact';
import { type ChangeShape, createBenchFetcher } from './bench-changes.js';
import type { BenchStores } from './bench-stores.js';
import { createInstantModel } from './instant-model.js';

/** One run: how many reviews, how many at a time. */
export interface RunOptions {
  reviews: number;
  atOnce: number;
  shape: ChangeShape;
  /**
   * Submits each change once the one before has ended, within the measured time. Default: all are
   * submitted before it begins. Even one at a time, a fetch then runs while the review before settles.
   */
  isOneByOne?: boolean | undefined;
  telemetry?: Telemetry | undefined;
  /** Receives how many reviews have ended, after each one. */
  onReview?: ((ended: number) => void) | undefined;
}

/** What a run took, from the start of the worker to the end of the last review. */
export interface RunCost {
  wallMs: number;
  /** Of this process: all its threads, and not the database server. */
  cpuMs: number;
}

/** The memory mailer without its memory: a service's mails are elsewhere once they are sent. */
function createForgettingMailer(): Mailer {
  const mailer = createMemoryMailer();
  return { ...mailer, send: (mail, context) => createMemoryMailer().send(mail, context) };
}

/** Counts reviews that ended well. */
function createProgress(onReview?: (ended: number) => void) {
  let count = 0;
  let awaited = 0;
  let settle = { resolve: (): void => undefined, reject: (_error: Error): void => undefined };
  const onEvent = (event: JobEvent): void => {
    if (event.type !== 'stage.ended' || event.outcome === 'next') return;
    if (event.outcome !== 'done' || event.stage !== 'notify')
      settle.reject(new Error(`a review ended as ${event.outcome} in ${event.stage} (${event.code ?? 'no code'})`));
    count += 1;
    onReview?.(count);
    if (count === awaited) settle.resolve();
  };
  /** Resolves once so many have ended; rejects at the first that ended otherwise. To be called before they start. */
  const until = (reviews: number): Promise<void> => {
    awaited = reviews;
    return new Promise((resolve, reject) => {
      settle = { resolve, reject };
    });
  };
  return { until, onEvent };
}

/**
 * Submits the changes, then starts the whole pipeline on them: every part is the real one but for
 * Perforce, model and mail server, which answer at once from this process. Rejects where a review
 * ends other than well.
 */
export async function reviewAll({ stores, artifacts }: BenchStores, options: RunOptions): Promise<RunCost> {
  const { reviews, atOnce, shape, isOneByOne = false, telemetry, onReview } = options;
  const progress = createProgress(onReview);
  const env = { ARTIFACT_KEY: randomBytes(32).toString('base64') };
  const criticizer = createCriticizer({
    stores,
    changes: createBenchFetcher(shape),
    redactor: createRedactor({ fingerprintKey: randomBytes(32) }),
    llm: createInstantModel(),
    mailer: createForgettingMailer(),
    composer: createReviewMailComposer({ from: { address: 'reviews@studio.example' }, host: 'studio.example' }),
    artifacts: {
      store: artifacts,
      keys: createLocalKeyRing({ source: createEnvironmentSecrets({ env }), name: 'ARTIFACT_KEY' }),
    },
    settings: {
      worker: { concurrency: atOnce, pollMinMs: 10, pollMaxMs: 100 },
      mail: { concurrency: atOnce },
      egress: { policy: [{ paths: ['//depot/game/...'], providers: ['instant'] }], mailDomains: ['studio.example'] },
    },
    telemetry,
    onEvent: progress.onEvent,
  });
  const submit = (number: number) => criticizer.submit({ serverId: 'main', number, reviewVersion: 1 });
  try {
    if (!isOneByOne) for (let number = 1; number <= reviews; number += 1) await submit(number);
    const from = { wall: performance.now(), cpu: process.cpuUsage() };
    const all = isOneByOne ? undefined : progress.until(reviews);
    await criticizer.start();
    await all;
    for (let number = 1; isOneByOne && number <= reviews; number += 1) {
      const one = progress.until(number);
      await submit(number);
      await one;
    }
    const { user, system } = process.cpuUsage(from.cpu);
    return { wallMs: performance.now() - from.wall, cpuMs: (user + system) / 1_000 };
  } finally {
    await criticizer.stop();
  }
}
