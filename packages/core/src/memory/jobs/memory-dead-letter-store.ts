import { type Actor, nameActor, pipelineActor } from '../../foundation/actor.js';
import type {
  DeadLetter,
  DeadLetterFilter,
  DeadLetterGroup,
  DeadLetterGroupFilter,
  DeadLetterStore,
  ReplayRequest,
} from '../../stores/dead-letter-store.js';
import { checkClosing, checkNote, checkReplayRequest, checkTriage } from '../../stores/input/dead-letter-input.js';
import type { Job } from '../../stores/job.js';
import { endCancelledReplay, isClosed, isUnresolved, replayedJob } from '../../stores/job-transitions.js';
import type { NoteText } from '../../stores/rows/dead-letter-row.js';
import { rowIdRange } from '../../stores/rows/row-ids.js';
import type { MemoryDatabase, MemorySession, MemoryTx } from '../shared/memory-database.js';
import { pageOfRows } from '../shared/memory-pages.js';
import { lacksMail, putJob } from './memory-job-rows.js';

/** Changes a letter and appends notes to it. */
export function changeLetter(
  session: MemorySession,
  letter: DeadLetter,
  changes: Partial<DeadLetter>,
  actor: Actor,
  texts: readonly NoteText[],
): void {
  const added = texts.map(({ kind, text }) => ({ at: session.now, actor: nameActor(actor), kind, text }));
  const notes = [...letter.notes, ...added];
  session.tables.deadLetters.put(letter.id, { ...letter, ...changes, notes, updatedAt: session.now });
}

/** Reopens the letter whose replay the job was that has just ended by a cancel (ERR-9). */
export function reopenLetter(session: MemorySession, job: Job): void {
  const letter = session.tables.deadLetters.get(job.replayOf?.deadLetterId ?? '');
  const { reason } = (job.result ?? {}) as { reason?: string };
  if (letter?.status !== 'replaying' || reason === undefined) return;
  const { status, text } = endCancelledReplay(letter.notes, reason);
  changeLetter(session, letter, { status }, pipelineActor, [{ kind: 'system', text }]);
}

function replay(
  session: MemorySession,
  request: ReplayRequest,
  notes: readonly NoteText[],
): 'replayed' | 'not-open' | 'not-found' {
  const letter = session.tables.deadLetters.get(request.deadLetterId);
  if (letter === undefined) return 'not-found';
  const held = session.tables.jobs.get(letter.jobId);
  if (!isUnresolved(letter.status) || held?.job.status !== 'failed') return 'not-open';
  const { stage, fromStart, delayMs = 0 } = request;
  const replayOf = { deadLetterId: letter.id, errorClass: letter.errorClass };
  const job = replayedJob(held.job, session.now, { stage, fromStart, delayMs, replayOf });
  putJob(session, { job, token: null });
  changeLetter(session, letter, { status: 'replaying', replays: letter.replays + 1 }, request.actor, notes);
  session.wake();
  return 'replayed';
}

function matches(letter: DeadLetter, filter: DeadLetterFilter): boolean {
  const { status, stage, errorClass, kind, jobId, changelistId, causeKey } = filter;
  return (
    (status ?? letter.status) === letter.status &&
    (stage ?? letter.stage) === letter.stage &&
    (errorClass ?? letter.errorClass) === letter.errorClass &&
    (kind ?? letter.kind) === letter.kind &&
    (jobId ?? letter.jobId) === letter.jobId &&
    (changelistId ?? letter.changelistId) === letter.changelistId &&
    (causeKey ?? letter.causeKey) === letter.causeKey
  );
}

function groupLetters(session: MemorySession, filter: DeadLetterGroupFilter): DeadLetterGroup[] {
  const { size, from = '', below } = rowIdRange(filter);
  const groups = new Map<string, DeadLetterGroup>();
  for (const letter of session.tables.deadLetters.rows()) {
    const { id, causeKey, cause, errorClass, firstFailureAt, lastFailureAt } = letter;
    if (id < from || (below !== undefined && id >= below) || !matches(letter, filter)) continue;
    const known = groups.get(causeKey);
    const isOldest = known === undefined || id < known.oldestId;
    const isNewest = known === undefined || id > known.newestId;
    groups.set(causeKey, {
      ...{ causeKey, cause, errorClass, count: (known?.count ?? 0) + 1 },
      firstSeenAt: isOldest ? firstFailureAt : known.firstSeenAt,
      lastSeenAt: isNewest ? lastFailureAt : known.lastSeenAt,
      oldestId: isOldest ? id : known.oldestId,
      newestId: isNewest ? id : known.newestId,
    });
  }
  const sorted = [...groups.values()].sort((a, b) => b.count - a.count || (a.causeKey < b.causeKey ? -1 : 1));
  return structuredClone(sorted.slice(0, size));
}

// long: the verbs of the facet, one after the other
/** The dead letters of `createMemoryStores`. Rows given out are copies. */
export function createMemoryDeadLetterStore(database: MemoryDatabase): DeadLetterStore<MemoryTx> {
  return {
    storeId: database.storeId,
    get: (id) => database.read(undefined, (session) => structuredClone(session.tables.deadLetters.get(id) ?? null)),
    list: (filter) =>
      database.read(undefined, (session) => {
        return pageOfRows(session.tables.deadLetters.rows(), filter, (letter) => matches(letter, filter));
      }),
    groups: (filter) => database.read(undefined, (session) => groupLetters(session, filter)),
    note: (id, note, options) =>
      database.write(options?.tx, (session) => {
        checkNote(note);
        const letter = session.tables.deadLetters.get(id);
        if (letter === undefined) return 'not-found';
        changeLetter(session, letter, {}, note.actor, [{ kind: note.kind ?? 'note', text: note.text }]);
        return 'noted';
      }),
    triage: (id, triage, options) =>
      database.write(options?.tx, (session) => {
        const notes = checkTriage(triage);
        const letter = session.tables.deadLetters.get(id);
        if (letter === undefined) return 'not-found';
        if (letter.status !== 'open') return 'not-open';
        changeLetter(session, letter, { status: 'triaged' }, triage.actor, notes);
        return 'triaged';
      }),
    replay: (request, options) =>
      database.write(options?.tx, (session) => replay(session, request, checkReplayRequest(request))),
    close: (id, closing, options) =>
      database.write(options?.tx, (session) => {
        const notes = checkClosing(closing);
        const letter = session.tables.deadLetters.get(id);
        if (letter === undefined) return 'not-found';
        if (isClosed(letter.status)) return 'already-closed';
        const job = session.tables.jobs.get(letter.jobId)?.job;
        if (closing.status === 'resolved' && job !== undefined && lacksMail(session, job)) return 'not-all-notified';
        changeLetter(session, letter, { status: closing.status }, closing.actor, notes);
        return 'closed';
      }),
    stats: () =>
      database.read(undefined, (session) => {
        type Group = Awaited<ReturnType<DeadLetterStore<never>['stats']>>[number];
        const counts = new Map<string, Group>();
        for (const { status, stage, errorClass, escalation } of session.tables.deadLetters.rows()) {
          if (!isUnresolved(status)) continue;
          const key = JSON.stringify([stage, errorClass, escalation]);
          counts.set(key, { stage, errorClass, escalation, open: (counts.get(key)?.open ?? 0) + 1 });
        }
        return [...counts.values()];
      }),
  };
}
