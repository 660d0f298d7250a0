// A worker process that claims one job and then does nothing until it is killed.
import { createSqliteStores } from '../src/sqlite-stores.js';

const [file = '', leaseMs = '', token = ''] = process.argv.slice(2);
const stores = createSqliteStores({ file });
const claimed = await stores.jobs.claim({
  kinds: ['review'],
  owner: `hung-${process.pid}`,
  token,
  leaseMs: Number(leaseMs),
  limit: 1,
});
process.stdout.write(`${JSON.stringify(claimed.map(({ lease }) => lease))}\n`);
setInterval(() => undefined, 1000);
