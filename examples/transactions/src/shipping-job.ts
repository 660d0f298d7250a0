// #region job
import type { NewJob } from '@criticizer/core';

/** What an order starts. The order's id is in the key: however often it is enqueued, it is one job. */
export function shippingJob(order: string): NewJob {
  return { kind: 'ship-order', stage: 'ship', payload: { order }, idempotencyKey: `ship-order:${order}` };
}
// #endregion
