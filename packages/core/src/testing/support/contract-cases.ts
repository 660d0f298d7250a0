import type { Runner } from './runner.js';

/** Declares one case on what the harness has made afresh. */
export type CaseOn<Given> = (title: string, body: (given: Given) => Promise<void>) => void;

/** The `it` of a suite: creates what is tested, runs the body, disposes of it whatever happened. */
export function contractCases<Given extends { dispose(): Promise<void> }>(
  runner: Runner,
  harness: { create(): Promise<Given> },
): CaseOn<Given> {
  return (title, body) => {
    runner.it(title, async () => {
      const given = await harness.create();
      try {
        await body(given);
      } finally {
        await given.dispose();
      }
    });
  };
}
