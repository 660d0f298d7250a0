/** Lets callers in one after another, by the group of what they send. */
export interface GroupTurns {
  /** Runs `act` when those before it in the group have ended. Rejects at once where an abort comes before its turn. */
  take<T>(group: string, signal: AbortSignal, act: () => Promise<T>): Promise<T>;
}

export function createGroupTurns(): GroupTurns {
  const last = new Map<string, Promise<unknown>>();
  return {
    async take(group, signal, act) {
      signal.throwIfAborted();
      let leave = (): void => {};
      const left = new Promise<never>((_, reject) => {
        leave = () => reject(signal.reason);
        signal.addEventListener('abort', leave, { once: true });
      });
      const before = last.get(group) ?? Promise.resolve();
      const run = before.then(() => {
        signal.throwIfAborted();
        // From here on the abort is the act's own.
        signal.removeEventListener('abort', leave);
        return act();
      });
      // Whoever left keeps its place, so that the next one still waits for those before.
      const end = (): void => {
        if (last.get(group) === ended) last.delete(group);
      };
      const ended: Promise<void> = run.then(end, end);
      last.set(group, ended);
      return Promise.race([run, left]);
    },
  };
}
