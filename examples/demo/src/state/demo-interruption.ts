const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

export interface Interruption {
  /** Aborts at the first SIGINT or SIGTERM. A second one ends the process at once. */
  signal: AbortSignal;
  /** Null where no signal came. */
  exitCode(): number | null;
}

/** Ctrl-C and a polite kill let the demo put its things away. */
export function watchSignals(): Interruption {
  const controller = new AbortController();
  let code: number | null = null;
  const watched = Object.entries(exitCodes).map(([name, exitCode]) => {
    const listener = (): void => {
      for (const [other, remove] of watched) process.off(other, remove);
      code = exitCode;
      controller.abort();
    };
    process.once(name, listener);
    return [name, listener] as const;
  });
  return { signal: controller.signal, exitCode: () => code };
}
