import { createQueueWorker, type QueueWorker, type QueueWorkerOptions, type Stores } from '@criticizer/core/queue';
import {
  type DynamicModule,
  type FactoryProvider,
  Module,
  type ModuleMetadata,
  type OnApplicationShutdown,
} from '@nestjs/common';

/** What the module needs: the options of the worker, and how to close what the host opened. */
export interface QueueModuleOptions extends QueueWorkerOptions {
  /** From `createSqliteStores` or `createPostgresStores`. */
  stores: Stores<unknown>;
  /** How long a job may go on after SIGTERM, in milliseconds. Default: the setting `worker.shutdownGraceMs`. */
  graceMs?: number | undefined;
  /** Called once the worker has stopped: closes the stores, and a pool of the host's. */
  close(): Promise<void>;
}

/** How other parts of the application make the options: a config service, a pool. */
export interface QueueModuleAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  inject?: FactoryProvider['inject'];
  useFactory(...injected: never[]): QueueModuleOptions | Promise<QueueModuleOptions>;
}

const OPTIONS = Symbol('queue options');
/** Injects the `Stores`: a service calls `stores.jobs.enqueue`. */
export const STORES = Symbol('stores');

/** The worker of this process. */
export class QueueRunner implements OnApplicationShutdown {
  private readonly worker: QueueWorker;

  constructor(private readonly options: QueueModuleOptions) {
    const { close: _close, graceMs: _graceMs, ...worker } = options;
    this.worker = createQueueWorker(worker);
  }

  /**
   * Starts claiming. Call it after `app.enableShutdownHooks()`: before, SIGTERM ends the process at
   * once, and a job that already runs waits for the end of its lease.
   */
  start(): Promise<void> {
    return this.worker.start();
  }

  /** Claims at once: this process has just enqueued a job. */
  wake(): void {
    this.worker.wake();
  }

  /** Nest calls it on SIGTERM, where the host called `enableShutdownHooks`, and on `app.close()`. */
  async onApplicationShutdown(): Promise<void> {
    const { graceMs, close } = this.options;
    await this.worker.stop({ graceMs }); // gives running jobs back: no attempt is spent
    await close();
  }
}

/** Provides the stores and the worker of a queue to the whole application. */
@Module({})
export class QueueModule {
  static forRootAsync({ imports = [], inject = [], useFactory }: QueueModuleAsyncOptions): DynamicModule {
    return {
      module: QueueModule,
      global: true,
      imports,
      providers: [
        { provide: OPTIONS, inject, useFactory },
        { provide: STORES, inject: [OPTIONS], useFactory: (options: QueueModuleOptions) => options.stores },
        {
          provide: QueueRunner,
          inject: [OPTIONS],
          useFactory: (options: QueueModuleOptions) => new QueueRunner(options),
        },
      ],
      exports: [STORES, QueueRunner],
    };
  }
}
