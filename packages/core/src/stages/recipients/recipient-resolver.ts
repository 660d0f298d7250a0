import type { ChangeSummary } from '../../changes/change.js';
import type { ReviewState } from '../../review/merge/review-state.js';
import type { Severity } from '../../review/review-result.js';

/** Who gets a mail, and whether the job waits until it has arrived. */
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
  /**
   * Why this person gets the mail, which says so: `author`, `reviewer`, `owner`, `requested` (named where the
   * review was asked for; the default there) or `configured`; other words, such as "the owners of
   * //depot/main", stand in it as they are, up to 200 characters. Left out: the mail does not say.
   */
  reason?: string | undefined;
}

/** What a resolver may choose by. Unredacted: names and paths are the change's own. */
export interface RecipientRequest {
  change: ChangeSummary;
  /**
   * Every depot path that the change touches, each once, in the change's order; a moved file by its
   * new and its old one.
   */
  paths: readonly string[];
  /** What may be said of the change; only `no_findings` is clean. */
  verdict: ReviewState['verdict'];
  /** All findings by effective severity, those below the floor and over the cap too. */
  counts: Readonly<Record<Severity, number>>;
  /** Every finding that is counted: its effective severity, and the depot path; null: about the change itself. */
  findings: readonly { severity: Severity; path: string | null }[];
  /** The review version that is mailed. */
  version: number;
}

/**
 * Who gets the review of a change. Duplicates by address are merged by core, required wins. An
 * empty list completes the job without mail (INT-3).
 */
export interface RecipientResolver {
  /**
   * Ids of mailers that its recipients may name in `via`, where they are known: wiring refuses one
   * that it lacks. Left out: each answer is checked.
   */
  readonly vias?: readonly string[] | undefined;
  /**
   * Called once for each review that mails, after the model has answered. `signal` aborts when the
   * job ends or the time is over (`mail.recipientsTimeoutMs`, after which the stage is retried).
   */
  resolve(request: RecipientRequest, options: { signal: AbortSignal }): Promise<readonly Recipient[]>;
}
