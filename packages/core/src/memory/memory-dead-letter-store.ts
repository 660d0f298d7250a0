import { type Actor, checkActor, nameActor } from '../foundation/actor.js';
import { checkOneOf, checkText } from '../foundation/store-input.js';
import type { DeadLetter, DeadLetterStore, ReplayRequest } from '../stores/dead-letter-store.js';
import { replayedJob } from '../stores/job-transitions.js';
import type { MemoryDatabase, MemorySession, MemoryTx } from './memory-database.js';
import { lacksMail, putJob } from './memory-job-rows.js';
import { pageOfRows } from './memory-pages.js';

function change(
  session: MemorySession,
  letter: DeadLetter,
  changes: Partial<DeadLetter>,
  note: { actor: Actor; text: string },
): void {
  const notes = [...letter.notes, { at: session.now, actor: nameActor(note.actor), text: note.text }];
  session.tables.deadLetters.put(letter.id, { ...letter, ...changes, notes, updatedAt: session.now });
}

function checkNote(at: string, actor: Actor, text: string): void {
  checkActor(`${at}.actor`, actor);
  checkText(`${at}.text`, text, 8192);
}

function replay(session: MemorySession, request: ReplayRequest): 'replayed' | 'not-open' | 'not-found' {
  const letter = session.tables.deadLetters.get(request.deadLetterId);
  if (letter === undefined) return 'not-found';
  const held = session.tables.jobs.get(letter.jobId);
  if (letter.status !== 'open' || held?.job.status !== 'failed') return 'not-open';
  const replayOf = { deadLetterId: letter.id, errorClass: letter.errorClass };
  const job = replayedJob(held.job, session.now, { stage: request.stage, fromStart: request.fromStart, replayOf });
  putJob(session, { job, token: null });
  change(
    session,
    letter,
    { status: 'replaying', replays: letter.replays + 1 },
    { actor: request.actor, text: request.evidence },
  );
  session.wake();
  return 'replayed';
}

// long: the verbs of the facet, one after the other
/** The dead letters of `createMemoryStores`. Rows given out are copies. */
export function createMemoryDeadLetterStore(database: MemoryDatabase): DeadLetterStore<MemoryTx> {
  return {
    storeId: database.storeId,
    get: (id) => database.read(undefined, (session) => structuredClone(session.tables.deadLetters.get(id) ?? null)),
    list: (filter) =>
      database.read(undefined, (session) => {
        const { status, stage, errorClass, kind, jobId, changelistId } = filter;
        return pageOfRows(
          session.tables.deadLetters.rows(),
          filter,
          (letter) =>
            (status ?? letter.status) === letter.status &&
            (stage ?? letter.stage) === letter.stage &&
            (errorClass ?? letter.errorClass) === letter.errorClass &&
            (kind ?? letter.kind) === letter.kind &&
            (jobId ?? letter.jobId) === letter.jobId &&
            (changelistId ?? letter.changelistId) === letter.changelistId,
        );
      }),
    note: (id, note, options) =>
      database.write(options?.tx, (session) => {
        checkNote('note', note.actor, note.text);
        const letter = session.tables.deadLetters.get(id);
        if (letter === undefined) return 'not-found';
        change(session, letter, {}, note);
        return 'noted';
      }),
    replay: (request, options) =>
      database.write(options?.tx, (session) => {
        checkText('request.stage', request.stage, 128);
        checkNote('request', request.actor, request.evidence);
        return replay(session, request);
      }),
    close: (id, closing, options) =>
      database.write(options?.tx, (session) => {
        checkOneOf('closing.status', closing.status, ['resolved', 'ignored']);
        const note = { actor: closing.actor, text: closing.note };
        checkNote('closing', note.actor, note.text);
        const letter = session.tables.deadLetters.get(id);
        if (letter === undefined) return 'not-found';
        if (letter.status === 'resolved' || letter.status === 'ignored') return 'already-closed';
        const job = session.tables.jobs.get(letter.jobId)?.job;
        if (closing.status === 'resolved' && job !== undefined && lacksMail(session, job)) return 'not-all-notified';
        change(session, letter, { status: closing.status }, note);
        return 'closed';
      }),
    stats: () =>
      database.read(undefined, (session) => {
        type Group = Awaited<ReturnType<DeadLetterStore<never>['stats']>>[number];
        const counts = new Map<string, Group>();
        for (const { status, stage, errorClass, escalation } of session.tables.deadLetters.rows()) {
          if (status !== 'open') continue;
          const key = JSON.stringify([stage, errorClass, escalation]);
          counts.set(key, { stage, errorClass, escalation, open: (counts.get(key)?.open ?? 0) + 1 });
        }
        return [...counts.values()];
      }),
  };
}
