import type { ModelStore } from './model-store.js';
import type { P4SimulatorModel } from './simulator-model.js';

/** One command as it reaches the server. */
export interface ServerRequest {
  model: P4SimulatorModel;
  store: ModelStore;
  user: string;
  client: string;
  /** Tagged records, or formatted text. */
  tagged: boolean;
  /** Option letters, with their values where they take one. */
  options: ReadonlyMap<string, string>;
  operands: readonly string[];
  /** Notes what no contained client would do. */
  violate(what: string): void;
}
