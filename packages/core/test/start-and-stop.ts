// Starts a Criticizer and stops it after one review; the process must then end by itself.
import { harness } from './criticizer-harness.js';

const t = harness();
await t.criticizer.start();
const { job } = await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
while ((await t.criticizer.status(job.id))?.job.status !== 'completed') await new Promise(setImmediate);
await t.criticizer.stop();
// Timers that were cleared in this turn go with the next ones.
for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
console.log(JSON.stringify(process.getActiveResourcesInfo()));
