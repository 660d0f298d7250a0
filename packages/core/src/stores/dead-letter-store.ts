import type { Actor, ActorName } from '../foundation/actor.js';
import type { FailureCategory } from '../foundation/errors.js';
import type { JsonObject } from '../foundation/json.js';
import type { Page, TimeSpan } from '../foundation/page.js';

/** ERR-7: what a dead letter must hold. Already sanitized by core (ERR-8). */
export interface NewDeadLetter {
  errorClass: string;
  category: FailureCategory;
  lastStack: string;
  sanitizedContext: JsonObject;
  /**
   * A bug pages, a policy reject escalates to an operator, and so does a replay that failed again
   * with the same class (ERR-7, ERR-10).
   */
  escalation: 'none' | 'operator' | 'page';
}

/** What an operator did about a dead letter. */
export type DeadLetterStatus = 'open' | 'replaying' | 'resolved' | 'ignored';

/** A job that failed for good: where, why, and who has looked at it. */
export interface DeadLetter extends NewDeadLetter {
  id: string;
  /** The original payload's reference: the job row still holds it. */
  jobId: string;
  kind: string;
  changelistId: string | null;
  stage: string;
  /** Attempts of the failing stage. */
  attempts: number;
  firstFailureAt: Date;
  lastFailureAt: Date;
  createdAt: Date;
  updatedAt: Date;
  status: DeadLetterStatus;
  /** How often this letter was replayed. */
  replays: number;
  /** The letter whose replay failed into this one. */
  replayOf: string | null;
  /** Newest last; append only. */
  notes: readonly DeadLetterNote[];
}

/** What somebody did with a dead letter, and when. */
export interface DeadLetterNote {
  at: Date;
  /** Type and id of who wrote it; roles are not kept. */
  actor: ActorName;
  text: string;
}

/** From which stage a dead letter's job runs again, and who says so. */
export interface ReplayRequest {
  deadLetterId: string;
  /** Where the job starts again: the letter's own `stage`, or the first of its kind for a full restart (ERR-9). */
  stage: string;
  /** True is a full restart: all outputs and every stage's attempts are cleared. */
  fromStart: boolean;
  actor: Actor;
  /** The remediation evidence, kept as a note (ERR-9). */
  evidence: string;
}

/** Which dead letters a list gives; filters combine. */
export interface DeadLetterFilter extends Page, TimeSpan {
  status?: DeadLetterStatus | undefined;
  stage?: string | undefined;
  errorClass?: string | undefined;
  kind?: string | undefined;
  jobId?: string | undefined;
  changelistId?: string | undefined;
}

/** The operator's side of dead letters (ERR-7, ERR-9, ERR-10). They are written by `JobStore.settle` alone. */
export interface DeadLetterStore<Tx> {
  readonly storeId: string;
  get(id: string): Promise<DeadLetter | null>;
  /** Newest first by `createdAt`, which `since` and `until` compare. */
  list(filter: DeadLetterFilter): Promise<readonly DeadLetter[]>;
  /** Appends a note; status unchanged. */
  note(
    id: string,
    note: { actor: Actor; text: string },
    options?: { tx?: Tx | undefined },
  ): Promise<'noted' | 'not-found'>;
  /**
   * One compare-and-set: letter `open` to `replaying`, job `failed` to `queued` at `stage` with
   * that stage's attempts (all stages' with `fromStart`), `lostLeases` and failure cleared and
   * `replayOf` set. Of two operators one wins.
   */
  replay(request: ReplayRequest, options?: { tx?: Tx | undefined }): Promise<'replayed' | 'not-open' | 'not-found'>;
  /**
   * Ends a letter. `resolved` is refused with `not-all-notified` while a required mail row of the
   * job lacks `notifiedAt`, `ignored` is not (ruling R17). The note is mandatory.
   */
  close(
    id: string,
    closing: { status: 'resolved' | 'ignored'; actor: Actor; note: string },
    options?: { tx?: Tx | undefined },
  ): Promise<'closed' | 'already-closed' | 'not-all-notified' | 'not-found'>;
  /** How many letters are open, by stage, error class and escalation, in that order. */
  stats(): Promise<
    readonly { stage: string; errorClass: string; escalation: NewDeadLetter['escalation']; open: number }[]
  >;
}
