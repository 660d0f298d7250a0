import type { MemoryLease } from './memory-database.js';

/** A lease from now on. */
export function leaseFrom(now: Date, request: { owner: string; token: string; leaseMs: number }): MemoryLease {
  return { owner: request.owner, token: request.token, expiresAt: new Date(now.getTime() + request.leaseMs) };
}

/** True while the lease keeps others away. */
export function isHeld(lease: MemoryLease | null, now: Date): boolean {
  return lease !== null && lease.expiresAt > now;
}

/** True for the holder, also after the expiry, as long as nobody took the row (INV-3). */
export function isHolder(lease: MemoryLease | null | undefined, fence: { owner: string; token: string }): boolean {
  return lease !== null && lease !== undefined && lease.owner === fence.owner && lease.token === fence.token;
}
