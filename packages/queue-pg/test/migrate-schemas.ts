// A process that migrates each schema named on a line of its input and prints how many steps it
// applied, or the error's code.
import { createInterface } from 'node:readline';
import { openStores, testPool } from './stores-on-postgres.js';

const pool = testPool(process.argv[2] ?? '', 1);

async function migrate(schema: string): Promise<string> {
  try {
    const stores = openStores({ pool, schema });
    const applied = await stores.migrate();
    await stores.jobs.stats();
    return String(applied.length);
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

process.stdout.write('ready\n');
for await (const schema of createInterface({ input: process.stdin }))
  process.stdout.write(`${await migrate(schema)}\n`);
await pool.end();
