import type { SqliteGate } from './sqlite-gate.js';

/** What every facet of one store shares. */
export interface SqliteFacet {
  storeId: string;
  /** False where the stores were made without the module notify: no table of mails need be there. */
  hasMails: boolean;
  gate: SqliteGate;
  /** Ids that sort in the order of making. */
  rowId(nowMs: number): string;
}
