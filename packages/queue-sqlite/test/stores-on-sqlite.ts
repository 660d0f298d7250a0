import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stores } from '@criticizer/core';
import type { SqliteTx } from '../src/shared/sqlite-database.js';
import { createStoresOnSqlite } from '../src/sqlite-stores.js';

/** A folder of its own that goes away with `remove`. */
export function scratchFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'crit-sqlite-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

interface Given {
  stores: Stores<SqliteTx>;
  another(): Stores<SqliteTx>;
  clock: { advance(ms: number): void; step(ms: number): void };
  dispose(): Promise<void>;
}

/** Fresh, migrated, empty stores whose clock stands still until it is advanced. */
export async function freshStores(where: 'file' | 'memory'): Promise<Given> {
  const folder = where === 'file' ? scratchFolder() : undefined;
  let passedMs = 0;
  let wallMs = Date.UTC(2026, 0, 1);
  const file = folder === undefined ? ':memory:' : join(folder.path, 'criticizer.db');
  // No power is lost in a test: the cheaper mode keeps the suite fast.
  const open = () =>
    createStoresOnSqlite({ file, synchronous: 'normal' }, { hostMs: () => wallMs, monotonicMs: () => passedMs });
  const stores = open();
  const opened = [stores];
  await stores.migrate();
  return {
    stores,
    another() {
      // A database in memory belongs to its connection.
      if (folder === undefined) return stores;
      const more = open();
      opened.push(more);
      return more;
    },
    clock: {
      advance(ms) {
        passedMs += ms;
        wallMs += ms;
      },
      step(ms) {
        wallMs += ms;
      },
    },
    async dispose() {
      for (const one of opened) await one.close();
      folder?.remove();
    },
  };
}
