import 'reflect-metadata';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stores } from '@criticizer/core/queue';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { NestFactory } from '@nestjs/core';
import { AppModule, ReportService } from '../src/app.module';
import { QueueRunner, STORES } from '../src/queue.module';

const main = join(__dirname, '../src/main.js');

interface Message {
  running?: string;
  event?: { type: string };
}

/** Resolves at the first message that matches; rejects where the process ends before. */
function waitForMessage(child: ChildProcess, matches: (message: Message) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const listen = (message: unknown): void => {
      if (!matches(message as Message)) return;
      child.off('message', listen);
      resolve();
    };
    child.on('message', listen);
    child.once('exit', (code, signal) => reject(new Error(`the process ended with ${code ?? signal}`)));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

describe('a NestJS host over the queue', () => {
  let folder: string;
  let file: string;
  const children: ChildProcess[] = [];
  const start = (...args: string[]): ChildProcess => {
    const child = fork(main, [file, ...args]);
    children.push(child);
    return child;
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'crit-nest-'));
    file = join(folder, 'queue.sqlite');
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it('gives the job back on SIGTERM in mid-job, and spends no attempt', async () => {
    const stores = createSqliteStores({ file });
    try {
      await stores.migrate();
      const job = { kind: 'report', stage: 'write', payload: { month: '2026-11' }, idempotencyKey: 'report:2026-11' };
      const [enqueued] = await stores.jobs.enqueue([job]);
      const id = enqueued?.job.id ?? '';

      const first = start('slow');
      await waitForMessage(first, ({ running }) => running === '2026-11');
      await stop(first);
      const [given] = await stores.jobs.get([id]);
      expect([given?.status, given?.attempts]).toEqual(['queued', { write: 0 }]);

      const second = start();
      await waitForMessage(second, ({ event }) => event?.type === 'stage.ended');
      await stop(second);
      const [done] = await stores.jobs.get([id]);
      expect([done?.status, done?.attempts]).toEqual(['completed', { write: 1 }]);
    } finally {
      await stores.close();
    }
  });

  it('runs what a service orders, once, and app.close() leaves no handle', async () => {
    const runs: string[] = [];
    let onEnd: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      onEnd = resolve;
    });
    const options = {
      file,
      isSlow: false,
      onRun: (month: string) => void runs.push(month),
      onEvent: ({ type }: { type: string }) => void (type === 'stage.ended' && onEnd()),
    };
    const app = await NestFactory.createApplicationContext(AppModule.register(options), { logger: false });
    await app.get(QueueRunner).start();
    const reports = app.get(ReportService);
    const ids = [await reports.order('2026-10'), await reports.order('2026-10')];
    await ended;
    const [job] = await app.get<Stores<unknown>>(STORES).jobs.get(ids);
    await app.close();
    expect(new Set(ids).size).toBe(1);
    expect([runs, job?.status]).toEqual([['2026-10'], 'completed']);
  });
});
