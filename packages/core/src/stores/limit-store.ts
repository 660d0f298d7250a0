/** Numbers that all processes share, such as the global limit W (WQ-10), whose name is `running`. */
export interface LimitStore<Tx> {
  readonly storeId: string;
  /** null: not limited. */
  get(name: string): Promise<number | null>;
  /**
   * Null removes the limit. Takes effect at the next claim of every process. With `expected` it is a
   * compare-and-set: where the limit has another value (null: none is set), nothing changes and the
   * answer is `conflict`.
   */
  set(
    name: string,
    value: number | null,
    options?: { tx?: Tx | undefined; expected?: number | null | undefined },
  ): Promise<'set' | 'conflict'>;
  /**
   * What a process does at start: records `value` where none is set, else compares. `disagrees`
   * means another process runs with a different number, and this one must not start.
   */
  agree(
    name: string,
    value: number,
  ): Promise<{ outcome: 'agreed' | 'recorded' } | { outcome: 'disagrees'; value: number }>;
}
