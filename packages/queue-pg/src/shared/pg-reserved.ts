import { type HeldClient, onPool, takeClient } from './pg-client.js';
import type { PgPool, PgPreparing } from './pg-database.js';

/** Clients that sessions of these stores keep to themselves, by their pool. */
const reserved = new WeakMap<PgPool, number>();

/**
 * Counts one more client as kept, where the pool then still has one for everything else. Gives the
 * function that counts it out.
 */
export function reserveOne(pool: PgPool): (() => void) | undefined {
  const kept = reserved.get(pool) ?? 0;
  if (kept + 1 >= (pool.options?.max ?? 10)) return undefined;
  reserved.set(pool, kept + 1);
  let isKept = true;
  return () => {
    if (isKept) reserved.set(pool, (reserved.get(pool) ?? 1) - 1);
    isKept = false;
  };
}

/** A client that only heartbeats use, so that work that fills the pool cannot starve the leases it runs under. */
export interface HeartbeatClient {
  /**
   * Keeps a client until the function given is called. A pool that can spare none, or gives none in
   * time, is no failure: heartbeats share it.
   */
  hold(): Promise<() => Promise<void>>;
  /** One after the other on the client that is kept; on the pool where there is none. */
  run<T>(deadlineMs: number, body: (connection: PgPreparing) => Promise<T>): Promise<T>;
}

// long: the life of one connection, each step short
export function createHeartbeatClient(pool: PgPool, connectMs: number): HeartbeatClient {
  let holders = 0;
  let countOut: (() => void) | undefined;
  let held: HeldClient | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function drop(isFit: boolean): void {
    held?.giveBack(isFit);
    held = undefined;
  }

  /** The client that is kept; another where it broke. */
  async function take(ms: number): Promise<HeldClient> {
    if (held?.isBroken() === true) drop(false);
    held ??= await takeClient(pool, ms);
    return held;
  }

  async function runHeld<T>(deadlineMs: number, body: (connection: PgPreparing) => Promise<T>): Promise<T> {
    if (countOut === undefined) return onPool(pool, deadlineMs, body);
    const client = await take(deadlineMs);
    try {
      return await body(client.bounded(deadlineMs));
    } catch (error) {
      drop(false);
      throw error;
    }
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  }

  async function leave(): Promise<void> {
    if (--holders > 0) return;
    countOut?.();
    countOut = undefined;
    await inTurn(async () => drop(true));
  }

  return {
    async hold() {
      if (holders++ === 0) countOut = reserveOne(pool);
      if (countOut !== undefined) await inTurn(() => take(connectMs)).catch(() => undefined);
      let left: Promise<void> | undefined;
      return () => {
        left ??= leave();
        return left;
      };
    },
    run: (deadlineMs, body) =>
      countOut === undefined ? onPool(pool, deadlineMs, body) : inTurn(() => runHeld(deadlineMs, body)),
  };
}
