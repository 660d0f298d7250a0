/** Lets callers in one after another, by topic: the server reads a topic anew at every save. */
export interface TopicTurns {
  /** Runs `act` when those before it in the topic have ended. Rejects with the abort's reason where that came first. */
  take<T>(topic: string, signal: AbortSignal, act: () => Promise<T>): Promise<T>;
}

export function createTopicTurns(): TopicTurns {
  const last = new Map<string, Promise<unknown>>();
  return {
    async take(topic, signal, act) {
      const before = last.get(topic) ?? Promise.resolve();
      const run = before.then(() => {
        signal.throwIfAborted();
        return act();
      });
      const ended = run.catch(() => undefined);
      last.set(topic, ended);
      try {
        return await run;
      } finally {
        if (last.get(topic) === ended) last.delete(topic);
      }
    },
  };
}
