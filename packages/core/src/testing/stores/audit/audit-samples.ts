import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { AuditDeadLetter, AuditEvent, AuditStore, ClaimedAuditDelivery } from '../../../stores/audit-store.js';
import type { Stores } from '../../../stores/stores.js';
import { leaseMs, newAuditEvent, one } from '../sample-rows.js';

type Claim = Parameters<AuditStore<unknown>['claim']>[0];

/** A claim of up to ten deliveries to `siem` by a fresh owner. */
export function auditClaim(over: Partial<Claim> = {}): Claim {
  return { owner: `owner-${randomUUID()}`, token: randomUUID(), leaseMs, limit: 10, destinations: ['siem'], ...over };
}

/** Records one event. */
export async function recorded<Tx>(
  stores: Stores<Tx>,
  destinations: readonly string[] = ['siem'],
): Promise<AuditEvent> {
  return stores.audit.record(newAuditEvent(), destinations);
}

/** Claims exactly one delivery. */
export async function claimedDelivery<Tx>(
  stores: Stores<Tx>,
  over: Partial<Claim> = {},
): Promise<ClaimedAuditDelivery> {
  return one(await stores.audit.claim(auditClaim(over)));
}

/** Claims the one due delivery and dead-letters it. */
export async function deadLettered<Tx>(stores: Stores<Tx>): Promise<AuditDeadLetter> {
  const { lease } = await claimedDelivery(stores);
  const failure = { errorCode: 'HTTP_422', errorSummary: 'schema refused', errorDetails: { field: 'actor' } };
  assert.deepEqual(await stores.audit.settle([{ lease, kind: 'dead-letter', ...failure }]), ['settled']);
  return one(await stores.audit.listDeadLetters({ operatorStatus: 'open' }));
}
