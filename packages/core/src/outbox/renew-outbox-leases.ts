import type { ClaimedOutboxRow, NotifyOutbox } from '../stores/notify-outbox.js';

/** The heartbeat of loops over the outbox, for deliveries and for look-ups alike. */
export function renewOutboxLeases(outbox: Pick<NotifyOutbox<never>, 'heartbeat'>) {
  return (work: readonly ClaimedOutboxRow[], leaseMs: number) =>
    outbox.heartbeat(
      work.map(({ lease }) => lease),
      leaseMs,
    );
}
