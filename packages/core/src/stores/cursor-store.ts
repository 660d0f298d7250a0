/** How far a watcher has read, durable, moved by compare-and-set so that two watchers cannot move it backwards. */
export interface CursorStore<Tx> {
  readonly storeId: string;
  get(name: string): Promise<string | null>;
  /** Sets `next` only where the stored value is `expected` (null: absent). */
  advance(
    name: string,
    expected: string | null,
    next: string,
    options?: { tx?: Tx | undefined },
  ): Promise<'advanced' | 'moved'>;
}
