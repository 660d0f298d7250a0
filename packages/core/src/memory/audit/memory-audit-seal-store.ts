import { CriticizerError } from '../../foundation/errors.js';
import { pageLimit } from '../../foundation/store-input.js';
import type { AuditSeal, AuditSealLeaf, AuditSealStore, SealedEvent } from '../../stores/audit-seal-store.js';
import type { AuditEvent } from '../../stores/audit-store.js';
import { checkNewSeal, checkSealClaim } from '../../stores/input/new-audit-seal.js';
import type { MemoryDatabase, MemoryTables, MemoryTx } from '../shared/memory-database.js';

type Place = Pick<AuditEvent, 'id' | 'createdAt'>;

function comparePlaces(a: Place, b: Place): number {
  return a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function findUnsealed(tables: MemoryTables, limit: number, isWanted: (event: AuditEvent) => boolean): AuditEvent[] {
  const events = tables.auditEvents
    .rows()
    .filter((event) => isWanted(event) && tables.auditSealLeaves.get(event.id) === undefined);
  return structuredClone(events.sort(comparePlaces).slice(0, limit));
}

/** Seals are put in the order of their numbers, and none is ever removed. */
function readHead(tables: MemoryTables): AuditSeal | null {
  return structuredClone(tables.auditSeals.rows().at(-1) ?? null);
}

function append(tables: MemoryTables, seal: AuditSeal, leaves: readonly AuditSealLeaf[]): void {
  const isTaken = leaves.some(({ eventId }) => tables.auditSealLeaves.get(eventId) !== undefined);
  if (isTaken || tables.auditSeals.get(String(seal.seq)) !== undefined)
    throw new CriticizerError('AUDIT_SEAL_EXISTS', 'a seal of this number, or one over one of its events, exists', {
      category: 'conflict',
      details: { seq: seal.seq },
    });
  tables.auditSeals.put(String(seal.seq), structuredClone(seal));
  for (const leaf of leaves) tables.auditSealLeaves.put(leaf.eventId, structuredClone(leaf));
}

/** The seals of `createMemoryStores`. A transaction has the whole store, and so the chain, to itself. */
export function createMemoryAuditSealStore(database: MemoryDatabase): AuditSealStore<MemoryTx> {
  return {
    storeId: database.storeId,
    claim: (request, { tx }) =>
      database.read(tx, ({ tables, now }) => {
        checkSealClaim(request);
        const { limit, since } = request;
        const events = findUnsealed(tables, limit, ({ createdAt }) => since === null || createdAt >= since);
        return { head: readHead(tables), events, now };
      }),
    append: (seal, leaves, { tx }) =>
      database.write(tx, ({ tables }) => {
        checkNewSeal(seal, leaves);
        append(tables, seal, leaves);
      }),
    list: ({ after = 0, limit }) =>
      database.read(undefined, ({ tables }) => {
        const found = tables.auditSeals.rows().filter(({ seq }) => seq > after);
        return structuredClone(found.slice(0, pageLimit(limit)));
      }),
    head: () => database.read(undefined, ({ tables }) => readHead(tables)),
    listLeaves: (sealSeq) =>
      database.read(undefined, ({ tables }): SealedEvent[] => {
        const leaves = tables.auditSealLeaves.rows().filter((leaf) => leaf.sealSeq === sealSeq);
        leaves.sort((a, b) => a.leafIndex - b.leafIndex);
        return structuredClone(leaves.map((leaf) => ({ leaf, event: tables.auditEvents.get(leaf.eventId) ?? null })));
      }),
    listUnsealed: ({ after, limit }) =>
      database.read(undefined, ({ tables }) =>
        findUnsealed(tables, pageLimit(limit), (event) => after === undefined || comparePlaces(event, after) > 0),
      ),
  };
}
