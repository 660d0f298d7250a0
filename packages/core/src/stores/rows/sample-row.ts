import type { SampleWindow } from '../sample-store.js';
import { type Instant, toDate, toMs } from './row-values.js';

/** A row of `sample_counts`: one counter of one variant in one bucket. */
export interface SampleRow {
  bucket: Instant;
  variant: string;
  counted: string;
  total: string | number;
}

/** Gathers rows, ordered by bucket and variant, into one window for each bucket and variant. */
export function toSampleWindows(rows: readonly SampleRow[]): SampleWindow[] {
  const windows: { bucket: Date; variant: string; counts: Record<string, number> }[] = [];
  for (const { bucket, variant, counted, total } of rows) {
    let window = windows.at(-1);
    if (window === undefined || window.bucket.getTime() !== toMs(bucket) || window.variant !== variant) {
      window = { bucket: toDate(bucket), variant, counts: {} };
      windows.push(window);
    }
    window.counts[counted] = Number(total);
  }
  return windows;
}
