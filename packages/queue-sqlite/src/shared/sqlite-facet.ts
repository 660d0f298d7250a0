import type { StoreModule } from '@criticizer/core/ports';
import type { SqliteGate } from './sqlite-gate.js';

/** What every facet of one store shares. */
export interface SqliteFacet {
  storeId: string;
  /** False where the stores were made without the module notify: no table of mails need be there. */
  hasMails: boolean;
  /** The modules that the stores were made with: tables of others need not be there. */
  modules: readonly StoreModule[];
  gate: SqliteGate;
  /** Ids that sort in the order of making. */
  rowId(nowMs: number): string;
}
