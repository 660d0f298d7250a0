import type { SqliteGate } from './sqlite-gate.js';

/** What every facet of one store shares. */
export interface SqliteFacet {
  storeId: string;
  gate: SqliteGate;
  /** Ids that sort in the order of making. */
  rowId(nowMs: number): string;
}
