/** Tells this process's own workers that work may be due; other processes poll, or are told some other way. */
export interface WakeUps {
  wake(): void;
  /** Resolves, once the subscription stands, to the function that ends it. */
  subscribe(listener: () => void): Promise<() => Promise<void>>;
}

/** Wake-ups within one process: a listener is called soon after `wake`, never inside it. */
export function createWakeUps(): WakeUps {
  const listeners = new Set<{ call: () => void }>();
  return {
    wake() {
      for (const listener of listeners) queueMicrotask(() => listeners.has(listener) && listener.call());
    },
    async subscribe(call) {
      const listener = { call }; // the same function may subscribe twice
      listeners.add(listener);
      return async () => {
        listeners.delete(listener);
      };
    },
  };
}
