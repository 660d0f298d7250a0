import { checkMs, checkText, checkWhole, sweepLimit } from '../../foundation/store-input.js';
import { checkOutboxClaim } from '../../stores/claims/outbox-claim.js';
import { checkNewOutboxRow, checkOutboxSettlement } from '../../stores/input/new-outbox-row.js';
import type {
  ClaimedOutboxRow,
  NewOutboxRow,
  NotifyOutbox,
  OutboxBacklog,
  OutboxClaimRequest,
  OutboxRow,
  OutboxStatus,
} from '../../stores/notify-outbox.js';
import type { MemoryDatabase, MemoryRows, MemorySession, MemoryTx } from '../shared/memory-database.js';
import { isHeld, isHolder, leaseFrom } from '../shared/memory-lease.js';
import { pageOfRows } from '../shared/memory-pages.js';
import {
  changeMail,
  confirmMail,
  holdMail,
  isSuperseded,
  releaseMail,
  reopenMail,
  settleMail,
} from './memory-settle-mail.js';

type Held = MemoryRows['outbox'];

/** Adds rows under their key (NOT-3); one that exists is given as it is. */
export function addOutboxRows(
  session: MemorySession,
  rows: readonly NewOutboxRow[],
): { outcome: 'added' | 'existing'; row: OutboxRow }[] {
  const { tables, now } = session;
  return rows.map((wanted) => {
    const key = JSON.stringify([wanted.changelistId, wanted.recipientKey, wanted.reviewVersion]);
    const found = tables.outbox.get(tables.outboxKeys.get(key) ?? '');
    if (found !== undefined) return { outcome: 'existing', row: structuredClone(found.row) };
    const row: OutboxRow = {
      changelistId: wanted.changelistId,
      reviewVersion: wanted.reviewVersion,
      recipient: wanted.recipient,
      recipientKey: wanted.recipientKey,
      key: wanted.key,
      required: wanted.required,
      via: wanted.via,
      jobId: wanted.jobId,
      messageArtifactId: wanted.messageArtifactId,
      messageSha256: wanted.messageSha256,
      traceparent: wanted.traceparent ?? null,
      id: session.newId(),
      status: 'pending',
      attempts: 0,
      phase: 'none',
      dataAt: null,
      notificationId: null,
      notifiedAt: null,
      provider: null,
      providerKeyExpiresAt: null,
      possibleDuplicate: false,
      lastFailure: null,
      waitingFor: null,
      nextAttemptAt: (wanted.sendAt ?? now) > now ? (wanted.sendAt ?? now) : now,
      verifiedAt: null,
      createdAt: now,
      updatedAt: now,
    };
    tables.outbox.put(row.id, { row, lease: null, dataToken: null, lookedAt: null });
    tables.outboxKeys.put(key, row.id);
    session.wake();
    return { outcome: 'added', row: structuredClone(row) };
  });
}

/** Of a review, not sent, and required or still on its way: what `withdraw` changes. */
function isOpenReviewMail({ changelistId, notifiedAt, required, status }: OutboxRow): boolean {
  const isOpen = required || status === 'pending' || status === 'held';
  return isOpen && notifiedAt === null && changelistId.includes('/');
}

function isClaimable({ row, lease, lookedAt }: Held, now: Date, purpose: OutboxClaimRequest['purpose']): boolean {
  if (isHeld(lease, now)) return false;
  if (purpose === 'deliver') return row.status === 'sending' || (row.status === 'pending' && row.nextAttemptAt <= now);
  if (row.status !== 'sent' || row.verifiedAt !== null || row.notifiedAt === null) return false;
  return now.getTime() - (lookedAt ?? row.notifiedAt).getTime() > purpose.reconcile.olderThanMs;
}

function claimRows(session: MemorySession, request: OutboxClaimRequest): ClaimedOutboxRow[] {
  const { owner, token, purpose } = request;
  const due = session.tables.outbox
    .rows()
    .filter(
      (held) =>
        request.via.includes(held.row.via) &&
        (request.ids === undefined || request.ids.includes(held.row.id)) &&
        isClaimable(held, session.now, purpose),
    )
    .sort((a, b) => a.row.nextAttemptAt.getTime() - b.row.nextAttemptAt.getTime());
  return due.slice(0, request.limit).map((held) => {
    // A look-up is not an attempt to send, and a row that was sent stays sent while it is looked at.
    const row =
      purpose === 'deliver' ? { status: 'sending' as const, attempts: held.row.attempts + 1, waitingFor: null } : {};
    changeMail(session, held, row, { lease: leaseFrom(session.now, request) });
    const taken = session.tables.outbox.get(held.row.id) ?? held;
    const superseded = isSuperseded(session, taken.row);
    return { row: structuredClone(taken.row), lease: { rowId: held.row.id, owner, token }, superseded };
  });
}

type Phase = NonNullable<Parameters<NotifyOutbox<MemoryTx>['recordPhase']>[2]> & { phase: 'envelope' | 'data' };

/** Never lowers the phase: only a settlement that proved what happened does. */
function recordPhase(
  session: MemorySession,
  held: Held,
  token: string,
  { phase, provider, providerKeyTtlMs, possibleDuplicate = false }: Phase,
): void {
  const firstData = phase === 'data' && held.dataToken !== token;
  const expiry =
    providerKeyTtlMs === undefined ? {} : { providerKeyExpiresAt: new Date(session.now.getTime() + providerKeyTtlMs) };
  changeMail(
    session,
    held,
    {
      ...expiry,
      phase: held.row.phase === 'data' ? 'data' : phase,
      dataAt: firstData ? session.now : held.row.dataAt,
      provider: provider ?? held.row.provider,
      possibleDuplicate: held.row.possibleDuplicate || possibleDuplicate,
    },
    { dataToken: firstData ? token : held.dataToken },
  );
}

function sweepRows(session: MemorySession, limit: number): number {
  // A sent row whose reconciler died is merely free again.
  const expired = session.tables.outbox
    .rows()
    .filter(({ row, lease }) => row.status === 'sending' && !isHeld(lease, session.now));
  const swept = expired.slice(0, limit);
  for (const held of swept)
    changeMail(session, held, { status: 'pending', nextAttemptAt: session.now }, { lease: null });
  if (swept.length > 0) session.wake();
  return swept.length;
}

// long: the verbs of the facet, one after the other
/** The mail facet of `createMemoryStores`. Rows given out are copies. */
export function createMemoryNotifyOutbox(database: MemoryDatabase): NotifyOutbox<MemoryTx> {
  return {
    storeId: database.storeId,
    add: (rows, options) =>
      database.write(options?.tx, (session) => {
        for (const [n, row] of rows.entries()) checkNewOutboxRow(row, `rows[${n}]`);
        return addOutboxRows(session, rows);
      }),
    claim: (request) =>
      database.write(undefined, (session) => {
        checkOutboxClaim(request);
        return claimRows(session, request);
      }),
    heartbeat: (leases, leaseMs) =>
      database.write(undefined, (session) => {
        checkMs('leaseMs', leaseMs, 1);
        return leases.map((lease) => {
          const held = session.tables.outbox.get(lease.rowId);
          if (held === undefined || !isHolder(held.lease, lease)) return 'lease-lost';
          session.tables.outbox.put(held.row.id, { ...held, lease: leaseFrom(session.now, { ...lease, leaseMs }) });
          return 'renewed';
        });
      }),
    recordPhase: (lease, phase, options) =>
      database.write(undefined, (session) => {
        if (options?.providerKeyTtlMs !== undefined) checkMs('options.providerKeyTtlMs', options.providerKeyTtlMs);
        const held = session.tables.outbox.get(lease.rowId);
        if (held === undefined || held.row.status !== 'sending' || !isHolder(held.lease, lease)) return 'lease-lost';
        recordPhase(session, held, lease.token, { ...options, phase });
        return 'recorded';
      }),
    settle: (settlements) =>
      database.write(undefined, (session) => {
        for (const [n, settlement] of settlements.entries()) checkOutboxSettlement(settlement, `settlements[${n}]`);
        return settlements.map((settlement) => settleMail(session, settlement));
      }),
    requeueExpired: (options) => database.write(undefined, (session) => sweepRows(session, sweepLimit(options?.limit))),
    list: (filter) =>
      database.read(undefined, (session) => {
        const { changelistId, reviewVersion, jobId, status, key, notificationId, recipientKey } = filter;
        return pageOfRows(
          session.tables.outbox.rows().map(({ row }) => row),
          filter,
          (row) =>
            (changelistId ?? row.changelistId) === row.changelistId &&
            (reviewVersion ?? row.reviewVersion) === row.reviewVersion &&
            (jobId ?? row.jobId) === row.jobId &&
            (status ?? row.status) === row.status &&
            (key ?? row.key) === row.key &&
            (notificationId ?? row.notificationId) === row.notificationId &&
            (recipientKey ?? row.recipientKey) === row.recipientKey,
        );
      }),
    reopen: (ids, options) => database.write(options?.tx, (session) => ids.map((id) => reopenMail(session, id))),
    hold: (id, options) => database.write(options?.tx, (session) => holdMail(session, id)),
    release: (id, options) => database.write(options?.tx, (session) => releaseMail(session, id)),
    confirm: (id, { notificationId }, options) =>
      database.write(options?.tx, (session) => confirmMail(session, id, notificationId)),
    cancelOlder: (changelistId, belowVersion, options) =>
      database.write(options?.tx, (session) => {
        checkWhole('belowVersion', belowVersion, 1);
        const stale = session.tables.outbox
          .rows()
          .filter(
            ({ row }) =>
              (row.status === 'pending' || row.status === 'held') &&
              row.changelistId === changelistId &&
              row.reviewVersion < belowVersion,
          );
        for (const held of stale) changeMail(session, held, { status: 'cancelled', waitingFor: null });
        return stale.length;
      }),
    withdraw: (recipientKey, options) =>
      database.write(options?.tx, (session) => {
        checkText('recipientKey', recipientKey, 320);
        const open = session.tables.outbox
          .rows()
          .filter(({ row }) => isOpenReviewMail(row) && row.recipientKey === recipientKey);
        for (const held of open) {
          const isWaiting = held.row.status === 'pending' || held.row.status === 'held';
          const status = isWaiting ? { status: 'cancelled' as const, waitingFor: null } : {};
          changeMail(session, held, { required: false, ...status });
        }
        return open.length;
      }),
    backlog: () =>
      database.read(undefined, ({ tables, now }) => {
        const groups = new Map<string, OutboxBacklog>();
        for (const { row } of tables.outbox.rows()) {
          const { status, waitingFor } = row;
          if (status === 'sent' || status === 'cancelled') continue;
          const key = `${status} ${waitingFor ?? ''}`;
          const known = groups.get(key) ?? { status, waitingFor, count: 0, oldestMs: 0 };
          const oldestMs = Math.max(known.oldestMs, now.getTime() - row.createdAt.getTime());
          groups.set(key, { ...known, count: known.count + 1, oldestMs });
        }
        return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
      }),
    stats: () =>
      database.read(undefined, (session) => {
        const counts: Record<OutboxStatus, number> = {
          pending: 0,
          held: 0,
          sending: 0,
          sent: 0,
          failed: 0,
          unknown: 0,
          cancelled: 0,
        };
        for (const { row } of session.tables.outbox.rows()) counts[row.status] += 1;
        return counts;
      }),
  };
}
