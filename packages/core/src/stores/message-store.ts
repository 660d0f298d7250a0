/** Which messages to remove. */
export interface MessagePruning {
  /** Kept for at least so many milliseconds; 0 or more. */
  olderThanMs: number;
  /** How many at most, 1 to 10,000. */
  limit: number;
}

/**
 * The bytes of a host's own mails, in the database of the outbox rows that refer to them: they
 * commit and roll back together. Mails of reviews never rest here: those are encrypted artifacts
 * (EGR-5). Fits `MessageVault`.
 */
export interface MessageStore<Tx> {
  readonly storeId: string;
  /**
   * Keeps 1 byte to 40 MB and gives the id that an outbox row refers to; live at once without `tx`.
   * `changelistId` is that of the row. Throws `TypeError` for other sizes.
   */
  save(
    bytes: Uint8Array,
    about: { changelistId: string; jobId: string | null },
    options?: { tx?: Tx | undefined },
  ): Promise<string>;
  /** Null where it was discarded, pruned or rolled back. */
  load(id: string): Promise<Uint8Array | null>;
  /** Removes it; nothing where it is gone already. */
  discard(id: string, options?: { tx?: Tx | undefined }): Promise<void>;
  /**
   * Removes old messages, oldest first, and gives how many. Never one that a row refers to which is
   * neither sent nor cancelled: it may still be delivered.
   */
  prune(pruning: MessagePruning): Promise<number>;
}
