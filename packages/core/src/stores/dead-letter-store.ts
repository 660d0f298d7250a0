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

/**
 * `open`: nobody has looked · `triaged`: somebody has, with a cause · `replaying`: its job runs again
 * · `resolved` · `ignored` · `failed-again`: the replay ended in another letter, which names this one.
 */
export type DeadLetterStatus = 'open' | 'triaged' | 'replaying' | 'resolved' | 'ignored' | 'failed-again';

/**
 * What a note says: the cause that was found, the remediation, why it was replayed, why it was
 * closed, what the store did by itself, or anything else.
 */
export type DeadLetterNoteKind = 'triage' | 'evidence' | 'replay' | 'closing' | 'system' | 'note';

/** A job that failed for good: where, why, and who has looked at it. */
export interface DeadLetter extends NewDeadLetter {
  id: string;
  /** The original payload's reference: the job row still holds it. */
  jobId: string;
  kind: string;
  changelistId: string | null;
  stage: string;
  /** Error class and message without ids, numbers and paths: equal for letters of one cause. 12 hex characters. */
  causeKey: string;
  /** The message of the cause: the first line of the stack, its ids, numbers and paths collapsed. */
  cause: string;
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
  kind: DeadLetterNoteKind;
  text: string;
}

/** A note to append; its kind is `note` by default. */
export interface NewDeadLetterNote {
  actor: Actor;
  /** 1 to 8,192 characters. */
  text: string;
  kind?: 'note' | 'evidence' | undefined;
}

/** From which stage a dead letter's job runs again, and who says so. */
export interface ReplayRequest {
  deadLetterId: string;
  /** Where the job starts again: the letter's own `stage`, or the first of its kind for a full restart (ERR-9). */
  stage: string;
  /** True is a full restart: all outputs and every stage's attempts are cleared. */
  fromStart: boolean;
  actor: Actor;
  /** What was mended, kept as a note (ERR-9). It or `reason` is required. */
  evidence?: string | undefined;
  /** Why the job runs again, kept as a note. */
  reason?: string | undefined;
  /** The job is due so many milliseconds from the store's now. Default 0. */
  delayMs?: number | undefined;
}

/** Which dead letters a list gives; filters combine. */
export interface DeadLetterFilter extends Page, TimeSpan {
  status?: DeadLetterStatus | undefined;
  stage?: string | undefined;
  errorClass?: string | undefined;
  kind?: string | undefined;
  jobId?: string | undefined;
  changelistId?: string | undefined;
  /** Letters of one cause, as `groups` gives it. */
  causeKey?: string | undefined;
}

/** Which dead letters are counted by cause, and how many causes to give: 1 to 1,000, default 100. */
export type DeadLetterGroupFilter = Omit<DeadLetterFilter, 'before'>;

/** The dead letters of one cause: one class, one message but for ids, numbers and paths. */
export interface DeadLetterGroup {
  causeKey: string;
  cause: string;
  errorClass: string;
  count: number;
  /** First failure of the oldest letter. */
  firstSeenAt: Date;
  /** Last failure of the newest letter. */
  lastSeenAt: Date;
  oldestId: string;
  newestId: string;
}

/** The operator's side of dead letters (ERR-7, ERR-9, ERR-10). They are written by `JobStore.settle` alone. */
export interface DeadLetterStore<Tx> {
  readonly storeId: string;
  get(id: string): Promise<DeadLetter | null>;
  /** Newest first by `createdAt`, which `since` and `until` compare. */
  list(filter: DeadLetterFilter): Promise<readonly DeadLetter[]>;
  /** By cause, the largest group first, then by key. */
  groups(filter: DeadLetterGroupFilter): Promise<readonly DeadLetterGroup[]>;
  /** Appends a note; status unchanged. */
  note(id: string, note: NewDeadLetterNote, options?: { tx?: Tx | undefined }): Promise<'noted' | 'not-found'>;
  /** One compare-and-set: `open` to `triaged`, with the cause as a note, and the remediation where it is known. */
  triage(
    id: string,
    triage: { actor: Actor; cause: string; evidence?: string | undefined },
    options?: { tx?: Tx | undefined },
  ): Promise<'triaged' | 'not-open' | 'not-found'>;
  /**
   * One compare-and-set: letter `open` or `triaged` to `replaying`, job `failed` to `queued` at `stage` with
   * that stage's attempts (all stages' with `fromStart`), `lostLeases` and failure cleared and
   * `replayOf` set. Of two operators one wins. The settlement that ends that run moves the letter:
   * `resolved` once every required mail has `notifiedAt`, `failed-again` with the next dead letter,
   * `ignored` where the job ends as failed without one; each with a note of kind `system`. A cancel
   * that ends the run, by whichever way, reopens it: `triaged` where its notes have a cause or a
   * remediation, else `open`.
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
  /** How many letters are `open` or `triaged`, by stage, error class and escalation, in that order. */
  stats(): Promise<
    readonly { stage: string; errorClass: string; escalation: NewDeadLetter['escalation']; open: number }[]
  >;
}
