import type { Job } from '../job.js';

/** Compares by priority, then as jobs were enqueued (WQ-3). */
export function inClaimOrder(a: Job, b: Job): number {
  return b.priority - a.priority || a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1);
}
