// What is used of the peers, so that the compiler needs none of them installed.
declare module 'graphile-worker' {
  export class Logger {
    constructor(factory: (scope: object) => (level: string, message: string) => void);
  }
  interface Shared {
    connectionString?: string;
    logger?: Logger;
    preset?: { worker: Record<string, unknown> };
  }
  interface WorkerUtils {
    migrate(): Promise<void>;
    addJob(identifier: string, payload: object): Promise<unknown>;
    addJobs(jobs: readonly { identifier: string; payload: object }[]): Promise<unknown>;
    release(): Promise<void>;
  }
  export function makeWorkerUtils(options: Shared): Promise<WorkerUtils>;
  export function run(
    options: Shared & {
      noHandleSignals?: boolean;
      crontab?: string;
      taskList: Record<string, (payload: unknown) => Promise<void>>;
    },
  ): Promise<{ stop(): Promise<void> }>;
}

declare module 'pg-boss' {
  export interface WorkOptions {
    batchSize?: number;
    localConcurrency?: number;
    burstWhenBatchFull?: boolean;
    pollingIntervalSeconds?: number;
  }
  export interface BossJob {
    id: string;
    retryCount: number;
    data: unknown;
  }
  export class PgBoss {
    constructor(options: {
      connectionString: string;
      max?: number;
      useListenNotify?: boolean;
      supervise?: boolean;
      schedule?: boolean;
    });
    on(event: 'error', listener: (error: Error) => void): this;
    start(): Promise<this>;
    stop(options?: { graceful?: boolean }): Promise<void>;
    createQueue(name: string, options?: { notify?: boolean; expireInSeconds?: number }): Promise<void>;
    insert(name: string, jobs: { data: object }[]): Promise<string[] | null>;
    send(name: string, data: object): Promise<string | null>;
    fetch(name: string, options?: { batchSize?: number }): Promise<BossJob[]>;
    complete(name: string, job: string | BossJob | BossJob[]): Promise<{ affected: number }>;
    supervise(name?: string): Promise<void>;
    work(name: string, options: WorkOptions, handler: (jobs: BossJob[]) => Promise<void>): Promise<string>;
    offWork(name: string): Promise<void>;
  }
}

declare module 'bullmq' {
  import type pg from 'pg';

  interface Options {
    connection: { connectionString: string; max?: number };
    defaultJobOptions?: { removeOnComplete?: boolean };
    concurrency?: number;
  }
  export const createPostgresBackend: unique symbol;
  export function runMigrations(client: pg.PoolClient): Promise<void>;
  export class Queue {
    constructor(name: string, options: Options, backend: typeof createPostgresBackend);
    on(event: 'error', listener: (error: Error) => void): this;
    waitUntilReady(): Promise<unknown>;
    add(name: string, data: object): Promise<unknown>;
    addBulk(jobs: { name: string; data: object }[]): Promise<unknown>;
    close(): Promise<void>;
  }
  export class Worker {
    constructor(
      name: string,
      handler: (job: { data: unknown }) => Promise<void>,
      options: Options,
      backend: typeof createPostgresBackend,
    );
    on(event: 'error', listener: (error: Error) => void): this;
    waitUntilReady(): Promise<unknown>;
    close(): Promise<void>;
  }
}

declare module 'better-sqlite3' {
  interface Database {
    pragma(text: string): unknown;
    close(): void;
  }
  const open: new (file: string) => Database;
  export default open;
}

declare module 'plainjob' {
  import type Database from 'better-sqlite3';
  export enum JobStatus {
    Pending = 0,
    Processing = 1,
  }
  interface Logger {
    error(message: string): void;
    warn(message: string): void;
    info(message: string): void;
    debug(message: string): void;
  }
  interface Connection {
    pragma(text: string): void;
  }
  interface Queue {
    add(type: string, data: object): { id: number };
    addMany(type: string, data: object[]): { ids: number[] };
    countJobs(options: { status: JobStatus }): number;
    getJobById(id: number): { status: number } | undefined;
    getAndMarkJobAsProcessing(type: string): { id: number } | undefined;
    requeueTimedOutJobs(timeout: number): void;
    markJobAsDone(id: number): void;
    close(): void;
  }
  export function better(database: InstanceType<typeof Database>): Connection;
  export function defineQueue(options: { connection: Connection; logger: Logger }): Queue;
  export function defineWorker(
    type: string,
    handler: (job: { data: string }) => void,
    options: { queue: Queue; pollIntervall: number; logger: Logger },
  ): { start(): Promise<void>; stop(): Promise<void> };
}

declare module 'liteque' {
  interface Client {
    session: { client: { pragma(text: string): unknown; close(): void } };
    transaction<T>(body: (db: Client) => Promise<T>): Promise<T>;
  }
  interface Job {
    id: number;
    allocationId: string;
  }
  export function buildDBClient(file: string, options: { runMigrations: boolean; walEnabled: boolean }): Client;
  export class SqliteQueue<T> {
    constructor(name: string, db: Client, options: { defaultJobArgs: { numRetries: number }; keepFailedJobs: boolean });
    enqueue(payload: T): Promise<unknown>;
    attemptDequeue(options: { timeoutSecs: number }): Promise<Job | null>;
    finalize(id: number, allocationId: string, status: 'completed'): Promise<void>;
    stats(): Promise<{ pending: number; pending_retry: number; running: number }>;
  }
  export class Runner<T> {
    constructor(
      queue: SqliteQueue<T>,
      funcs: { run(job: { data: T }): Promise<void> },
      options: { pollIntervalMs: number; timeoutSecs: number; concurrency: number },
    );
    run(): Promise<void>;
    stop(): void;
  }
}

declare module '@secretlint/core' {
  interface Source {
    filePath: string;
    content: string;
    ext: string;
    contentType: 'text';
  }
  interface Options {
    config: { rules: { id: string; rule: unknown; options: object }[] };
    noPhysicFilePath?: boolean;
  }
  export function lintSource(given: { source: Source; options: Options }): Promise<{ messages: unknown[] }>;
}

declare module '@secretlint/profiler' {
  export const secretLintProfiler: { setEnabled(enabled: boolean): void };
}

declare module '@secretlint/secretlint-rule-preset-recommend' {
  export const creator: unknown;
}

declare module 'fast-redact' {
  export default function fastRedact(options: { paths: string[] }): (value: object) => string;
}

declare module '@pinojs/redact' {
  export default function redact(options: { paths: string[] }): (value: object) => string;
}
