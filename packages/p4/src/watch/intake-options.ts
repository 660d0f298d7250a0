import type { Criticizer } from '@criticizer/core';
import { checkBoolean, type OptionShape, observerShape, optional, withMethods } from '@criticizer/core/internal';
import type { JobStore, Telemetry } from '@criticizer/core/ports';
import type { P4ClientOptions } from '../client/p4-client.js';
import { clientShape, scopeShape } from '../policy/option-shapes.js';
import type { ServerScope } from '../policy/server-scope.js';

/** The scope is the change fetcher's; changes without a file inside the allow-list are not submitted. */
export interface ChangeIntakeOptions<Tx> extends P4ClientOptions, ServerScope {
  criticizer: Pick<Criticizer<Tx>, 'settings' | 'submit'>;
  /**
   * True where P4 Code Review calls a test of this server: then shelves are reviewed for its calls
   * alone, unless `intake.shelves` says otherwise. Default false.
   */
  hasCodeReview?: boolean | undefined;
  /** Of the stores the Criticizer works on. */
  jobs: Pick<JobStore<Tx>, 'latestVersion' | 'list'>;
  telemetry?: Telemetry | undefined;
}

/**
 * - `submitted`: a new job.
 * - `known`: this content of the change has been submitted before.
 * - `skipped`: not reviewed, and stored with why: `same_content`, with content that was reviewed, or
 *   waits to be, as a shelf under another number, or
 *   `path`, where no file is inside the allow-list and some have paths that no rule can judge, or
 *   `not_in_review` or `not_tagged`, a shelf that `intake.shelves` leaves out (INT-1).
 * - `out-of-scope`: no file inside the allow-list, or pending without a shelf. Nothing is stored.
 * - `not-found`: the server shows no such change.
 */
export type ChangeOutcome = 'submitted' | 'known' | 'skipped' | 'out-of-scope' | 'not-found';

/** What became of one change that was noticed. */
export interface SeenChange {
  number: number;
  outcome: ChangeOutcome;
  /** Null for the last two outcomes. Of a copied shelf the job in which its content is reviewed. */
  jobId: string | null;
  reviewVersion: number | null;
}

/** Who noticed the changes, and until when the intake may work. */
export interface TakeOptions {
  signal?: AbortSignal | undefined;
  /** `SubmitRequest.seenBy` of the jobs. Default: nobody is named. */
  seenBy?: string | undefined;
  /** P4 Code Review asks about them: their shelves are reviewed whatever `intake.shelves` says. Default false. */
  isInReview?: boolean | undefined;
}

/** Where changes come in, whoever noticed them: a watcher, a trigger, a person. */
export interface ChangeIntake {
  /**
   * Submits what of these changes has not been submitted yet; safe to repeat, and from many
   * processes at once (INV-2). A change has one job a content: a shelf replaced with another
   * content gets the next `review_version`, with the same none (INT-2). Reviews that the host
   * submits by itself, past the intake, count as versions at once and as contents when they were
   * fetched. Rejects with what the server or the store answered; what was submitted before stays
   * submitted.
   */
  take(numbers: readonly number[], options?: TakeOptions): Promise<readonly SeenChange[]>;
}

/** What a change has to be to come in. */
export interface IntakeScope {
  /** The server listed them for the allow-list's own paths: taken even where it shows no file. */
  listed: boolean;
  seenBy?: string | undefined;
  isInReview?: boolean | undefined;
}

/** The shape of what an intake takes; a watcher takes more. */
export const intakeShape: OptionShape<ChangeIntakeOptions<unknown>> = {
  ...clientShape,
  ...scopeShape,
  criticizer: withMethods('submit'),
  hasCodeReview: optional(checkBoolean),
  jobs: withMethods('latestVersion', 'list'),
  telemetry: observerShape.telemetry,
};
