import type { Configured } from './measurement.ts';

/** One queue with one set of settings: a line of the table. */
export interface Contender extends Configured {
  /**
   * An instance with connections of its own on the database (PostgreSQL URL) or file (SQLite); its
   * tables are made where they are missing.
   */
  open(target: string): Promise<OpenQueue>;
}

export interface OpenQueue {
  /** Stores one job per number, by the library's call for many. Numbers are unique in a database. */
  enqueue(numbers: readonly number[]): Promise<void>;
  enqueueOne(number: number): Promise<void>;
  /** Starts a worker whose handler does nothing but call `ran`. */
  work(ran: (number: number) => void): Promise<{ stop(): Promise<void> }>;
  /** True once no job waits or runs: what was completed is committed. */
  isDrained(): Promise<boolean>;
  close(): Promise<void>;
}

export interface JobData {
  number: number;
}
