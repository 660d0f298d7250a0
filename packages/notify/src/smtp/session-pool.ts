import type { SmtpSession } from './smtp-session.js';

/** The connections of one mailer: reused, and never more than the server wants. */
export interface SessionPool {
  /**
   * A session that nobody else uses. Waits while as many are open as allowed. Rejects with the
   * signal's reason, with what `open` rejected with, or, where no session is open, with the failure
   * of the one that was being opened before it.
   */
  acquire(signal: AbortSignal): Promise<{ session: SmtpSession; isReused: boolean }>;
  /** Gives it to the next in line, keeps it, or ends it where it is unusable, enough are kept or the pool is closed. */
  release(session: SmtpSession): void;
  /** Ends what is idle; what is released later ends at once. */
  close(): void;
}

export interface SessionPoolOptions {
  open(signal: AbortSignal): Promise<SmtpSession>;
  /** True for a refusal that says: too many connections. */
  isTooMany(error: unknown): boolean;
  /** Connections open at a time, at most. */
  maxConnections: number;
  /** Connections kept for the next mail, and for how long. */
  idleConnections: number;
  idleMs: number;
}

interface Waiter {
  signal: AbortSignal;
  resolve(acquired: { session: SmtpSession; isReused: boolean }): void;
  reject(reason: unknown): void;
}

/** After this many mails over each connection one more is tried: the server may allow more again. */
const CALM_MAILS = 20;

// long: the moves of a session between idle, busy and gone, each short, over one pool
/**
 * Opens as many connections as there are mails to send, one at a time at first, doubling with those
 * that stand. A refusal for too many while others stand sets the limit to those; the mail waits for
 * one of them. Timers do not keep the process alive.
 */
export function createSessionPool(options: SessionPoolOptions): SessionPool {
  let idle: { session: SmtpSession; timer: NodeJS.Timeout }[] = [];
  let waiters: Waiter[] = [];
  let standing = 0;
  let opening = 0;
  let limit = options.maxConnections;
  let calm = 0;
  let isClosed = false;

  function end(session: SmtpSession): void {
    standing--;
    session.quit();
  }

  function takeIdle(): SmtpSession | undefined {
    for (;;) {
      const entry = idle.pop(); // the one used last is the most likely to be alive
      if (entry === undefined) return undefined;
      clearTimeout(entry.timer);
      if (entry.session.isUsable()) return entry.session;
      end(entry.session);
    }
  }

  /** The one that waits longest. An aborted one has left the queue. */
  const nextWaiter = (): Waiter | undefined => waiters.shift();

  function serveWaiters(): void {
    while (waiters.length > 0) {
      const kept = takeIdle();
      if (kept === undefined && (standing + opening >= limit || opening >= Math.max(1, standing))) return;
      const waiter = nextWaiter();
      if (kept !== undefined && waiter !== undefined) waiter.resolve({ session: kept, isReused: true });
      else if (kept !== undefined) keep(kept);
      else if (waiter !== undefined) void openFor(waiter);
    }
  }

  async function openFor(waiter: Waiter): Promise<void> {
    opening++;
    try {
      const session = await options.open(waiter.signal);
      opening--;
      standing++;
      waiter.resolve({ session, isReused: false });
    } catch (error) {
      opening--;
      onOpenFailed(waiter, error);
    }
    serveWaiters();
  }

  function onOpenFailed(waiter: Waiter, error: unknown): void {
    if (standing > 0 && options.isTooMany(error) && !waiter.signal.aborted) {
      limit = standing;
      calm = 0;
      waiters.unshift(waiter);
      return;
    }
    waiter.reject(error);
    // Nothing stands: whoever waits would meet the same, one timeout after the other.
    if (standing + opening > 0 || waiter.signal.aborted) return;
    for (const other of waiters) other.reject(error);
    waiters = [];
  }

  function release(session: SmtpSession): void {
    if (limit < options.maxConnections && ++calm >= CALM_MAILS * limit) {
      limit++;
      calm = 0;
    }
    const isWanted = session.isUsable() && standing <= limit && !isClosed;
    const waiter = isWanted ? nextWaiter() : undefined;
    if (waiter !== undefined) waiter.resolve({ session, isReused: true });
    else if (isWanted && idle.length < options.idleConnections) keep(session);
    else end(session);
    serveWaiters();
  }

  function keep(session: SmtpSession): void {
    const timer = setTimeout(() => {
      idle = idle.filter((entry) => entry.session !== session);
      end(session);
    }, options.idleMs);
    timer.unref();
    idle.push({ session, timer });
  }

  return {
    acquire(signal) {
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          waiters = waiters.filter((one) => one !== waiter);
          reject(signal.reason);
        };
        const settled = (): void => signal.removeEventListener('abort', onAbort);
        const waiter: Waiter = {
          signal,
          resolve: (acquired) => {
            settled();
            if (signal.aborted) release(acquired.session);
            resolve(acquired);
          },
          reject: (reason) => {
            settled();
            reject(reason);
          },
        };
        if (signal.aborted) return reject(signal.reason);
        signal.addEventListener('abort', onAbort, { once: true });
        waiters.push(waiter);
        serveWaiters();
      });
    },
    release,
    close() {
      isClosed = true;
      for (const { session, timer } of idle) {
        clearTimeout(timer);
        end(session);
      }
      idle = [];
    },
  };
}
