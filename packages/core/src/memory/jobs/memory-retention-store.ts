import { checkWhole } from '../../foundation/store-input.js';
import { isClosed } from '../../stores/job-transitions.js';
import {
  checkRetention,
  mostExpired,
  type RetainedTable,
  type RetentionRequest,
  type RetentionStore,
} from '../../stores/retention-store.js';
import type { MemoryDatabase, MemorySession } from '../shared/memory-database.js';
import { isChangeHeld } from './memory-change-store.js';
import { expiredJobs, pruneJobs } from './memory-prune-jobs.js';

/** Removes one row. */
type Removal = () => void;

/** What is past its age in each table: how to remove each row. */
const expired: Readonly<Record<RetainedTable, (session: MemorySession, request: RetentionRequest) => Removal[]>> = {
  jobs: (session, { olderThanMs }) => expiredJobs(session, olderThanMs).map((job) => () => pruneJobs(session, [job])),
  mails(session, request) {
    const { tables } = session;
    const letters = tables.deadLetters.rows().filter(({ status }) => !isClosed(status));
    const needed = new Set(letters.map(({ jobId }) => jobId));
    return tables.outbox.rows().flatMap(({ row }) => {
      const isOpen = row.status === 'pending' || row.status === 'sending';
      const hasJob = row.jobId !== null && (tables.jobs.get(row.jobId) !== undefined || needed.has(row.jobId));
      if (isOpen || hasJob || !isOld(session, row.createdAt, request) || isChangeHeld(session, row.changelistId))
        return [];
      return () => {
        tables.outbox.remove(row.id);
        tables.outboxKeys.remove(JSON.stringify([row.changelistId, row.recipientKey, row.reviewVersion]));
      };
    });
  },
  dead_letters: (session, request) =>
    session.tables.deadLetters.rows().flatMap((letter) => {
      if (!isClosed(letter.status) || !isOld(session, letter.updatedAt, request)) return [];
      return isChangeHeld(session, letter.changelistId) ? [] : () => session.tables.deadLetters.remove(letter.id);
    }),
  egress_log: (session, request) =>
    session.tables.egress
      .rows()
      .filter((record) => isOld(session, record.recordedAt, request) && !isChangeHeld(session, record.changelistId))
      .map(
        ({ id }) =>
          () =>
            session.tables.egress.remove(id),
      ),
  samples: (session, request) =>
    [...session.tables.samples.entries()]
      .filter(([, { window }]) => isOld(session, window.bucket, request))
      .map(
        ([key]) =>
          () =>
            session.tables.samples.remove(key),
      ),
  documents: (session, request) =>
    [...session.tables.documents.entries()]
      .filter(([name, { updatedAt }]) => name.startsWith(request.prefix ?? name) && isOld(session, updatedAt, request))
      .map(
        ([name]) =>
          () =>
            session.tables.documents.remove(name),
      ),
  cursors: (session, request) =>
    [...session.tables.cursors.entries()]
      .filter(([, { updatedAt }]) => isOld(session, updatedAt, request))
      .map(
        ([name]) =>
          () =>
            session.tables.cursors.remove(name),
      ),
  artifact_rows: (session, request) =>
    session.tables.artifacts
      .rows()
      .filter(({ row }) => isOld(session, row.deletionVerifiedAt, request) && !isChangeHeld(session, row.changelistId))
      .map(
        ({ row }) =>
          () =>
            session.tables.artifacts.remove(row.id),
      ),
  suppressions: (session, request) =>
    session.tables.suppressions
      .rows()
      .filter(({ scope, expiresAt, withdrawnAt }) => {
        const isHeld = scope.kind === 'finding' && isChangeHeld(session, scope.changelistId);
        return !isHeld && isOld(session, withdrawnAt ?? expiresAt, request);
      })
      .map(
        ({ id }) =>
          () =>
            session.tables.suppressions.remove(id),
      ),
};

function isOld({ now }: MemorySession, at: Date | null, { olderThanMs }: RetentionRequest): boolean {
  return at !== null && now.getTime() - at.getTime() > olderThanMs;
}

/** Ages of `createMemoryStores`. */
export function createMemoryRetentionStore(database: MemoryDatabase): RetentionStore {
  return {
    storeId: database.storeId,
    prune: (table, { limit, ...request }) =>
      database.write(undefined, (session) => {
        checkRetention(table, request);
        checkWhole('request.limit', limit, 1);
        const removals = expired[table](session, request).slice(0, limit);
        for (const remove of removals) remove();
        return removals.length;
      }),
    countExpired: (table, request) =>
      database.read(undefined, (session) => {
        checkRetention(table, request);
        return Math.min(mostExpired, expired[table](session, request).length);
      }),
  };
}
