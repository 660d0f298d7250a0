/** Lets callers in one after another, by topic: the server reads the topic again at every save. */
export interface TopicTurns {
  /** Runs `act` when those before it in the topic have ended. Rejects at once where an abort comes before its turn. */
  take<T>(topic: string, signal: AbortSignal, act: () => Promise<T>): Promise<T>;
}

export function createTopicTurns(): TopicTurns {
  const last = new Map<string, Promise<unknown>>();
  return {
    async take(topic, signal, act) {
      signal.throwIfAborted();
      let leave = (): void => {};
      const left = new Promise<never>((_, reject) => {
        leave = () => reject(signal.reason);
        signal.addEventListener('abort', leave, { once: true });
      });
      const before = last.get(topic) ?? Promise.resolve();
      const run = before.then(() => {
        signal.throwIfAborted();
        // From here on the abort is the act's own.
        signal.removeEventListener('abort', leave);
        return act();
      });
      // Whoever left keeps its place, so that the next one still waits for those before.
      const end = (): void => {
        if (last.get(topic) === ended) last.delete(topic);
      };
      const ended: Promise<void> = run.then(end, end);
      last.set(topic, ended);
      return Promise.race([run, left]);
    },
  };
}
