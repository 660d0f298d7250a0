import { isCriticizerError } from '../foundation/errors.js';
import type { OutboundGate } from '../foundation/outbound.js';
import type { OutboxRow } from '../stores/notify-outbox.js';
import type { DeliverySettings, SettlementBody } from './deliver-settlement.js';
import type { Sender } from './senders/sender.js';

/**
 * The settlement of a row that waits while nothing may leave, null where it may. The row spends no
 * attempt and keeps its phase (EGR-4).
 */
export async function checkKillSwitch(options: {
  row: OutboxRow;
  sender: Pick<Sender, 'destination'>;
  outbound: OutboundGate | null;
  settings: Pick<DeliverySettings, 'outageWaitMs'>;
}): Promise<SettlementBody | null> {
  const { row, sender, outbound, settings } = options;
  try {
    await outbound?.check(sender.destination);
    return null;
  } catch (error) {
    if (!isCriticizerError(error)) throw error;
    const ageMs = row.updatedAt.getTime() - row.createdAt.getTime();
    return { kind: 'wait', delayMs: settings.outageWaitMs(ageMs), reason: error.code, phase: row.phase };
  }
}
