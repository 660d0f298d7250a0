// A worker process of the demo on PostgreSQL: reviews and delivers what the queue holds, until it
// is told to stop or the demo is gone. usage: forked with '{"directory": …, "schema": …, "p4": …,
// "model": …, "mail": …}', and DATABASE_URL in the environment
import { once } from 'node:events';
import type { JobEvent, Logger } from '@criticizer/core';
import { createReviewService, type ReviewServiceOptions } from '../review-service.js';
import { openQueue } from './demo-queue.js';

export type WorkerOptions = Pick<ReviewServiceOptions, 'directory' | 'p4' | 'model' | 'mail'> & { schema: string };
export type WorkerMessage =
  | { type: 'ready' }
  | { type: 'job'; event: JobEvent }
  | { type: 'trouble'; code: unknown; text: string };

const nothing = (): void => undefined;
const tell = (message: WorkerMessage): void =>
  void (process.connected && process.send?.(message, undefined, undefined, nothing));
const trouble = (fields: object, text: string): void =>
  tell({ type: 'trouble', code: 'code' in fields ? fields.code : undefined, text });
const logger: Logger = { debug: nothing, info: nothing, warn: trouble, error: trouble };
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, nothing); // Ctrl-C reaches us too; the demo says when to stop
const stopped = once(process, 'disconnect');

const { schema, ...options } = JSON.parse(process.argv[2] ?? '{}') as WorkerOptions;
const queue = openQueue(options.directory, { url: process.env['DATABASE_URL'] ?? '', schema });
const onEvent = (event: JobEvent): void => tell({ type: 'job', event });
// One at a time, so that the other process has its share.
const service = await createReviewService({ ...options, stores: queue.stores, concurrency: 1, onEvent, logger });
const started = once(process, 'message');
tell({ type: 'ready' });
if ((await Promise.race([started, stopped.then(() => null)])) !== null) await service.criticizer.start();
await stopped;
await service.close({ graceMs: 1_000 });
await queue.close();
