import { checkActor } from '../../foundation/actor.js';
import { checkMs, checkOneOf, checkText } from '../../foundation/store-input.js';
import type { DeadLetterStore, NewDeadLetterNote, ReplayRequest } from '../dead-letter-store.js';
import type { NoteText } from '../rows/dead-letter-row.js';

const maxNote = 8_192;

/** Throws `TypeError` for a note that no store may keep. */
export function checkNote({ actor, text, kind }: NewDeadLetterNote): void {
  checkActor('note.actor', actor);
  checkText('note.text', text, maxNote);
  if (kind !== undefined) checkOneOf('note.kind', kind, ['note', 'evidence']);
}

/** The notes that a triage leaves. Throws `TypeError` for a bad one. */
export function checkTriage({ actor, cause, evidence }: Parameters<DeadLetterStore<unknown>['triage']>[1]): NoteText[] {
  checkActor('triage.actor', actor);
  checkText('triage.cause', cause, maxNote);
  if (evidence !== undefined) checkText('triage.evidence', evidence, maxNote);
  return [
    { kind: 'triage', text: cause },
    ...(evidence === undefined ? [] : [{ kind: 'evidence', text: evidence } as const]),
  ];
}

/** The notes that a replay leaves. Throws `TypeError` for a bad request. */
export function checkReplayRequest({ stage, actor, evidence, reason, delayMs }: ReplayRequest): NoteText[] {
  checkText('request.stage', stage, 128);
  checkActor('request.actor', actor);
  if (evidence !== undefined || reason === undefined) checkText('request.evidence', evidence, maxNote);
  if (reason !== undefined) checkText('request.reason', reason, maxNote);
  if (delayMs !== undefined) checkMs('request.delayMs', delayMs);
  return [
    ...(evidence === undefined ? [] : [{ kind: 'evidence', text: evidence } as const]),
    ...(reason === undefined ? [] : [{ kind: 'replay', text: reason } as const]),
  ];
}

/** The note that a closing leaves. Throws `TypeError` for a bad one. */
export function checkClosing({ status, actor, note }: Parameters<DeadLetterStore<unknown>['close']>[1]): NoteText[] {
  checkOneOf('closing.status', status, ['resolved', 'ignored']);
  checkActor('closing.actor', actor);
  checkText('closing.note', note, maxNote);
  return [{ kind: 'closing', text: note }];
}
