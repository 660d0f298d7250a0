import { createHash, randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { createWakeUps, type WakeUps } from '@criticizer/core/store-authors';
import type { PgClient, PgPool } from './pg-database.js';

/** Wake-ups of this process and, over LISTEN and NOTIFY, of the others on the same schema. Hints: polling finds what they miss. */
export interface PgWakeUps extends WakeUps {
  /**
   * The notification of an enqueue that comes after a quiet while, for its own statement to send: a job in an idle queue is not kept waiting for
   * one more round trip. Undefined where `wake` is to send it.
   */
  carried(): CarriedNotification | undefined;
  /** After an enqueue that carried its notification: wakes this process alone. */
  wakeHere(): void;
  /** Ends the listening session. */
  close(): Promise<void>;
}

/** The arguments of `pg_notify`. */
export interface CarriedNotification {
  channel: string;
  payload: string;
}

/** Notifications a store sends at most: each takes a lock that all notifying commits of the server share. */
const notifyEveryMs = 10;
const longestPauseMs = 10_000;
/** A start waits no longer for the first session: polling does without. */
const longestStartMs = 2_000;

const channelOf = (schema: string): string => `criticizer_${createHash('sha256').update(schema).digest('hex').slice(0, 16)}`;

interface Notifier {
  /** Sends at once, then at most every `notifyEveryMs`, the last one never lost. What fails is dropped: it was a hint. */
  send(): void;
  /** True where nothing was sent for `notifyEveryMs`. A commit that notifies holds the lock while it waits for the disk: only then may it. */
  mayCarry(): boolean;
}

function createNotifier(pool: PgPool, channel: string, sender: string): Notifier {
  let isPausing = false;
  let isWanted = false;
  let lastAt = Number.NEGATIVE_INFINITY;
  async function send(): Promise<void> {
    isPausing = true;
    do {
      isWanted = false;
      await pool.query('SELECT pg_notify($1, $2)', [channel, sender]).catch(() => undefined);
      await delay(notifyEveryMs, undefined, { ref: false });
    } while (isWanted);
    isPausing = false;
  }
  return {
    send() {
      lastAt = performance.now();
      isWanted = true;
      if (!isPausing) void send();
    },
    mayCarry() {
      const now = performance.now();
      const isQuiet = now - lastAt >= notifyEveryMs;
      lastAt = now;
      return isQuiet;
    },
  };
}

/** A client of the pool, or undefined once `signal` aborts; one that comes later goes back at once. */
async function connectUnless(pool: PgPool, signal: AbortSignal): Promise<PgClient | undefined> {
  const connecting = pool.connect();
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  const client = await Promise.race([connecting, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
  if (client === undefined)
    connecting.then(
      (late) => late.release(),
      () => undefined,
    );
  return client;
}

/** One session that listens as long as somebody is subscribed, and again after its connection broke. */
function createListener(pool: PgPool, channel: string, sender: string, wake: () => void) {
  let ending = new AbortController();
  let running: Promise<void> = Promise.resolve();

  /** Resolves when the connection breaks or `signal` aborts; `onListening` is called once the session stands. */
  async function listenOnce(signal: AbortSignal, onListening: () => void): Promise<void> {
    const client = await connectUnless(pool, signal);
    if (client === undefined) return;
    let broken: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      broken = resolve;
    });
    const onNotification = (message: { payload?: string | undefined }): void => {
      if (message.payload !== sender) wake();
    };
    client.on('error', broken);
    client.on('end', broken);
    client.on('notification', onNotification);
    signal.addEventListener('abort', broken, { once: true });
    if (signal.aborted) broken();
    try {
      const isListening = client.query(`LISTEN ${channel}`).then(() => true);
      isListening.catch(() => undefined); // told by whoever waits for it; after an abort nobody does
      if (await Promise.race([isListening, ended.then(() => false)])) onListening();
      if (!signal.aborted) await ended;
    } finally {
      signal.removeEventListener('abort', broken);
      client.removeListener('notification', onNotification);
      client.removeListener('end', broken);
      client.release(true); // thrown away: a session that listens must not go back to the pool
      client.removeListener('error', broken);
    }
  }

  async function listen(signal: AbortSignal, onFirstTry: () => void): Promise<void> {
    for (let pauseMs = 100; !signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const onListening = (): void => {
        pauseMs = 100;
        onFirstTry();
        wake(); // for what was missed
      };
      await listenOnce(signal, onListening).catch(() => undefined);
      onFirstTry();
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  return {
    /** Resolves after the first try, whether it stands or not. */
    start(): Promise<void> {
      ending = new AbortController();
      return new Promise((resolve) => {
        running = listen(ending.signal, resolve);
        void delay(longestStartMs, undefined, { ref: false }).then(resolve);
      });
    },
    async stop(): Promise<void> {
      ending.abort();
      await running;
    },
  };
}

/** Sessions that listen, by the pool they hold a client of. */
const listening = new WeakMap<PgPool, number>();

/** A pool must keep a client for everything else. */
const canSpareOne = (pool: PgPool): boolean => (listening.get(pool) ?? 0) + 1 < (pool.options?.max ?? 10);

const countListeners = (pool: PgPool, change: 1 | -1): void => void listening.set(pool, (listening.get(pool) ?? 0) + change);

/** `listen` is the pool of the listening session; false wakes this process alone. */
export function createPgWakeUps(pool: PgPool, schema: string, listen: PgPool | false): PgWakeUps {
  const local = createWakeUps();
  if (listen === false) return { ...local, carried: () => undefined, wakeHere: local.wake, close: async () => undefined };
  const [channel, sender] = [channelOf(schema), randomUUID()];
  const notifier = createNotifier(pool, channel, sender);
  const listener = createListener(listen, channel, sender, () => local.wake());
  let subscribers = 0;
  let started: Promise<void> | undefined;
  let isClosed = false;

  async function leave(): Promise<void> {
    subscribers--;
    if (subscribers > 0 || started === undefined) return;
    started = undefined;
    await listener.stop();
    countListeners(listen as PgPool, -1);
  }

  return {
    wake() {
      local.wake();
      if (!isClosed) notifier.send();
    },
    carried: () => (!isClosed && notifier.mayCarry() ? { channel, payload: sender } : undefined),
    wakeHere: () => local.wake(),
    async subscribe(call) {
      const end = await local.subscribe(call);
      if (isClosed || (started === undefined && !canSpareOne(listen))) return end;
      subscribers++;
      if (started === undefined) {
        countListeners(listen, 1);
        started = listener.start();
      }
      await started;
      let left: Promise<void> | undefined;
      return async () => {
        await end();
        left ??= leave();
        await left;
      };
    },
    async close() {
      isClosed = true;
      await listener.stop();
    },
  };
}
