// A process that opens each file named on a line of its input, new or not, with automatic
// migration, and prints `ok` or the error's code.
import { createInterface } from 'node:readline';
import { createSqliteStores } from '../src/sqlite-stores.js';

async function open(file: string): Promise<string> {
  try {
    const stores = createSqliteStores({ file, migrate: 'auto' });
    await stores.jobs.stats();
    await stores.close();
    return 'ok';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

process.stdout.write('ready\n');
for await (const file of createInterface({ input: process.stdin })) process.stdout.write(`${await open(file)}\n`);
