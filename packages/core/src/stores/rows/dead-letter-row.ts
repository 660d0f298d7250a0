import { type Actor, type ActorName, nameActor } from '../../foundation/actor.js';
import type { FailureCategory } from '../../foundation/errors.js';
import type { JsonObject } from '../../foundation/json.js';
import type {
  DeadLetter,
  DeadLetterGroup,
  DeadLetterNote,
  DeadLetterNoteKind,
  DeadLetterStatus,
  NewDeadLetter,
} from '../dead-letter-store.js';
import { type Instant, toDate, toMs } from './row-values.js';

/** A row of `dead_letters`, JSON as text. */
export interface DeadLetterRow {
  id: string;
  job_id: string;
  kind: string;
  changelist_id: string | null;
  stage: string;
  cause_key: string;
  cause: string;
  attempts: number;
  error_class: string;
  category: FailureCategory;
  last_stack: string;
  sanitized_context: string;
  escalation: NewDeadLetter['escalation'];
  first_failure_at: Instant;
  last_failure_at: Instant;
  created_at: Instant;
  updated_at: Instant;
  status: DeadLetterStatus;
  replays: number;
  replay_of: string | null;
  notes: string;
}

interface StoredNote {
  at: number;
  actor: ActorName;
  kind: DeadLetterNoteKind;
  text: string;
}

/** Reads a dead letter from its row, its notes from JSON. */
export function toDeadLetter(row: DeadLetterRow): DeadLetter {
  const notes = (JSON.parse(row.notes) as StoredNote[]).map(
    (note): DeadLetterNote => ({ ...note, at: new Date(note.at) }),
  );
  return {
    id: row.id,
    jobId: row.job_id,
    kind: row.kind,
    changelistId: row.changelist_id,
    stage: row.stage,
    causeKey: row.cause_key,
    cause: row.cause,
    attempts: row.attempts,
    errorClass: row.error_class,
    category: row.category,
    lastStack: row.last_stack,
    sanitizedContext: JSON.parse(row.sanitized_context) as JsonObject,
    escalation: row.escalation,
    firstFailureAt: toDate(row.first_failure_at),
    lastFailureAt: toDate(row.last_failure_at),
    createdAt: toDate(row.created_at),
    updatedAt: toDate(row.updated_at),
    status: row.status,
    replays: row.replays,
    replayOf: row.replay_of,
    notes,
  };
}

/** A note before it is stored. */
export interface NoteText {
  kind: DeadLetterNoteKind;
  text: string;
}

/** A row's notes with more at the end; `at` is the store's instant. */
export function withNotes(
  row: Pick<DeadLetterRow, 'notes'>,
  at: Instant,
  actor: Actor,
  notes: readonly NoteText[],
): string {
  const added = notes.map(({ kind, text }): StoredNote => ({ at: toMs(at), actor: nameActor(actor), kind, text }));
  return JSON.stringify([...(JSON.parse(row.notes) as StoredNote[]), ...added]);
}

/** A row of the query that counts letters by cause. */
export interface DeadLetterGroupRow {
  cause_key: string;
  cause: string;
  error_class: string;
  count: number;
  first_seen_at: Instant;
  last_seen_at: Instant;
  oldest_id: string;
  newest_id: string;
}

/** Reads a group from its row. */
export function toDeadLetterGroup(row: DeadLetterGroupRow): DeadLetterGroup {
  return {
    causeKey: row.cause_key,
    cause: row.cause,
    errorClass: row.error_class,
    count: Number(row.count),
    firstSeenAt: toDate(row.first_seen_at),
    lastSeenAt: toDate(row.last_seen_at),
    oldestId: row.oldest_id,
    newestId: row.newest_id,
  };
}
