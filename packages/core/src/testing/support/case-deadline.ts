import assert from 'node:assert/strict';

/** How long a case waits for one call, where the harness does not say: less than test runners give a whole test. */
export const defaultDeadlineMs = 4_000;

/**
 * What `work` gives. Where it does not settle within `ms`, fails with what was expected, instead of
 * leaving that to the runner's timeout.
 */
export async function expectWithin<T>(ms: number, expected: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new assert.AssertionError({ message: `expected ${expected} within ${ms} ms` })),
      ms,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
