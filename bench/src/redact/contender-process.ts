// One contender in a process of its own: a pass for each message, over what the message names.
// Started by own-process.ts.
import { isSmall, ordinarySource } from './ordinary-source.ts';
import {
  bareLoop,
  type Measured,
  openJsonRedaction,
  ours,
  type Pass,
  passOver,
  secretlint,
  secretlintAsShipped,
} from './throughput.ts';

const [name, size] = process.argv.slice(2);

async function open(): Promise<(measured: Measured) => Promise<Pass> | Pass> {
  if (name === 'names of objects' || name === 'names and texts of objects')
    return openJsonRedaction(Number(size), name !== 'names of objects');
  const contender = [ours, secretlint, secretlintAsShipped, bareLoop].find((one) => one.name === name);
  if (contender === undefined) throw new Error(`no contender ${name}`);
  const files = ordinarySource(Number(size));
  const small = files.filter(isSmall);
  const read = await contender.open();
  return (measured) => passOver(measured === 'every file' ? files : small, read);
}

const pass = await open();
process.on('message', async (measured: Measured) => process.send?.(await pass(measured)));
process.send?.('ready');
