function sorted(values: readonly number[]): number[] {
  if (values.length === 0) throw new Error('no values');
  return [...values].sort((a, b) => a - b);
}

/** Nearest rank: `percentile(values, 99)` is a value that was measured. */
export function percentile(values: readonly number[], p: number): number {
  const all = sorted(values);
  return all[Math.max(0, Math.ceil((p / 100) * all.length) - 1)] as number;
}

export function median(values: readonly number[]): number {
  const all = sorted(values);
  const middle = all.length >> 1;
  return all.length % 2 === 1 ? (all[middle] as number) : ((all[middle - 1] as number) + (all[middle] as number)) / 2;
}
