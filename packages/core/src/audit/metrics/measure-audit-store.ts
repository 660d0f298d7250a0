import type { Clock } from '../../foundation/time/clock.js';
import { systemClock } from '../../foundation/time/system-clock.js';
import type { AuditLease, AuditStore, ClaimedAuditDelivery } from '../../stores/audit-store.js';
import type { AuditMetrics } from './audit-metrics.js';

/** Claims whose end was not seen: a worker that died, or whose lease was lost. */
const MAX_CLAIMED = 10_000;

const keyOf = ({ token, deliveryId }: AuditLease): string => token + deliveryId;

/**
 * The same store, which emits latency and retries of each delivery that a worker settles as
 * delivered, and its counts whenever `stats` is read (AUD-18). The latency is the host's clock less
 * the store's time of recording. Wrap the store that the worker gets.
 */
export function measureAuditStore<Tx>(
  store: AuditStore<Tx>,
  metrics: AuditMetrics,
  clock: Pick<Clock, 'nowMs'> = systemClock,
): AuditStore<Tx> {
  const claimed = new Map<string, ClaimedAuditDelivery>();
  const remember = (claim: ClaimedAuditDelivery): void => {
    const key = keyOf(claim.lease);
    claimed.delete(key);
    claimed.set(key, claim);
    if (claimed.size > MAX_CLAIMED) claimed.delete(claimed.keys().next().value ?? '');
  };
  return {
    ...store,
    async claim(request) {
      const claims = await store.claim(request);
      for (const claim of claims) remember(claim);
      return claims;
    },
    async settle(settlements) {
      const outcomes = await store.settle(settlements);
      for (const [at, { kind, lease }] of settlements.entries()) {
        const claim = claimed.get(keyOf(lease));
        claimed.delete(keyOf(lease));
        if (claim === undefined || kind !== 'delivered' || outcomes[at] !== 'settled') continue;
        const { delivery, event } = claim;
        metrics.delivered(delivery, event, clock.nowMs() - delivery.createdAt.getTime());
      }
      return outcomes;
    },
    async stats() {
      const counts = await store.stats();
      metrics.counted(counts);
      return counts;
    },
  };
}
