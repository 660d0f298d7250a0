import type { ChangeSummary } from '../changes/change.js';

export interface Recipient {
  /** An addr-spec; validated by core, refused with CR, LF, NUL, commas or several @. */
  address: string;
  name?: string | undefined;
  /** The job completes only when every required recipient has the mail (NOT-10). */
  required: boolean;
  /**
   * Id of the mailer that delivers to this recipient; default the first one. An unknown id is
   * refused with `MAILER_UNKNOWN`: in `submit`, and for a resolver's recipients at its answer.
   */
  via?: string | undefined;
}

/**
 * Who gets the review of a change. Duplicates by address are merged by core, required wins. An
 * empty list completes the job without mail (INT-3).
 */
export interface RecipientResolver {
  resolve(change: ChangeSummary, options: { signal: AbortSignal }): Promise<readonly Recipient[]>;
}
