import type { ClaimedOutboxRow } from '../stores/notify-outbox.js';
import { createLeaseLoop, type LeaseLoop } from '../worker/lease-loop.js';
import { createMailDelivery, type MailDeliveryOptions } from './mail-delivery.js';

/**
 * Delivers whatever is due in the outbox, with or without a job: mails of optional recipients whose
 * review has ended, mails of the host. The lease loop over the outbox.
 */
export function createMailWorker(options: MailDeliveryOptions & { poll: { minMs: number; maxMs: number } }): LeaseLoop {
  const { outbox, settings } = options;
  const deliver = createMailDelivery(options);
  return createLeaseLoop<ClaimedOutboxRow>({
    name: 'mail',
    source: {
      claim: (request) => outbox.claim({ ...request, via: options.mailers.ids, purpose: 'deliver' }),
      heartbeat: (work, leaseMs) =>
        outbox.heartbeat(
          work.map((w) => w.lease),
          leaseMs,
        ),
    },
    handle: (row, hold) => deliver(row, hold.signal),
    concurrency: settings.concurrency,
    leaseMs: settings.leaseMs,
    poll: options.poll,
    clock: options.clock,
    random: options.random,
    logger: options.logger,
    telemetry: options.telemetry,
  });
}
