import { CriticizerError } from '../foundation/errors.js';
import { checkWhole } from '../foundation/store-input.js';

/** What an operator said of a change, apart from its jobs: keep everything, or remove everything (ruling R24). */
export interface ChangeMark {
  /** `<serverId>/<number>`, or the host's own scope. */
  changelistId: string;
  /** A legal hold: no age and no purge removes anything of the change. */
  isHeld: boolean;
  /** Since when everything of the change is being removed; null: it is not. */
  purgingSince: Date | null;
}

/** Which marks a list gives; filters combine. */
export interface ChangeMarkFilter {
  /** Only marks of this kind. Default: all. */
  kind?: 'held' | 'purging' | undefined;
  /** Behind this change, in the order of the ids. */
  after?: string | undefined;
  /** Default 100, at most 1,000. */
  limit?: number | undefined;
}

/**
 * What one step of a purge left. `done`: nothing of the change is left, and its mark is gone.
 * `waiting`: call again. `not-purging`: nobody asked for it, or a hold ended it.
 */
export interface PurgeStep {
  outcome: 'done' | 'waiting' | 'not-purging';
  /** Jobs that run; their owners were asked to end them. */
  running: number;
  /** Mails whose delivery is under way. */
  sending: number;
  /** Rows of the artifact manifest whose bytes are not proven gone. */
  artifacts: number;
}

/** Holds and purges of changes (EGR-5, ruling R24). */
export interface ChangeStore<Tx> {
  readonly storeId: string;
  /** The mark of a change; one without any is neither held nor being purged. */
  get(changelistId: string): Promise<ChangeMark>;
  /** Marks in the order of their ids. */
  list(filter: ChangeMarkFilter): Promise<readonly ChangeMark[]>;
  /**
   * Holds a change, or releases it. A hold ends a purge that is under way: what is gone is gone, and
   * a later purge must be asked for again. Held artifacts can be read past their expiry.
   */
  setHold(changelistId: string, isHeld: boolean, options?: { tx?: Tx | undefined }): Promise<'set' | 'unchanged'>;
  /**
   * Marks a change to be removed. From its commit on, `JobStore.enqueue` rejects jobs of the change
   * with `CHANGE_PURGING` (conflict). `held`: a hold is in the way, nothing was changed.
   */
  beginPurge(changelistId: string, options?: { tx?: Tx | undefined }): Promise<'begun' | 'already-begun' | 'held'>;
  /**
   * One step, in one transaction: asks owners of running jobs to end them, deletes the other jobs,
   * the dead letters, the mails that are not being sent and the manifest rows whose bytes are proven
   * gone, the suppressions of its findings, and empties `paths` of the egress records, which stay.
   * Where nothing is left it removes the mark. Repeating a step changes nothing more.
   */
  purgeRows(changelistId: string): Promise<PurgeStep>;
}

/** How many marks to give. Throws `TypeError` for a limit that is not from 1 to 1,000. */
export function markLimit(limit: number | undefined): number {
  if (limit !== undefined) checkWhole('filter.limit', limit, 1, 1_000);
  return limit ?? 100;
}

/** The error of an enqueue whose change is being purged. */
export function changePurging(changelistId: string): CriticizerError {
  return new CriticizerError(
    'CHANGE_PURGING',
    'Everything of the change is being removed; submit it again afterwards.',
    {
      category: 'conflict',
      details: { changelistId },
    },
  );
}

/** The reason that `purgeRows` gives the jobs which it asks to end. */
export const purgedReason = 'its change is being purged';
