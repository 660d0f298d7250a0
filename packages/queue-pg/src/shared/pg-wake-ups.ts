import { createHash, randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { createWakeUps, type WakeUps } from '@criticizer/core/internal';
import type { Logger } from '@criticizer/core/ports';
import { onPool, takeClient } from './pg-client.js';
import type { PgPool, PgPreparing } from './pg-database.js';
import { reserveOne } from './pg-reserved.js';

/**
 * Wake-ups of this process and, over LISTEN and NOTIFY, of the others on the same schema. Hints:
 * polling finds what they miss.
 */
export interface PgWakeUps extends WakeUps {
  /**
   * The notification of an enqueue that comes after a quiet while, for its own statement to send: a
   * job in an idle queue is not kept waiting for one more round trip. Undefined where `wake` is to
   * send it.
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

const channelOf = (schema: string): string =>
  `criticizer_${createHash('sha256').update(schema).digest('hex').slice(0, 16)}`;

interface Notifier {
  /**
   * Sends at once, then at most every `notifyEveryMs`, the last one never lost. What fails is
   * dropped: it was a hint.
   */
  send(): void;
  /**
   * True where nothing was sent for `notifyEveryMs`. A commit that notifies holds the lock while it
   * waits for the disk: only then may it.
   */
  mayCarry(): boolean;
}

function createNotifier(pool: PgPool, channel: string, sender: string, deadlineMs: number): Notifier {
  let isPausing = false;
  let isWanted = false;
  let lastAt = Number.NEGATIVE_INFINITY;
  async function send(): Promise<void> {
    isPausing = true;
    do {
      isWanted = false;
      const notify = (connection: PgPreparing) => connection.query('SELECT pg_notify($1, $2)', [channel, sender]);
      await onPool(pool, deadlineMs, notify).catch(() => undefined);
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

/**
 * How often a session that listens is asked whether it still answers: one whose connection is half
 * open would never be told of anything.
 */
const defaultProbeEveryMs = 30_000;

// long: the life of one listening session, each step short
/**
 * One session that listens as long as somebody is subscribed, and again after its connection broke
 * or no longer answered.
 */
function createListener(pool: PgPool, channel: string, sender: string, wake: () => void, options: PgWakeUpOptions) {
  const { deadlineMs, probeEveryMs = defaultProbeEveryMs, logger } = options;
  let ending = new AbortController();
  let running: Promise<void> = Promise.resolve();

  /**
   * Resolves when the connection breaks or no longer answers, or `signal` aborts; `onListening` is
   * called once the session stands.
   */
  async function listenOnce(signal: AbortSignal, onListening: () => void): Promise<void> {
    const held = await takeClient(pool, deadlineMs);
    const ended = new AbortController();
    const end = (): void => ended.abort();
    const onNotification = (message: { payload?: string | undefined }): void => {
      if (message.payload !== sender) wake();
    };
    held.client.on('error', end);
    held.client.on('end', end);
    held.client.on('notification', onNotification);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    const connection = held.bounded(deadlineMs);
    const answers = (sql: string): Promise<boolean> =>
      Promise.race([
        connection.query(sql).then(
          () => true,
          () => false,
        ),
        new Promise<boolean>((resolve) => ended.signal.addEventListener('abort', () => resolve(false), { once: true })),
      ]);
    try {
      if (ended.signal.aborted || !(await answers(`LISTEN ${channel}`))) return;
      onListening();
      do await delay(probeEveryMs, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
      while (!ended.signal.aborted && (await answers('SELECT 1')));
    } finally {
      signal.removeEventListener('abort', end);
      held.client.removeListener('notification', onNotification);
      held.client.removeListener('end', end);
      held.giveBack(false); // destroyed: a session that listens must not go back to the pool
      held.client.removeListener('error', end);
    }
  }

  async function listen(signal: AbortSignal, onFirstTry: () => void): Promise<void> {
    let isLost = false;
    for (let pauseMs = 100; !signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const onListening = (): void => {
        pauseMs = 100;
        if (isLost) logger.info({ event: 'pg.listen_restored', channel }, 'LISTEN stands again');
        isLost = false;
        onFirstTry();
        wake(); // for what was missed
      };
      await listenOnce(signal, onListening).catch(() => undefined);
      onFirstTry();
      if (!signal.aborted && !isLost)
        logger.warn(
          { event: 'pg.listen_lost', channel },
          'the session that listens was lost: until another stands, polling finds what is due',
        );
      isLost = true;
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  return {
    /** Resolves after the first connection attempt, successful or not. */
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

export interface PgWakeUpOptions {
  /** The pool of the listening session; false wakes this process alone. */
  listen: PgPool | false;
  deadlineMs: number;
  /** How often a session that listens is asked whether it still answers. */
  probeEveryMs?: number | undefined;
  logger: Logger;
}

// long: the verbs of the port, each short, over one subscription
export function createPgWakeUps(pool: PgPool, schema: string, options: PgWakeUpOptions): PgWakeUps {
  const { listen, deadlineMs } = options;
  const local = createWakeUps();
  if (listen === false)
    return { ...local, carried: () => undefined, wakeHere: local.wake, close: async () => undefined };
  const [channel, sender] = [channelOf(schema), randomUUID()];
  const notifier = createNotifier(pool, channel, sender, deadlineMs);
  const listener = createListener(listen, channel, sender, () => local.wake(), options);
  let subscribers = 0;
  let started: Promise<void> | undefined;
  let countOut: (() => void) | undefined;
  let isClosed = false;

  async function leave(): Promise<void> {
    subscribers--;
    if (subscribers > 0 || started === undefined) return;
    started = undefined;
    await listener.stop();
    countOut?.();
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
      if (isClosed) return end;
      if (started === undefined) {
        countOut = reserveOne(listen);
        if (countOut === undefined) return end;
        started = listener.start();
      }
      subscribers++;
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
