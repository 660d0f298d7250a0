import type { CheckedCondition } from './alert-condition.js';

/** One condition that lasts for a time, whoever lives. */
export interface PassingSight {
  condition: CheckedCondition;
  lastsMs: number;
}

/** What one process sees by itself. */
export interface Sights {
  /** The observer's name among those of all processes. */
  readonly observer: string;
  /** Lasts until it is removed, or `untilMs` of the monotonic clock has come. True where it is new. */
  stand(condition: CheckedCondition, untilMs: number): boolean;
  /** Lasts for so long from its writing on. What comes again before that is counted. */
  pass(condition: CheckedCondition, lastsMs: number): void;
  /** False where it did not stand. */
  remove(key: string): boolean;
  /** What lasts as long as this process sees it. */
  standing(nowMs: number): readonly CheckedCondition[];
  /** What lasts for a time and is not written yet. */
  passing(): readonly PassingSight[];
  /** These are written. */
  written(passing: readonly PassingSight[]): void;
}

/** Sights of a kind at most: an outage of the store must not fill the memory. */
const maxSights = 1_000;

/** The memory of one process between two turns. */
export function createSights(observer: string): Sights {
  const standing = new Map<string, { condition: CheckedCondition; untilMs: number }>();
  const passing = new Map<string, PassingSight>();
  return {
    observer,
    stand(condition, untilMs) {
      const isNew = !standing.has(condition.key);
      if (isNew && standing.size >= maxSights) return false;
      standing.set(condition.key, { condition, untilMs });
      return isNew;
    },
    pass(condition, lastsMs) {
      const known = passing.get(condition.key);
      if (known === undefined && passing.size >= maxSights) return;
      const count = condition.count + (known?.condition.count ?? 0);
      passing.set(condition.key, { condition: { ...condition, count }, lastsMs });
    },
    remove: (key) => standing.delete(key),
    standing(nowMs) {
      for (const [key, { untilMs }] of standing) if (untilMs <= nowMs) standing.delete(key);
      return [...standing.values()].map(({ condition }) => condition);
    },
    passing: () => [...passing.values()],
    written(done) {
      for (const sight of done) if (passing.get(sight.condition.key) === sight) passing.delete(sight.condition.key);
    },
  };
}
