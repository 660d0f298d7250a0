// A process that migrates the file given and prints how many steps it applied.
import { createSqliteStores } from '../src/sqlite-stores.js';

const [file = ''] = process.argv.slice(2);
const stores = createSqliteStores({ file, busyTimeoutMs: 30_000 });
const applied = await stores.migrate();
await stores.jobs.stats();
await stores.close();
process.stdout.write(`${applied.length}\n`);
