import type { NotifyOutbox } from '../stores/notify-outbox.js';
import { errorFacts } from '../telemetry/error-facts.js';
import { insistOnWrite } from '../worker/retry/insist-on-write.js';
import type { DeliverOptions, DeliveryResult } from './deliver-options.js';
import type { SettlementBody } from './deliver-settlement.js';

const outcomes = {
  sent: 'sent',
  retry: 'retrying',
  wait: 'waiting',
  failed: 'failed',
  unknown: 'held',
  cancelled: 'cancelled',
} as const;

function codeOf(body: SettlementBody): string | undefined {
  if (body.kind === 'wait') return body.reason;
  return 'failure' in body ? body.failure.code : undefined;
}

/** Which row is settled, and by what. */
type SettleOptions<Tx> = Pick<DeliverOptions<Tx>, 'lease' | 'row' | 'clock' | 'logger'> & {
  outbox: Pick<NotifyOutbox<Tx>, 'settle'>;
};

/** What a delivery came to, in one write; only a mail that was accepted is worth insisting on. */
export async function settle<Tx>(
  { outbox, lease, row, clock, logger }: SettleOptions<Tx>,
  body: SettlementBody,
): Promise<DeliveryResult> {
  const write = async (): Promise<DeliveryResult> => {
    const [settled] = await outbox.settle([{ lease, ...body }]);
    if (settled !== 'settled') return { outcome: 'lease-lost' };
    const outcome = body.kind === 'sent' && body.recovered ? 'recovered' : outcomes[body.kind];
    return { outcome, code: codeOf(body) };
  };
  if (body.kind !== 'sent') return write();
  return insistOnWrite(write, {
    clock,
    onFailed: (error) =>
      logger.warn(
        { event: 'mail.settle_failed', rowId: row.id, ...errorFacts(error) },
        'could not mark an accepted mail as sent; trying again',
      ),
  });
}
