import { checkActor, nameActor } from '../../foundation/actor.js';
import { checkNewSuppression } from '../../stores/input/new-suppression.js';
import {
  mostSuppressions,
  type NewSuppression,
  type Suppression,
  type SuppressionAdded,
  type SuppressionStore,
} from '../../stores/suppression-store.js';
import type { MemoryDatabase, MemorySession, MemoryTx } from '../shared/memory-database.js';
import { pageOfRows } from '../shared/memory-pages.js';

function isInForce({ expiresAt, withdrawnAt }: Suppression, now: Date): boolean {
  return withdrawnAt === null && (expiresAt === null || expiresAt > now);
}

/** The change of a suppression of one finding; null: of a rule. */
const changeOf = ({ scope }: Pick<Suppression, 'scope'>): string | null =>
  scope.kind === 'finding' ? scope.changelistId : null;

const idOf = ({ scope }: Pick<Suppression, 'scope'>): string | null =>
  scope.kind === 'finding' ? scope.findingId : null;

function add({ tables, now, newId }: MemorySession, given: NewSuppression): SuppressionAdded {
  const { scope, disposition, reason, actor, expiresInMs } = structuredClone(given);
  const alike = tables.suppressions.rows().filter((row) => isInForce(row, now) && changeOf(row) === changeOf(given));
  const same = alike.find((row) => scope.kind === 'finding' && idOf(row) === scope.findingId);
  if (same !== undefined) return { outcome: 'exists', suppression: structuredClone(same) };
  if (alike.length >= mostSuppressions) return { outcome: 'full', suppression: null };
  const suppression: Suppression = {
    id: newId(),
    scope,
    disposition,
    reason,
    actor: nameActor(actor),
    createdAt: now,
    expiresAt: expiresInMs === null ? null : new Date(now.getTime() + Math.round(expiresInMs)),
    withdrawnAt: null,
    withdrawnBy: null,
  };
  tables.suppressions.put(suppression.id, suppression);
  return { outcome: 'added', suppression: structuredClone(suppression) };
}

/** Suppressions of `createMemoryStores` (GRD-8). */
export function createMemorySuppressionStore(database: MemoryDatabase): SuppressionStore<MemoryTx> {
  return {
    storeId: database.storeId,
    add: (suppression, options) =>
      database.write(options?.tx, (session) => {
        checkNewSuppression(suppression);
        return add(session, suppression);
      }),
    get: (id) => database.read(undefined, ({ tables }) => structuredClone(tables.suppressions.get(id) ?? null)),
    list: (filter) =>
      database.read(undefined, ({ tables, now }) => {
        const { changelistId, kind, inForce } = filter;
        return pageOfRows(
          tables.suppressions.rows(),
          filter,
          (row) =>
            (changelistId === undefined || changeOf(row) === changelistId) &&
            (kind ?? row.scope.kind) === row.scope.kind &&
            (inForce !== true || isInForce(row, now)),
        );
      }),
    listInForce: (changelistId) =>
      database.read(undefined, ({ tables, now }) =>
        structuredClone(
          tables.suppressions
            .rows()
            .filter((row) => isInForce(row, now) && (changeOf(row) ?? changelistId) === changelistId),
        ),
      ),
    withdraw: (id, actor, options) =>
      database.write(options?.tx, ({ tables, now }) => {
        checkActor('actor', actor);
        const row = tables.suppressions.get(id);
        if (row === undefined) return 'not-found';
        if (!isInForce(row, now)) return 'ended';
        tables.suppressions.put(id, { ...row, withdrawnAt: now, withdrawnBy: nameActor(actor) });
        return 'withdrawn';
      }),
  };
}
