import type { Stores } from '../../stores.js';
import type { Runner } from '../runner.js';

/** One fresh, migrated, empty set of stores. */
export interface StoresUnderTest<Tx> {
  stores: Stores<Tx>;
  /** Moves the store's own clock forward (a test option of the store's constructor), so that no case sleeps. */
  clock: { advance(ms: number): void | Promise<void> };
  dispose(): Promise<void>;
}

/** What an author of stores gives the contract suites. Every case calls `create` once and `dispose` once. */
export interface StoresHarness<Tx> {
  create(): Promise<StoresUnderTest<Tx>>;
}

/** Declares one case on fresh stores. */
export type ContractCase<Tx> = (title: string, body: (given: StoresUnderTest<Tx>) => Promise<void>) => void;

/** The `it` of a suite: creates the stores, runs the body, disposes of them whatever happened. */
export function contractCases<Tx>(runner: Runner, harness: StoresHarness<Tx>): ContractCase<Tx> {
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
