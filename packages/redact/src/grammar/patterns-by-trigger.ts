/** A literal, and what may stand between it and a value. Several rows may share a literal. */
export type TriggeredPattern = readonly [trigger: string, before: RegExp];

/** The patterns of each literal, in the order of the rows. */
export function patternsByTrigger(rows: readonly TriggeredPattern[]): ReadonlyMap<string, readonly RegExp[]> {
  const patterns = new Map<string, RegExp[]>();
  for (const [trigger, before] of rows) patterns.set(trigger, [...(patterns.get(trigger) ?? []), before]);
  return patterns;
}

/** Where the text goes on behind each of the patterns that match from `from`, within a window. */
export function endsBehind(text: string, from: number, window: number, patterns: readonly RegExp[] = []): number[] {
  const rest = text.slice(from, from + window);
  return patterns.flatMap((pattern) => {
    const before = pattern.exec(rest);
    return before === null ? [] : [from + before[0].length];
  });
}
