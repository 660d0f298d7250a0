import {
  checkMs,
  checkNewOutboxRow,
  checkOneOf,
  checkOutboxClaim,
  checkOutboxSettlement,
  checkText,
  type MailRow,
  sweepLimit,
  toOutboxRow,
  wholeMs,
} from '@criticizer/core/internal';
import type { NotifyOutbox, OutboxBacklog, OutboxStatus, ReopenOutcome } from '@criticizer/core/ports';
import { epochMs, span } from '../shared/instants.js';
import { type Condition, listByRowId } from '../shared/list-rows.js';
import type { PgTx } from '../shared/pg-database.js';
import type { PgFacet } from '../shared/pg-facet.js';
import { softly } from '../shared/pg-gate.js';
import { asUuid } from '../shared/pg-session.js';
import { claimMail, requeueExpiredMail, supersededSql } from './claim-mail.js';
import { addOutboxRows, mailColumns } from './outbox-row.js';
import { settleMail } from './settle-mail.js';

const renew = `WITH owned AS (
    SELECT m.id FROM {schema}.notify_outbox AS m JOIN unnest($1::uuid[], $2::text[], $3::text[]) AS x(id, owner, token)
      ON m.id = x.id AND m.claimed_by = x.owner AND m.claim_token = x.token WHERE ${softly} ORDER BY m.id FOR UPDATE OF m)
  UPDATE {schema}.notify_outbox AS m SET lease_expires_at = {now} + ${span('$4::float8')}, updated_at = greatest(m.updated_at, {now})
  FROM (SELECT DISTINCT id FROM owned) AS o WHERE m.id = o.id RETURNING m.id::text AS id, m.claimed_by, m.claim_token`;

// Never from data back to envelope: only a settlement that proved what happened lowers the phase (NOT-6).
// data_at is the first of this attempt: it moves only when the claim is another one than recorded it.
const phaseSql = (
  isSoft: boolean,
): string => `UPDATE {schema}.notify_outbox SET phase = CASE WHEN phase = 'data' THEN phase ELSE $4 END,
    data_at = CASE WHEN $4 = 'data' AND data_token IS DISTINCT FROM claim_token THEN {now} ELSE data_at END,
    data_token = CASE WHEN $4 = 'data' THEN claim_token ELSE data_token END, provider = coalesce($5, provider),
    provider_key_expires_at = coalesce({now} + ${span('$6::float8')}, provider_key_expires_at),
    possible_duplicate = possible_duplicate OR $7::boolean, updated_at = greatest(updated_at, {now})
  WHERE id = $1 AND claimed_by = $2 AND claim_token = $3 AND status = 'sending'${isSoft ? ` AND ${softly}` : ''}`;
const dataSql = phaseSql(false);
/** Lost in a crash of the database it is `none` again, which says the same: nothing has left. */
const envelopeSql = phaseSql(true);

// What the last attempt proved and why it failed stay (NOT-9). The SELECT sees the rows as they were before.
const reopen = `WITH candidate AS (SELECT c.id, c.status IN ('failed', 'unknown') AS closed, ${supersededSql('c')} AS superseded
    FROM {schema}.notify_outbox AS c WHERE c.id = ANY($1) ORDER BY c.id FOR UPDATE),
  ended AS (UPDATE {schema}.notify_outbox AS m SET status = 'cancelled', waiting_for = NULL, updated_at = greatest(m.updated_at, {now})
    FROM candidate AS c WHERE m.id = c.id AND c.closed AND c.superseded),
  reopened AS (UPDATE {schema}.notify_outbox AS m SET status = 'pending', attempts = 0, next_attempt_at = {now}, waiting_for = NULL,
    updated_at = greatest(m.updated_at, {now})
    FROM candidate AS c WHERE m.id = c.id AND c.closed AND NOT c.superseded)
  SELECT id::text AS id, closed, superseded FROM candidate`;

/** Moves a row that is in this state; gives whether it was. No row: there is none. */
const moveFrom = (from: OutboxStatus, set: string): string =>
  `WITH candidate AS (SELECT id, status FROM {schema}.notify_outbox WHERE id = $1 FOR UPDATE),
  moved AS (UPDATE {schema}.notify_outbox AS m SET ${set}, waiting_for = NULL, updated_at = greatest(m.updated_at, {now})
    FROM candidate AS c WHERE m.id = c.id AND c.status = '${from}')
  SELECT status = '${from}' AS moved FROM candidate`;
const hold = moveFrom('pending', "status = 'held'");
const release = moveFrom('held', "status = 'pending', next_attempt_at = {now}");
const confirm = moveFrom('unknown', "status = 'sent', notification_id = $2, notified_at = {now}, verified_at = {now}");

/** Of reviews alone: the scope of a host's mail has no `/`. */
const withdraw = `UPDATE {schema}.notify_outbox SET required = false, waiting_for = CASE WHEN status IN ('pending', 'held') THEN NULL ELSE waiting_for END,
    status = CASE WHEN status IN ('pending', 'held') THEN 'cancelled' ELSE status END, updated_at = greatest(updated_at, {now})
  WHERE recipient_key = $1 AND notified_at IS NULL AND strpos(changelist_id, '/') > 0 AND (required OR status IN ('pending', 'held'))`;

/** Names the predicate of the partial index, so that it serves every status but `sent`. */
function inStatus(status: OutboxStatus | undefined): Condition {
  return [status === 'sent' ? 'm.status = ?' : "m.status <> 'sent' AND m.status = ?", status];
}

const list = { select: `SELECT ${mailColumns} FROM {schema}.notify_outbox AS m`, id: 'm.id' };

// long: the verbs of the facet, one after the other
/** The delivery log on PostgreSQL (NOT-3..11). */
export function createPgNotifyOutbox({ storeId, gate, idTail }: PgFacet): NotifyOutbox<PgTx> {
  async function move<Done extends string, Not extends string>(
    tx: PgTx | undefined,
    [done, not]: readonly [done: Done, not: Not],
    sql: string,
    ...values: readonly unknown[]
  ): Promise<Done | Not | 'not-found'> {
    const row = await gate.single(tx, (session) => session.first<{ moved: boolean }>(sql, ...values));
    return row === undefined ? 'not-found' : row.moved ? done : not;
  }
  return {
    storeId,
    async add(rows, options) {
      for (const [n, row] of rows.entries()) checkNewOutboxRow(row, `rows[${n}]`);
      if (rows.length === 0) return [];
      return gate.together(options?.tx, (session) => addOutboxRows(session, rows, idTail));
    },
    async claim(request) {
      checkOutboxClaim(request);
      // Not softly: that an attempt began must be known before its bytes leave (ruling R6).
      return gate.single(undefined, (session) => claimMail(session, request));
    },
    async heartbeat(leases, leaseMs) {
      checkMs('leaseMs', leaseMs, 1);
      if (leases.length === 0) return [];
      const ids = leases.map(({ rowId }) => asUuid(rowId));
      const rows = await gate.heartbeat(leaseMs, (session) =>
        session.all<{ id: string; claimed_by: string; claim_token: string }>(
          renew,
          ids,
          leases.map(({ owner }) => owner),
          leases.map(({ token }) => token),
          wholeMs(leaseMs),
        ),
      );
      const owned = new Map(rows.map((row) => [row.id, row]));
      return leases.map(({ owner, token }, n) => {
        const row = owned.get(ids[n] ?? '');
        return row?.claimed_by === owner && row.claim_token === token ? 'renewed' : 'lease-lost';
      });
    },
    async recordPhase(
      { rowId, owner, token },
      phase,
      { provider = null, providerKeyTtlMs, possibleDuplicate = false } = {},
    ) {
      checkOneOf('phase', phase, ['envelope', 'data']);
      if (providerKeyTtlMs !== undefined) checkMs('options.providerKeyTtlMs', providerKeyTtlMs);
      const ttlMs = providerKeyTtlMs === undefined ? null : wholeMs(providerKeyTtlMs);
      // The flag of a second copy must stand whatever happens next.
      const sql = phase === 'envelope' && !possibleDuplicate ? envelopeSql : dataSql;
      const written = await gate.single(undefined, (session) =>
        session.run(sql, asUuid(rowId), owner, token, phase, provider, ttlMs, possibleDuplicate),
      );
      return written === 1 ? 'recorded' : 'lease-lost';
    },
    async settle(settlements) {
      for (const [n, settlement] of settlements.entries()) checkOutboxSettlement(settlement, `settlements[${n}]`);
      const [only, ...others] = settlements;
      if (only === undefined) return [];
      // One statement is a transaction by itself.
      if (others.length === 0) return [await gate.single(undefined, (session) => settleMail(session, only))];
      return gate.together(undefined, async (session) => {
        const outcomes = new Map<number, 'settled' | 'lease-lost'>();
        // In the order of ids, so that two calls cannot deadlock; calls about one row keep their order.
        const order = [...settlements.entries()].sort(([, a], [, b]) =>
          a.lease.rowId < b.lease.rowId ? -1 : a.lease.rowId > b.lease.rowId ? 1 : 0,
        );
        for (const [n, settlement] of order) outcomes.set(n, await settleMail(session, settlement));
        return settlements.map((_, n) => outcomes.get(n) ?? 'lease-lost');
      });
    },
    async requeueExpired(options) {
      const limit = sweepLimit(options?.limit);
      return gate.together(undefined, (session) => requeueExpiredMail(session, limit), { soft: true });
    },
    async list(filter) {
      const rows = await listByRowId<MailRow>(gate, list, filter, [
        ['m.changelist_id = ?', filter.changelistId],
        ['m.review_version = ?::int', filter.reviewVersion],
        ['m.job_id = ?', filter.jobId],
        inStatus(filter.status),
        ['m.key = ?', filter.key],
        ['m.notification_id = ?', filter.notificationId],
        ['m.recipient_key = ?', filter.recipientKey],
      ]);
      return rows.map(toOutboxRow);
    },
    async reopen(ids, options) {
      const uuids = ids.map(asUuid);
      const rows = await gate.single(options?.tx, (session) =>
        session.all<{ id: string; closed: boolean; superseded: boolean }>(reopen, uuids),
      );
      const outcomes = new Map<string, ReopenOutcome>(
        rows.map(({ id, closed, superseded }) => [id, !closed ? 'not-closed' : superseded ? 'superseded' : 'reopened']),
      );
      return uuids.map((id) => {
        const outcome = outcomes.get(id) ?? 'not-found';
        if (outcome !== 'not-found') outcomes.set(id, 'not-closed'); // the same id again in this call
        return outcome;
      });
    },
    hold: (id, options) => move(options?.tx, ['held', 'not-pending'], hold, asUuid(id)),
    release: (id, options) => move(options?.tx, ['released', 'not-held'], release, asUuid(id)),
    confirm: (id, { notificationId }, options) =>
      move(options?.tx, ['confirmed', 'not-unknown'], confirm, asUuid(id), notificationId),
    cancelOlder: (changelistId, belowVersion, options) =>
      gate.single(options?.tx, (session) =>
        session.run(
          `UPDATE {schema}.notify_outbox SET status = 'cancelled', waiting_for = NULL, updated_at = greatest(updated_at, {now})
            WHERE changelist_id = $1 AND review_version < $2 AND status IN ('pending', 'held')`,
          changelistId,
          belowVersion,
        ),
      ),
    async withdraw(recipientKey, options) {
      checkText('recipientKey', recipientKey, 320);
      return gate.single(options?.tx, (session) => session.run(withdraw, recipientKey));
    },
    async backlog() {
      const rows = await gate.single(undefined, (session) =>
        session.all<{ status: OutboxBacklog['status']; waiting_for: string | null; n: number; oldest_ms: string }>(
          `SELECT status, waiting_for, count(*)::int AS n,
              greatest(0, ${epochMs('{now}')} - ${epochMs('min(created_at)')}) AS oldest_ms
            FROM {schema}.notify_outbox
            WHERE status <> 'sent' AND status IN ('failed', 'pending', 'sending', 'unknown')
            GROUP BY status, waiting_for ORDER BY status, coalesce(waiting_for, '') COLLATE "C"`,
        ),
      );
      return rows.map(({ status, waiting_for: waitingFor, n: count, oldest_ms: oldestMs }) => ({
        ...{ status, waitingFor, count, oldestMs: Number(oldestMs) },
      }));
    },
    async stats() {
      const counts: Record<OutboxStatus, number> = {
        pending: 0,
        held: 0,
        sending: 0,
        sent: 0,
        failed: 0,
        unknown: 0,
        cancelled: 0,
      };
      const rows = await gate.single(undefined, (session) =>
        session.all<{ status: OutboxStatus; n: number }>(
          'SELECT status, count(*)::int AS n FROM {schema}.notify_outbox GROUP BY status',
        ),
      );
      for (const { status, n } of rows) counts[status] = n;
      return counts;
    },
  };
}
