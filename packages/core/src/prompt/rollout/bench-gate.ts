import { checkFields, type OptionCheck, type OptionShape } from '../../foundation/check-options.js';

/** What `npm run bench:review -- --json FILE` says of one reviewer: shares of 0 to 1. */
export interface BenchFigures {
  /** Findings that found a planted defect, of all findings. */
  precision: number;
  /** Planted defects that were found, of all. */
  recall: number;
  /** Changes without a review, of all. */
  failed: number;
  /** How many defects were planted: the fewer, the more chance there is in the figures. */
  defects: number;
}

/** Figures of both sides, on the same changes. */
export interface BenchComparison {
  candidate: BenchFigures;
  baseline: BenchFigures;
}

const checkShare: OptionCheck = (option, value) => {
  if (typeof value !== 'number' || !(value >= 0 && value <= 1))
    throw new TypeError(`${option}: expected a number from 0 to 1`);
};
const figuresShape: OptionShape<BenchFigures> = {
  ...{ precision: checkShare, recall: checkShare, failed: checkShare },
  defects: (option, value) => {
    if (!Number.isSafeInteger(value) || (value as number) < 1)
      throw new TypeError(`${option}: expected a whole number from 1`);
  },
};
const checkFigures: OptionCheck = (option, value) => checkFields<BenchFigures>(option, value, figuresShape);

/** Checks the figures of both sides. Throws `TypeError`. */
export const benchShape: OptionCheck = (option, value) =>
  checkFields<BenchComparison>(option, value, { candidate: checkFigures, baseline: checkFigures });

/** Two standard errors of the difference of two shares of so many defects each. */
function allowance(one: number, other: number, defects: number): number {
  return 2 * Math.sqrt((one * (1 - one) + other * (1 - other)) / defects);
}

/**
 * The figures in which the candidate is surely worse: by more than two standard errors of a share of that
 * many defects. Empty: none (PR-4).
 */
export function compareBench({ candidate, baseline }: BenchComparison): readonly ('precision' | 'recall' | 'failed')[] {
  const defects = Math.min(candidate.defects, baseline.defects);
  const isBelow = (name: 'precision' | 'recall'): boolean =>
    baseline[name] - candidate[name] > allowance(candidate[name], baseline[name], defects);
  const failsMore = candidate.failed - baseline.failed > allowance(candidate.failed, baseline.failed, defects);
  return [...(['precision', 'recall'] as const).filter(isBelow), ...(failsMore ? (['failed'] as const) : [])];
}
