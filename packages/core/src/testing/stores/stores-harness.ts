import type { Stores } from '../../stores/stores.js';
import type { CaseOn } from '../support/contract-cases.js';

/** One fresh, migrated, empty set of stores. */
export interface StoresUnderTest<Tx> {
  stores: Stores<Tx>;
  /**
   * The same database through other connections, as a second process has it, by the same clock.
   * `dispose` closes it. Default: `stores` themselves.
   */
  another?(): Stores<Tx>;
  /** Moves the store's own clock forward (a test option of the store's constructor), so that no case sleeps. */
  clock: { advance(ms: number): void | Promise<void> };
  dispose(): Promise<void>;
}

/** What an author of stores gives the contract suites. Every case calls `create` once and `dispose` once. */
export interface StoresHarness<Tx> {
  create(): Promise<StoresUnderTest<Tx>>;
}

/** Declares one case on fresh stores. */
export type ContractCase<Tx> = CaseOn<StoresUnderTest<Tx>>;
