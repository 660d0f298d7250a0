// Installs the vendors' clients of the running Node's lane by its lockfile, where they are not yet there; runs none
// of their scripts. Several clients need Node 22, so that there is a lane, with its pins, for each line. Our packages
// are linked beside them: this folder is outside the workspace.
import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const isNode22 = Number(process.versions.node.split('.')[0]) >= 22;
const lane = isNode22 ? 'node-22' : 'node-20';
const readTime = (file) => statSync(`${folder}${lane}/${file}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (readTime('node_modules/.package-lock.json') < readTime('package-lock.json')) {
  console.error(`installing the vendors’ clients of ${lane} …`);
  const run = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder + lane,
    stdio: 'inherit',
  });
  if (run.status !== 0) process.exit(run.status ?? 1);
}
const ours = `${folder}${lane}/node_modules/@criticizer`;
mkdirSync(ours, { recursive: true });
for (const name of ['core', 'redact'])
  if (statSync(`${ours}/${name}`, { throwIfNoEntry: false }) === undefined)
    symlinkSync(`${folder}../../packages/${name}`, `${ours}/${name}`, 'junction');
// The check finds the clients where its own folder's packages are: those of the lane.
const link = `${folder}node_modules`;
if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) rmSync(link, { recursive: true });
symlinkSync(`${folder}${lane}/node_modules`, link, 'junction');
console.error(`parity lane ${lane} on Node ${process.versions.node}`);
