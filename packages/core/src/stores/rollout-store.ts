import type { JsonObject, JsonValue } from '../foundation/json.js';

/**
 * A shared, versioned document: rollout slices and versions (PR-4), latched gates (PR-5, PR-6), the
 * kill switch (EGR-4).
 */
export interface RolloutEntry {
  name: string;
  /** 0: never written. */
  revision: number;
  value: JsonValue;
  updatedAt: Date | null;
}

/** Counts of one prompt version over one bucket of time. */
export interface RolloutSample {
  name: string;
  variant: string;
  /** `responses`, `response_rejected`, `findings_valid`, `findings_dropped`, … added up per bucket. */
  counts: Readonly<Record<string, number>>;
}

/** What was counted of one variant in one window of time. */
export interface RolloutWindow {
  variant: string;
  /** Start of the bucket by the store's clock, `bucketMs` long. */
  bucket: Date;
  counts: JsonObject;
}

/**
 * Versioned values by name, each written only over the revision that its writer has read, and
 * samples counted in buckets of time.
 */
export interface RolloutStore<Tx> {
  readonly storeId: string;
  /** An entry never written comes as revision 0 and value null. */
  read(name: string): Promise<RolloutEntry>;
  /** Writes where the stored revision is `expectedRevision`; the new one is one higher. */
  write(
    name: string,
    expectedRevision: number,
    value: JsonValue,
    options?: { tx?: Tx | undefined },
  ): Promise<{ outcome: 'written'; revision: number } | { outcome: 'conflict'; revision: number }>;
  addSamples(samples: readonly RolloutSample[], options: { bucketMs: number }): Promise<void>;
  /** Buckets that began at most `sinceMs` milliseconds ago: a duration by the store's clock, no instant. */
  readSamples(name: string, options: { sinceMs: number }): Promise<readonly RolloutWindow[]>;
}
