import { CriticizerError } from '../../foundation/errors.js';
import { checkMs, checkOneOf, checkWhole } from '../../foundation/store-input.js';
import type {
  ArtifactManifest,
  ArtifactNamespace,
  ArtifactRow,
  ArtifactSweepClaim,
  NewArtifact,
  StoredObject,
} from '../../stores/artifact-manifest.js';
import { checkNewArtifact } from '../../stores/input/new-artifact.js';
import { checkLeaseRequest } from '../../stores/input/new-job.js';
import { deriveKeyTag } from '../../stores/key-tag.js';
import { isChangeHeld } from '../jobs/memory-change-store.js';
import type { MemoryDatabase, MemoryRows, MemorySession, MemoryTx } from '../shared/memory-database.js';
import { isHeld, isHolder, leaseFrom } from '../shared/memory-lease.js';
import { pageOfList } from '../shared/memory-pages.js';

function reserveOne(session: MemorySession, { ttlMs, ...artifact }: NewArtifact): ArtifactRow {
  const { tables, now } = session;
  if (tables.artifacts.get(artifact.id) !== undefined) {
    throw new CriticizerError('ARTIFACT_RESERVED', 'an artifact of this id exists', {
      category: 'conflict',
      details: { id: artifact.id },
    });
  }
  const expiresAt = new Date(now.getTime() + ttlMs);
  const row: ArtifactRow = {
    ...structuredClone(artifact),
    status: 'pending',
    createdAt: now,
    expiresAt,
    deletedAt: null,
    deletionVerifiedAt: null,
    isExpired: false,
  };
  tables.artifacts.put(row.id, { row, lease: null });
  return structuredClone(row);
}

/** A copy of a row as it is read now. */
function readIn(session: MemorySession, row: ArtifactRow): ArtifactRow {
  const isExpired = row.expiresAt <= session.now && !isChangeHeld(session, row.changelistId);
  return { ...structuredClone(row), isExpired };
}

/**
 * `pending` to `live`; a live one stays so. Of one job alone when `jobId` is given. Throws
 * `ARTIFACT_NOT_PENDING` for one that is unknown, deleted, another job's, or pending in the hands
 * of a sweeper: its bytes may be gone already (ART-7).
 */
export function publishArtifacts(session: MemorySession, ids: readonly string[], jobId: string | null): void {
  for (const id of ids) {
    const found = session.tables.artifacts.get(id);
    const held = jobId === null || found?.row.jobId === jobId ? found : undefined;
    // A sweeper that lost its lease may still be deleting the bytes: who swept a row once has it.
    const isSwept = held !== undefined && held.lease !== null;
    if (held?.row.status === 'live' && !isSwept) continue;
    if (held === undefined || held.row.status !== 'pending' || isSwept) {
      throw new CriticizerError(
        'ARTIFACT_NOT_PENDING',
        'An artifact to publish is not pending: swept, unknown, or of another job.',
        {
          category: 'conflict',
          details: { artifactId: id },
        },
      );
    }
    session.tables.artifacts.put(id, { row: { ...held.row, status: 'live' }, lease: null });
  }
}

function isDue(
  session: MemorySession,
  { row, lease }: MemoryRows['artifacts'],
  { orphanMs, changelistId }: ArtifactSweepClaim,
): boolean {
  const { now } = session;
  if (row.status === 'deleted' || isHeld(lease, now) || isChangeHeld(session, row.changelistId)) return false;
  if (changelistId !== undefined) return row.changelistId === changelistId;
  return row.expiresAt <= now || (row.status === 'pending' && now.getTime() - row.createdAt.getTime() > orphanMs);
}

function claimDue(session: MemorySession, request: ArtifactSweepClaim): ArtifactRow[] {
  const due = session.tables.artifacts.rows().filter((held) => isDue(session, held, request));
  return due.slice(0, request.limit).map(({ row }) => {
    session.tables.artifacts.put(row.id, { row, lease: leaseFrom(session.now, request) });
    return readIn(session, row);
  });
}

function inDeletionOrder(a: Pick<ArtifactRow, 'id' | 'deletedAt'>, b: Pick<ArtifactRow, 'id' | 'deletedAt'>): number {
  return (a.deletedAt?.getTime() ?? 0) - (b.deletedAt?.getTime() ?? 0) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function findUnknown(
  { tables, now }: MemorySession,
  namespace: ArtifactNamespace,
  objects: readonly StoredObject[],
  olderThanMs: number,
): string[] {
  const known = new Set<string>();
  for (const { row } of tables.artifacts.rows()) if (row.namespace === namespace) known.add(row.storageKey);
  return objects
    .filter(({ key, writtenAt }) => now.getTime() - writtenAt.getTime() > olderThanMs && !known.has(key))
    .map(({ key }) => key);
}

// long: the verbs of the facet, one after the other
/** The artifact ledger of `createMemoryStores`. Rows given out are copies. */
export function createMemoryArtifactManifest(database: MemoryDatabase): ArtifactManifest<MemoryTx> {
  const rows = (session: MemorySession): ArtifactRow[] =>
    session.tables.artifacts.rows().map(({ row }) => readIn(session, row));
  return {
    storeId: database.storeId,
    reserve: (artifacts, options) =>
      database.write(options?.tx, (session) => {
        for (const [n, artifact] of artifacts.entries()) checkNewArtifact(artifact, `artifacts[${n}]`);
        return artifacts.map((artifact) => reserveOne(session, artifact));
      }),
    publish: (ids, options) => database.write(options?.tx, (session) => publishArtifacts(session, ids, null)),
    get: (ids) =>
      database.read(undefined, (session) =>
        ids.map((id) => {
          const row = session.tables.artifacts.get(id)?.row;
          return row === undefined ? null : readIn(session, row);
        }),
      ),
    list: (filter) =>
      database.read(undefined, (session) => {
        const newest = rows(session).sort(
          (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1),
        );
        const { changelistId } = filter;
        return pageOfList(
          newest,
          filter,
          (row) => row.createdAt,
          (row) => (changelistId ?? row.changelistId) === row.changelistId && row.status !== 'deleted',
        );
      }),
    claimExpired: (request) =>
      database.write(undefined, (session) => {
        checkLeaseRequest(request);
        checkMs('request.orphanMs', request.orphanMs);
        return claimDue(session, request);
      }),
    heartbeat: (leases, leaseMs) =>
      database.write(undefined, (session) => {
        checkMs('leaseMs', leaseMs, 1);
        return leases.map(({ artifactId, ...fence }) => {
          const held = session.tables.artifacts.get(artifactId);
          if (held === undefined || held.row.status === 'deleted' || !isHolder(held.lease, fence)) return 'lease-lost';
          if (isChangeHeld(session, held.row.changelistId)) return 'lease-lost';
          session.tables.artifacts.put(artifactId, { ...held, lease: leaseFrom(session.now, { ...fence, leaseMs }) });
          return 'renewed';
        });
      }),
    expire: (ids, options) =>
      database.write(options?.tx, (session) => {
        let count = 0;
        for (const id of new Set(ids)) {
          const held = session.tables.artifacts.get(id);
          if (held === undefined || held.row.status === 'deleted') continue;
          const expiresAt = new Date(Math.min(held.row.expiresAt.getTime(), session.now.getTime()));
          session.tables.artifacts.put(id, { ...held, row: { ...held.row, expiresAt } });
          count += 1;
        }
        return count;
      }),
    markDeleted: (ids, fence) =>
      database.write(undefined, (session) => {
        let count = 0;
        for (const id of ids) {
          const held = session.tables.artifacts.get(id);
          if (held === undefined || held.row.status === 'deleted' || !isHolder(held.lease, fence)) continue;
          const row: ArtifactRow = { ...held.row, status: 'deleted', wrappedKey: '', deletedAt: session.now };
          session.tables.artifacts.put(id, { row, lease: null });
          count += 1;
        }
        return count;
      }),
    listUnverified: (limit, after) =>
      database.read(undefined, (session) => {
        checkWhole('limit', limit, 1);
        const found = rows(session).filter((row) => row.status === 'deleted' && row.deletionVerifiedAt === null);
        found.sort(inDeletionOrder);
        const rest = after === undefined ? found : found.filter((row) => inDeletionOrder(row, after) > 0);
        return rest.slice(0, limit);
      }),
    verified: (ids) =>
      database.write(undefined, (session) => {
        for (const id of ids) {
          const held = session.tables.artifacts.get(id);
          if (held?.row.status !== 'deleted') continue;
          session.tables.artifacts.put(id, { ...held, row: { ...held.row, deletionVerifiedAt: session.now } });
        }
      }),
    keyTag: async () => deriveKeyTag(database.storeId),
    findUnknown: (namespace, objects, olderThanMs) =>
      database.read(undefined, (session) => {
        checkOneOf('namespace', namespace, ['raw', 'redacted']);
        checkMs('olderThanMs', olderThanMs);
        return findUnknown(session, namespace, objects, olderThanMs);
      }),
    countExpired: () =>
      database.read(undefined, (session) => {
        const counts: Record<ArtifactNamespace, number> = { raw: 0, redacted: 0 };
        for (const row of rows(session))
          if (row.status !== 'deleted' && row.expiresAt <= session.now) counts[row.namespace] += 1;
        return counts;
      }),
  };
}
