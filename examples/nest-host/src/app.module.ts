import type { JobEvent, Stores } from '@criticizer/core/queue';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { type DynamicModule, Inject, Injectable, Module } from '@nestjs/common';
import { QueueModule, QueueRunner, STORES } from './queue.module';
import { createReportKind } from './report.kind';

/** What this example lets its caller choose. */
export interface AppOptions {
  /** The SQLite file of the queue. */
  file: string;
  /** True: a report ends only when the worker aborts it. */
  isSlow: boolean;
  onRun(month: string): void;
  onEvent(event: JobEvent): void;
}

/** A service of the host that orders reports. */
@Injectable()
export class ReportService {
  @Inject(STORES) private readonly stores!: Stores<unknown>;
  @Inject(QueueRunner) private readonly runner!: QueueRunner;

  /** Orders the report of a month, once however often it is called. Gives the id of its job. */
  async order(month: string): Promise<string> {
    const job = { kind: 'report', stage: 'write', payload: { month }, idempotencyKey: `report:${month}` };
    const [enqueued] = await this.stores.jobs.enqueue([job]);
    if (enqueued === undefined) throw new Error('one job in, one result out');
    this.runner.wake();
    return enqueued.job.id;
  }
}

@Module({})
export class AppModule {
  static register(options: AppOptions): DynamicModule {
    const queue = QueueModule.forRootAsync({
      useFactory: async () => {
        const stores = createSqliteStores({ file: options.file });
        await stores.migrate(); // or in a deployment step of its own
        return {
          stores,
          kinds: [createReportKind(options)],
          redactText: () => '[withheld]', // of errors: they may name customers
          settings: { worker: { pollMinMs: 20, pollMaxMs: 200 } },
          graceMs: 0, // a report starts anew elsewhere; give a job that is nearly done some seconds
          onEvent: options.onEvent,
          close: () => stores.close(),
        };
      },
    });
    return { module: AppModule, imports: [queue], providers: [ReportService], exports: [ReportService] };
  }
}
