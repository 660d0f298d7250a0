/** Rows by key, in the order they were first put. */
export interface MemoryTable<Row> {
  get(key: string): Row | undefined;
  put(key: string, row: Row): void;
  remove(key: string): void;
  entries(): Iterable<readonly [string, Row]>;
  rows(): Row[];
}

/** Changes over another table that nobody else sees until `commit`. Dropped, they leave no trace. */
export interface StagedTable<Row> extends MemoryTable<Row> {
  commit(): void;
}

export function createMemoryTable<Row>(): MemoryTable<Row> {
  const rows = new Map<string, Row>();
  return {
    get: (key) => rows.get(key),
    put: (key, row) => {
      rows.set(key, row);
    },
    remove: (key) => {
      rows.delete(key);
    },
    entries: () => rows.entries(),
    rows: () => [...rows.values()],
  };
}

export function stageTable<Row>(under: MemoryTable<Row>): StagedTable<Row> {
  // An empty cell is a removed row; the wrapper keeps that apart from any row a table may hold.
  const changed = new Map<string, { row: Row } | null>();
  function* entries(): Generator<readonly [string, Row]> {
    if (changed.size === 0) {
      yield* under.entries();
      return;
    }
    const seen = new Set<string>();
    for (const entry of under.entries()) {
      const cell = changed.get(entry[0]);
      if (cell === undefined) yield entry;
      else {
        seen.add(entry[0]);
        if (cell !== null) yield [entry[0], cell.row];
      }
    }
    for (const [key, cell] of changed) if (cell !== null && !seen.has(key)) yield [key, cell.row];
  }
  return {
    get(key) {
      const cell = changed.get(key);
      return cell === undefined ? under.get(key) : cell?.row;
    },
    put(key, row) {
      changed.set(key, { row });
    },
    remove(key) {
      changed.set(key, null);
    },
    entries,
    rows: () => Array.from(entries(), ([, row]) => row),
    commit() {
      for (const [key, cell] of changed) {
        if (cell === null) under.remove(key);
        else under.put(key, cell.row);
      }
      changed.clear();
    },
  };
}
