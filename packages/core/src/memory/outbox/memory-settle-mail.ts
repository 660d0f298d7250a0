import type { OutboxRow, OutboxSettlement, OutboxStatus, ReopenOutcome } from '../../stores/notify-outbox.js';
import type { MemoryRows, MemorySession } from '../shared/memory-database.js';
import { isHolder } from '../shared/memory-lease.js';

type Held = MemoryRows['outbox'];

/** Writes what changed of a row; the rest stays. */
export function changeMail(
  session: MemorySession,
  held: Held,
  row: Partial<OutboxRow>,
  rest: Partial<Omit<Held, 'row'>> = {},
): void {
  session.tables.outbox.put(held.row.id, { ...held, ...rest, row: { ...held.row, ...row, updatedAt: session.now } });
}

const reconciliations: readonly OutboxSettlement['kind'][] = ['reopen', 'verified', 'unverified'];

/** One settlement under its lease (NOT-5). */
// long: one case for each settlement
export function settleMail(session: MemorySession, settlement: OutboxSettlement): 'settled' | 'lease-lost' {
  const held = session.tables.outbox.get(settlement.lease.rowId);
  const expected = reconciliations.includes(settlement.kind) ? 'sent' : 'sending';
  if (held === undefined || held.row.status !== expected || !isHolder(held.lease, settlement.lease))
    return 'lease-lost';
  const free = { lease: null };
  const later = (delayMs: number): Date => new Date(session.now.getTime() + delayMs);
  switch (settlement.kind) {
    case 'sent': {
      const { notificationId, provider, possibleDuplicate } = settlement;
      const marks = { status: 'sent', notificationId, notifiedAt: session.now, provider } as const;
      changeMail(
        session,
        held,
        { ...marks, possibleDuplicate: held.row.possibleDuplicate || possibleDuplicate === true },
        free,
      );
      break;
    }
    case 'retry': {
      const { phase, failure } = settlement;
      changeMail(
        session,
        held,
        { status: 'pending', phase, nextAttemptAt: later(settlement.delayMs), lastFailure: structuredClone(failure) },
        free,
      );
      break;
    }
    case 'wait': {
      const attempts = Math.max(0, held.row.attempts - 1);
      changeMail(
        session,
        held,
        {
          status: 'pending',
          phase: settlement.phase,
          nextAttemptAt: later(settlement.delayMs),
          attempts,
          waitingFor: settlement.reason,
        },
        free,
      );
      break;
    }
    case 'failed':
    case 'unknown':
      changeMail(session, held, { status: settlement.kind, lastFailure: structuredClone(settlement.failure) }, free);
      break;
    case 'reopen': {
      const cleared = {
        notificationId: null,
        notifiedAt: null,
        verifiedAt: null,
        dataAt: null,
        phase: 'none',
      } as const;
      changeMail(
        session,
        held,
        { ...cleared, status: 'pending', nextAttemptAt: session.now },
        { ...free, dataToken: null, lookedAt: null },
      );
      session.wake();
      break;
    }
    case 'verified':
      changeMail(session, held, { verifiedAt: session.now }, { ...free, lookedAt: session.now });
      break;
    case 'unverified':
      changeMail(session, held, {}, { ...free, lookedAt: session.now });
      break;
    case 'cancelled':
      changeMail(session, held, { status: 'cancelled' }, free);
      break;
  }
  return 'settled';
}

/** What an operator makes of a row that is in one of these states; null where it is in another. */
function operate(
  session: MemorySession,
  id: string,
  from: readonly OutboxStatus[],
  changes: Partial<OutboxRow>,
): 'changed' | 'other' | 'not-found' {
  const held = session.tables.outbox.get(id);
  if (held === undefined) return 'not-found';
  if (!from.includes(held.row.status)) return 'other';
  changeMail(session, held, { ...changes, waitingFor: null });
  if (changes.status === 'pending') session.wake();
  return 'changed';
}

const named = <Done extends string, Not extends string>(
  outcome: ReturnType<typeof operate>,
  done: Done,
  not: Not,
): Done | Not | 'not-found' => (outcome === 'changed' ? done : outcome === 'other' ? not : 'not-found');

/** True where a higher version of the review has rows. */
export function isSuperseded(
  { tables }: MemorySession,
  { changelistId, reviewVersion }: Pick<OutboxRow, 'changelistId' | 'reviewVersion'>,
): boolean {
  const isNewer = ({ row }: Held): boolean => row.changelistId === changelistId && row.reviewVersion > reviewVersion;
  return changelistId.includes('/') && tables.outbox.rows().some(isNewer);
}

const closed: readonly OutboxStatus[] = ['failed', 'unknown'];

/** The operator's reopening (NOT-9): what the last attempt proved and why it failed stay. */
export function reopenMail(session: MemorySession, id: string): ReopenOutcome {
  const row = session.tables.outbox.get(id)?.row;
  if (row !== undefined && isSuperseded(session, row))
    return named(operate(session, id, closed, { status: 'cancelled' }), 'superseded', 'not-closed');
  const due = { status: 'pending', attempts: 0, nextAttemptAt: session.now } as const;
  return named(operate(session, id, closed, due), 'reopened', 'not-closed');
}

/** Keeps a pending mail from being delivered. */
export function holdMail(session: MemorySession, id: string): 'held' | 'not-pending' | 'not-found' {
  return named(operate(session, id, ['pending'], { status: 'held' }), 'held', 'not-pending');
}

/** Lets a held mail go. */
export function releaseMail(session: MemorySession, id: string): 'released' | 'not-held' | 'not-found' {
  const due = { status: 'pending', nextAttemptAt: session.now } as const;
  return named(operate(session, id, ['held'], due), 'released', 'not-held');
}

/** Takes a mail that nobody could look up for sent (ruling R23). */
export function confirmMail(
  session: MemorySession,
  id: string,
  notificationId: string,
): 'confirmed' | 'not-unknown' | 'not-found' {
  const sent = { status: 'sent', notificationId, notifiedAt: session.now, verifiedAt: session.now } as const;
  return named(operate(session, id, ['unknown'], sent), 'confirmed', 'not-unknown');
}
