/** What a heartbeat found of one work. */
export type Heartbeat = 'renewed' | 'cancel-requested' | 'lease-lost';

/** Work that is held under a lease: jobs, rows of the outbox. */
export interface LeaseSource<Work> {
  claim(request: { owner: string; token: string; leaseMs: number; limit: number }): Promise<readonly Work[]>;
  /** In the order given. `cancel-requested`: renewed, and the work is to be given back at once (ruling R24). */
  heartbeat(work: readonly Work[], leaseMs: number): Promise<readonly Heartbeat[]>;
  /** A hint that work may be due; polling stays the truth. */
  subscribe?(listener: () => void): Promise<() => Promise<void>>;
}
