import { wholeMs } from '@criticizer/core/internal';
import type { OutboxSettlement } from '@criticizer/core/ports';
import { span } from '../shared/instants.js';
import { asUuid, type PgSession } from '../shared/pg-session.js';

/** What a settlement writes, as SET items over the parameters `$4` and on; what it does not name stays. */
function changes(settlement: OutboxSettlement): { set: string; values: unknown[] } {
  switch (settlement.kind) {
    case 'sent':
      return {
        set: `status = 'sent', notification_id = $4, notified_at = {now}, provider = $5,
          possible_duplicate = possible_duplicate OR $6::boolean, waiting_for = NULL`,
        values: [settlement.notificationId, settlement.provider, settlement.possibleDuplicate === true],
      };
    case 'retry':
      return {
        set: `status = 'pending', next_attempt_at = {now} + ${span('$4::float8')}, phase = $5, last_failure = $6::json, waiting_for = NULL`,
        values: [wholeMs(settlement.delayMs), settlement.phase, JSON.stringify(settlement.failure)],
      };
    case 'wait':
      return {
        set: `status = 'pending', next_attempt_at = {now} + ${span('$4::float8')}, phase = $5, attempts = greatest(0, attempts - 1),
          waiting_for = $6`,
        values: [wholeMs(settlement.delayMs), settlement.phase, settlement.reason],
      };
    case 'failed':
    case 'unknown':
      return {
        set: 'status = $4, last_failure = $5::json',
        values: [settlement.kind, JSON.stringify(settlement.failure)],
      };
    case 'reopen':
      return {
        set: `status = 'pending', next_attempt_at = {now}, notification_id = NULL, notified_at = NULL, verified_at = NULL,
          reconciled_at = NULL, phase = 'none', data_at = NULL, data_token = NULL`,
        values: [],
      };
    case 'verified':
      return { set: 'verified_at = {now}', values: [] };
    case 'unverified':
      return { set: 'reconciled_at = {now}', values: [] };
    case 'cancelled':
      return { set: `status = 'cancelled'`, values: [] };
  }
}

/** They look at a row that is `sent`; every other settlement ends a delivery. */
const reconciliations: readonly OutboxSettlement['kind'][] = ['reopen', 'verified', 'unverified'];

/** One settlement under its lease (NOT-5): all columns in one write. */
export async function settleMail(session: PgSession, settlement: OutboxSettlement): Promise<'settled' | 'lease-lost'> {
  const { rowId, owner, token } = settlement.lease;
  const { set, values } = changes(settlement);
  const written = await session.run(
    `UPDATE {schema}.notify_outbox SET ${set}, claimed_by = NULL, claim_token = NULL, lease_expires_at = NULL,
      updated_at = greatest(updated_at, {now}) WHERE id = $1 AND claimed_by = $2 AND claim_token = $3
      AND status = '${reconciliations.includes(settlement.kind) ? 'sent' : 'sending'}'`,
    asUuid(rowId),
    owner,
    token,
    ...values,
  );
  return written === 1 ? 'settled' : 'lease-lost';
}
