/** Work that is held under a lease: jobs, rows of the outbox. */
export interface LeaseSource<Work> {
  claim(request: { owner: string; token: string; leaseMs: number; limit: number }): Promise<readonly Work[]>;
  /** In the order given. */
  heartbeat(work: readonly Work[], leaseMs: number): Promise<readonly ('renewed' | 'lease-lost')[]>;
  /** A hint that work may be due; polling stays the truth. */
  subscribe?(listener: () => void): Promise<() => Promise<void>>;
}
