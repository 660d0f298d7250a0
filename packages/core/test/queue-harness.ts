import { z } from 'zod';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import type { Logger } from '../src/telemetry/logger.js';
import { createMemoryTelemetry } from '../src/telemetry/memory-telemetry.js';
import { createManualClock } from '../src/testing/support/manual-clock.js';
import { createSeededRandom } from '../src/testing/support/seeded-random.js';
import type { JobKind } from '../src/worker/run/stage.js';
import { createQueueWorker, type QueueWorkerOptions } from '../src/worker/wiring/queue-worker.js';

export interface LogLine {
  level: 'info' | 'warn' | 'error';
  message: string;
  fields: Record<string, unknown>;
}

/** A stage that does as it is told; what plain JavaScript may return is not held to the types. */
export const stageOf = (
  name: string,
  run: (context: Parameters<JobKind<unknown>['stages'][0]['run']>[0]) => unknown,
) => ({
  name,
  run: run as JobKind<unknown>['stages'][0]['run'],
});

/** Stores in memory and workers on them, under one manual clock, with every log line kept. */
export function queueHarness() {
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  const telemetry = createMemoryTelemetry();
  const log: LogLine[] = [];
  const line =
    (level: LogLine['level']) =>
    (fields: object, message: string): void =>
      void log.push({ level, message, fields: fields as Record<string, unknown> });
  const logger: Logger = { debug: () => undefined, info: line('info'), warn: line('warn'), error: line('error') };
  return {
    clock,
    stores,
    telemetry,
    log,
    lines: (message: string) => log.filter((one) => one.message === message),
    worker: (kinds: readonly JobKind<unknown>[], more: Partial<QueueWorkerOptions> = {}) =>
      createQueueWorker({
        stores,
        kinds,
        redactText: String,
        clock,
        logger,
        telemetry,
        random: createSeededRandom(1),
        ...more,
      }),
    async enqueue(
      kind: string,
      payload: z.infer<typeof json> = null,
      stage = 'make',
      key = `${kind}:1`,
    ): Promise<string> {
      const [enqueued] = await stores.jobs.enqueue([{ kind, payload, stage, idempotencyKey: key }]);
      return enqueued?.job.id ?? '';
    },
    async job(id: string) {
      const [found] = await stores.jobs.get([id]);
      return found ?? undefined;
    },
  };
}

const json = z.json();
