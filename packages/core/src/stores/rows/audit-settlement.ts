import type { AuditSettlement } from '../audit-store.js';

/** What a settlement writes into the row of its delivery. */
export interface SettledDelivery {
  state: 'delivered' | 'retry_wait' | 'dead_lettered';
  /** Gives back the attempt of a claim that counted one: of a row without a receipt. */
  refund?: 1;
  /** JSON of the new receipt; left out: none, but for `wait`, which keeps it. */
  receipt?: string;
  keepsReceipt?: 1;
  delayMs?: number;
  errorCode?: string;
  errorMessage?: string;
}

/** The columns of a delivery that a settlement changes. */
export function settleColumns(settlement: AuditSettlement): SettledDelivery {
  switch (settlement.kind) {
    case 'delivered':
      return { state: 'delivered' };
    case 'accepted':
      return {
        state: 'retry_wait',
        delayMs: settlement.delayMs,
        receipt: JSON.stringify(settlement.receipt),
      };
    case 'retry':
      return {
        state: 'retry_wait',
        delayMs: settlement.delayMs,
        errorCode: settlement.errorCode,
        errorMessage: settlement.errorMessage,
      };
    case 'wait':
      return { state: 'retry_wait', delayMs: settlement.delayMs, refund: 1, keepsReceipt: 1 };
    case 'dead-letter':
      return { state: 'dead_lettered', errorCode: settlement.errorCode, errorMessage: settlement.errorSummary };
  }
}
