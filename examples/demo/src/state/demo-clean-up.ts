/** Called with what undoes a step, right after the step. */
export type CleanUp = (undo: () => unknown) => void;

/**
 * Runs `work`, then undoes its steps, the last first, however it ended; one that fails does not
 * keep the others from it.
 */
export async function withCleanUp<T>(work: (cleanUp: CleanUp) => Promise<T>): Promise<T> {
  const undoes: (() => unknown)[] = [];
  try {
    return await work((undo) => void undoes.push(undo));
  } finally {
    for (const undo of undoes.reverse()) {
      try {
        await undo();
      } catch {
        // what ended the work says more, and work that went well stays well
      }
    }
  }
}
