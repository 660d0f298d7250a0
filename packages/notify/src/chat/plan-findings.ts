/** How much of a finding is shown: title, place and facts; or all of it. */
export type ChatDetail = 'brief' | 'full';

export interface DetailPlan {
  /** For everything together, in the unit of `sizeOf`. */
  budget: number;
  /** How many of them, the first ones, may be full. */
  maxFull: number;
  /** How many may be shown at all. */
  maxShown: number;
  sizeOf(index: number, detail: ChatDetail): number;
}

/** Share of the budget that names findings before the first one is shown in full. */
const briefShare = 0.5;
/** Share of the budget that one finding may take before the others had their turn. */
const oneShare = 0.25;

/**
 * What of `count` findings, worst first, is shown: half of the budget names as many as fit, then as many
 * in full as fit, none over a quarter; what is left names more, then shows those that were too long. The
 * shown ones are always the first ones. Calls `sizeOf` a few times for each that is shown.
 */
export function planDetails(count: number, { budget, maxFull, maxShown, sizeOf }: DetailPlan): readonly ChatDetail[] {
  const planned: ChatDetail[] = [];
  let left = budget;
  const name = (reserve: number): void => {
    while (planned.length < Math.min(count, maxShown)) {
      const size = sizeOf(planned.length, 'brief');
      if (size > left - reserve) return;
      left -= size;
      planned.push('brief');
    }
  };
  const enrich = (most: number): void => {
    for (let index = 0; index < Math.min(planned.length, maxFull); index++) {
      if (planned[index] === 'full') continue;
      const growth = sizeOf(index, 'full') - sizeOf(index, 'brief');
      if (growth > Math.min(left, most)) continue;
      left -= growth;
      planned[index] = 'full';
    }
  };
  name(budget * (1 - briefShare));
  enrich(budget * oneShare);
  name(0);
  enrich(budget);
  return planned;
}
