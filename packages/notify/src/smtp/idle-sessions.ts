import type { SmtpSession } from './smtp-session.js';

/** Connections waiting for the next mail. */
export interface IdleSessions {
  /** The one used last, which is the most likely to be alive. */
  take(): SmtpSession | undefined;
  /** Keeps it, or says goodbye where enough are kept or this is closed. */
  release(session: SmtpSession): void;
  /** Ends all; what is released later ends at once. */
  close(): void;
}

/** Timers do not keep the process alive. */
export function createIdleSessions(options: { max: number; idleMs: number }): IdleSessions {
  let kept: { session: SmtpSession; timer: NodeJS.Timeout }[] = [];
  let closed = false;

  function drop(session: SmtpSession): void {
    kept = kept.filter((entry) => entry.session !== session);
    session.quit();
  }

  return {
    take() {
      for (;;) {
        const entry = kept.pop();
        if (entry === undefined) return undefined;
        clearTimeout(entry.timer);
        if (entry.session.usable()) return entry.session;
      }
    },
    release(session) {
      if (closed || !session.usable() || kept.length >= options.max) return session.quit();
      const timer = setTimeout(() => drop(session), options.idleMs);
      timer.unref();
      kept.push({ session, timer });
    },
    close() {
      closed = true;
      for (const { session, timer } of kept) {
        clearTimeout(timer);
        session.quit();
      }
      kept = [];
    },
  };
}
