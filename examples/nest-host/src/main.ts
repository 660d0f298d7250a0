// A worker process: runs reports until SIGTERM. Arguments: the SQLite file, and `slow` for reports
// that end only when the worker aborts them.
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module';
import { QueueRunner } from './queue.module';

const [file = 'queue.sqlite', pace] = process.argv.slice(2);

async function main(): Promise<void> {
  const app = await NestFactory.createApplicationContext(
    AppModule.register({
      file,
      isSlow: pace === 'slow',
      onRun: (month) => void process.send?.({ running: month }),
      onEvent: (event) => void process.send?.({ event }),
    }),
    { logger: ['error', 'warn'] },
  );
  app.enableShutdownHooks();
  await app.get(QueueRunner).start();
}

void main();
