import {
  binomialLowerTail,
  binomialUpperTail,
  type Counted,
  chanceOfFewer,
  chanceOfHigherShare,
  chanceOfMore,
  poissonLowerTail,
  poissonUpperTail,
} from './compare-counts.js';
import type { GateSettings } from './gate-settings.js';
import type { Clustering, CountSums } from './review-counts.js';

/** Both sides over one window. */
export interface Sides {
  candidate: CountSums;
  baseline: CountSums;
  /** The baseline over a longer time: its rate is surer, so that a smaller difference is no chance. */
  usual: CountSums;
  /** Of both, over the whole time of the slice. */
  clustering: Clustering;
}

/** Whether one gate is surely missed (the rate is over its limit, and not by chance), and whether surely kept. */
export interface Judgement {
  isMissed(chance: number): boolean;
  isKept(chance: number): boolean;
}

/** A rounding error of the factor must not cost a whole event, which the tests count. */
const steady = (value: number): number => Math.round(value * 1e6) / 1e6;

/** Counts worth as many independent events. */
const weigh = (events: number, exposure: number, factor: number): Counted => ({
  events: steady(events / factor),
  exposure: steady(exposure / factor),
});

/** PR-5: rejected replies are at most `rejectedRatio` times the baseline's, or its floor's. */
export function judgeRejected({ candidate, baseline, usual, clustering }: Sides, gates: GateSettings): Judgement {
  const { rejectedRatio: ratio, rejectedFloor: floor } = gates;
  const one = weigh(candidate.rejected, candidate.responses, clustering.rejected);
  const other = weigh(baseline.rejected, baseline.responses, clustering.rejected);
  const longer = weigh(usual.rejected, usual.responses, clustering.rejected);
  // By the same window on both sides, so that an outage of the model, which hits both, is nobody's fault.
  const limit = ratio * Math.max(floor, baseline.rejected / baseline.responses);
  const isOver = candidate.rejected / candidate.responses > limit;
  return {
    isMissed: (chance) =>
      isOver &&
      poissonUpperTail(Math.floor(one.events), floor * one.exposure) <= chance &&
      chanceOfHigherShare(one, longer) <= chance,
    isKept: (chance) =>
      !isOver &&
      (chanceOfFewer(one, other, ratio) <= chance ||
        poissonLowerTail(Math.ceil(one.events), ratio * floor * one.exposure) <= chance),
  };
}

/** PR-6: valid findings a review are at least `findingsShare` of the baseline's, and at least the floor. */
export function judgeFindings({ candidate, baseline, clustering }: Sides, gates: GateSettings): Judgement {
  const { findingsShare: share, findingsFloor: floor } = gates;
  const one = weigh(candidate.valid, candidate.jobs, clustering.valid);
  const other = weigh(baseline.valid, baseline.jobs, clustering.valid);
  const [rate, usual] = [candidate.valid / candidate.jobs, baseline.valid / baseline.jobs];
  // A floor that the baseline misses too says nothing of the candidate.
  const isUnderFloor = floor !== null && usual >= floor && rate < floor;
  return {
    isMissed: (chance) =>
      (rate < share * usual && chanceOfFewer(one, other, 1) <= chance) ||
      (isUnderFloor && poissonLowerTail(Math.ceil(one.events), floor * one.exposure) <= chance),
    isKept: (chance) =>
      rate >= share * usual &&
      chanceOfMore(one, other, share) <= chance &&
      (floor === null || poissonUpperTail(Math.floor(one.events), floor * one.exposure) <= chance),
  };
}

/** PR-4: at most `droppedShare` of the candidate's findings are dropped. */
export function judgeDropped({ candidate, clustering }: Sides, gates: GateSettings): Judgement {
  const sent = candidate.valid + candidate.dropped;
  const { events, exposure } = weigh(candidate.dropped, sent, clustering.dropped);
  const [trials, slo] = [Math.round(exposure), gates.droppedShare];
  return {
    isMissed: (chance) =>
      candidate.dropped > slo * sent && binomialUpperTail(Math.floor(events), trials, slo) <= chance,
    isKept: (chance) => candidate.dropped <= slo * sent && binomialLowerTail(Math.ceil(events), trials, slo) <= chance,
  };
}
