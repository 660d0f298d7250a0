import { checkBoolean, optional } from '../../foundation/option-checks.js';
import { checkMs, checkWhole } from '../../foundation/store-input.js';
import type { PrunedAuditEvents } from '../../stores/audit-store.js';
import {
  checkRequest,
  type Operated,
  type Operation,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from '../operation.js';

/** Which events of the audit trail may go. */
export interface PruneAudit extends OperatorRequest {
  /** Age of an event since it happened, in milliseconds. */
  olderThanMs: number;
  /**
   * True prunes events whose dead letters are all ended, too (ruling R18). An event with an open
   * dead letter or with a delivery that is still to be made is kept always. Default: false.
   */
  includeDeadLetters?: boolean | undefined;
  /** Most events to delete. Default: all that are old. */
  limit?: number | undefined;
}

/** What a pruning deleted. */
export interface AuditPruned extends Omit<PrunedAuditEvents, 'next'> {
  /** `nothing`: no event was old, or each that was is kept. */
  outcome: 'pruned' | 'nothing';
}

/** Events that one transaction looks at. */
const PAGE_EVENTS = 1_000;

const earliest = (a: Date | null, b: Date | null): Date | null => (a === null || (b !== null && b < a) ? b : a);
const latest = (a: Date | null, b: Date | null): Date | null => (a === null || (b !== null && b > a) ? b : a);

function add(sum: Omit<AuditPruned, 'outcome'>, page: PrunedAuditEvents): Omit<AuditPruned, 'outcome'> {
  return {
    events: sum.events + page.events,
    deliveries: sum.deliveries + page.deliveries,
    deadLetters: sum.deadLetters + page.deadLetters,
    occurredFrom: earliest(sum.occurredFrom, page.occurredFrom),
    occurredUntil: latest(sum.occurredUntil, page.occurredUntil),
  };
}

/**
 * Deletes old events of the audit trail with their deliveries, page by page; each page is one
 * transaction with its own event, and is undone where that event cannot be stored. Rejects with
 * `AUDIT_NOT_STORED`, with `AUDIT_TRAIL_APART` where the trail lies on another database than the
 * stores, and with the store's error; the pages before stay pruned, and a further call goes on.
 */
export async function pruneAudit<Tx>(
  parts: OperatorParts<Tx>,
  request: PruneAudit,
): Promise<Operated<AuditPruned['outcome']> & AuditPruned> {
  checkRequest<PruneAudit>('pruneAudit', request, {
    olderThanMs: (option, value) => checkMs(option, value as number, 1),
    includeDeadLetters: optional(checkBoolean),
    limit: optional((option, value) => checkWhole(option, value, 1)),
  });
  const { olderThanMs, includeDeadLetters = false, limit = Number.POSITIVE_INFINITY, actor, reason } = request;
  let sum: Omit<AuditPruned, 'outcome'> = {
    ...{ events: 0, deliveries: 0, deadLetters: 0 },
    ...{ occurredFrom: null, occurredUntil: null },
  };
  let after: string | null = null;
  do {
    const page = { olderThanMs, includeDeadLetters, limit: Math.min(PAGE_EVENTS, limit - sum.events), after };
    const operation: Operation<Tx, PrunedAuditEvents> = {
      action: 'audit.events.prune',
      targetType: 'audit_events',
      targetId: 'audit_events',
      payload: { olderThanMs, includeDeadLetters },
      actor,
      reason,
      mustRecord: true,
      change: (tx) => parts.stores.audit.prune(page, { tx }),
      hasChanged: ({ events }) => events > 0,
      describe: ({ events, deliveries, deadLetters, occurredFrom, occurredUntil }) => ({
        ...{ events, deliveries, deadLetters },
        occurredFrom: occurredFrom?.toISOString() ?? null,
        occurredUntil: occurredUntil?.toISOString() ?? null,
      }),
    };
    const { outcome } = await performOperation(parts, operation);
    sum = add(sum, outcome);
    after = outcome.next;
  } while (after !== null && sum.events < limit);
  const hasPruned = sum.events > 0;
  return { ...sum, outcome: hasPruned ? 'pruned' : 'nothing', audit: hasPruned ? 'recorded' : 'none' };
}
