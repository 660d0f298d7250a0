import type { StoreModule } from '@criticizer/core/ports';
import type { PgGate } from './pg-gate.js';

/** What every facet of one store shares. */
export interface PgFacet {
  storeId: string;
  /** False where the stores were made without the module notify: no table of mails is there. */
  hasMails: boolean;
  /** The modules that the stores were made with: tables of others need not be there. */
  modules: readonly StoreModule[];
  gate: PgGate;
  /** The part of an id that the process makes; the database puts its time in front. See `rowIdSql`. */
  idTail(): string;
}
