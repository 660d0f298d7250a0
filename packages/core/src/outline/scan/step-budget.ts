/** Thrown inside this room when an outline has used up its steps; `outline` turns it into undefined. */
export class StepsExceeded extends Error {}

/** Counts the work of one outline, so that hostile text ends by a count and not by a clock. */
export class StepBudget {
  #left: number;

  constructor(maxSteps: number) {
    this.#left = maxSteps;
  }

  /** Takes `steps` from what is left; throws `StepsExceeded` when nothing is. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new StepsExceeded('the outline has used up its steps');
  }
}
