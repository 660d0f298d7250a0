import { checkText } from '../../foundation/store-input.js';
import {
  type ChangeMark,
  type ChangeStore,
  markLimit,
  type PurgeStep,
  purgedReason,
} from '../../stores/change-store.js';
import type { MemoryDatabase, MemorySession, MemoryTx } from '../shared/memory-database.js';
import { laterOf, putJob, removeJob } from './memory-job-rows.js';

function markOf({ tables }: MemorySession, changelistId: string): ChangeMark {
  return tables.changeMarks.get(changelistId) ?? { changelistId, isHeld: false, purgingSince: null };
}

/** True where a legal hold beats every age (ruling R24). */
export function isChangeHeld(session: MemorySession, changelistId: string | null): boolean {
  return changelistId !== null && markOf(session, changelistId).isHeld;
}

/** True while everything of the change is being removed. */
export function isChangePurging(session: MemorySession, changelistId: string): boolean {
  return markOf(session, changelistId).purgingSince !== null;
}

function putMark({ tables }: MemorySession, mark: ChangeMark): void {
  if (mark.isHeld || mark.purgingSince !== null) tables.changeMarks.put(mark.changelistId, mark);
  else tables.changeMarks.remove(mark.changelistId);
}

function purgeJobs(session: MemorySession, changelistId: string): number {
  const { tables } = session;
  let running = 0;
  for (const { job, ...row } of tables.jobs.rows()) {
    if (job.changelistId !== changelistId) continue;
    if (job.status !== 'running') removeJob(session, job);
    else {
      running++;
      if (job.cancelReason === null)
        putJob(session, { ...row, job: { ...job, cancelReason: purgedReason, updatedAt: laterOf(job, session) } });
    }
  }
  for (const letter of tables.deadLetters.rows())
    if (letter.changelistId === changelistId) tables.deadLetters.remove(letter.id);
  return running;
}

function purgeMails({ tables }: MemorySession, changelistId: string): number {
  let sending = 0;
  for (const [id, message] of [...tables.messages.entries()])
    if (message.changelistId === changelistId) tables.messages.remove(id);
  for (const { row } of tables.outbox.rows()) {
    if (row.changelistId !== changelistId) continue;
    if (row.status === 'sending') {
      sending++;
      continue;
    }
    tables.outbox.remove(row.id);
    tables.outboxKeys.remove(JSON.stringify([row.changelistId, row.recipientKey, row.reviewVersion]));
  }
  return sending;
}

function purgeManifest({ tables }: MemorySession, changelistId: string): number {
  let left = 0;
  for (const { row } of tables.artifacts.rows()) {
    if (row.changelistId !== changelistId) continue;
    if (row.deletionVerifiedAt !== null) tables.artifacts.remove(row.id);
    else left++;
  }
  return left;
}

function purgeRows(session: MemorySession, changelistId: string): PurgeStep {
  if (!isChangePurging(session, changelistId)) return { outcome: 'not-purging', running: 0, sending: 0, artifacts: 0 };
  const running = purgeJobs(session, changelistId);
  const sending = purgeMails(session, changelistId);
  const artifacts = purgeManifest(session, changelistId);
  const { egress, suppressions } = session.tables;
  for (const record of egress.rows())
    if (record.changelistId === changelistId) egress.put(record.id, { ...record, paths: [] });
  for (const { id, scope } of suppressions.rows())
    if (scope.kind === 'finding' && scope.changelistId === changelistId) suppressions.remove(id);
  const isDone = running + sending + artifacts === 0;
  if (isDone) putMark(session, { changelistId, isHeld: false, purgingSince: null });
  return { outcome: isDone ? 'done' : 'waiting', running, sending, artifacts };
}

const ordered = (a: ChangeMark, b: ChangeMark): number => (a.changelistId < b.changelistId ? -1 : 1);

/** Holds and purges of `createMemoryStores`. */
export function createMemoryChangeStore(database: MemoryDatabase): ChangeStore<MemoryTx> {
  return {
    storeId: database.storeId,
    get: (changelistId) => database.read(undefined, (session) => structuredClone(markOf(session, changelistId))),
    list: (filter) =>
      database.read(undefined, ({ tables }) => {
        const { kind, after = '' } = filter;
        return tables.changeMarks
          .rows()
          .filter((mark) => kind === undefined || (kind === 'held' ? mark.isHeld : mark.purgingSince !== null))
          .filter(({ changelistId }) => changelistId > after)
          .sort(ordered)
          .slice(0, markLimit(filter.limit))
          .map((mark) => structuredClone(mark));
      }),
    setHold: (changelistId, isHeld, options) =>
      database.write(options?.tx, (session) => {
        checkText('changelistId', changelistId);
        const mark = markOf(session, changelistId);
        if (mark.isHeld === isHeld) return 'unchanged';
        putMark(session, { changelistId, isHeld, purgingSince: null });
        return 'set';
      }),
    beginPurge: (changelistId, options) =>
      database.write(options?.tx, (session) => {
        checkText('changelistId', changelistId);
        const mark = markOf(session, changelistId);
        if (mark.isHeld) return 'held';
        if (mark.purgingSince !== null) return 'already-begun';
        putMark(session, { ...mark, purgingSince: session.now });
        return 'begun';
      }),
    purgeRows: (changelistId) => database.write(undefined, (session) => purgeRows(session, changelistId)),
  };
}
