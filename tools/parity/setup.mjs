// Installs the vendors' clients by the lockfile, where they are not yet there; runs none of their scripts.
// Our packages are linked beside them: this folder is outside the workspace.
import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const readTime = (file) => statSync(folder + file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (readTime('node_modules/.package-lock.json') < readTime('package-lock.json')) {
  console.error('installing the vendors’ clients …');
  const run = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
  });
  if (run.status !== 0) process.exit(run.status ?? 1);
}
const ours = `${folder}node_modules/@criticizer`;
mkdirSync(ours, { recursive: true });
for (const name of ['core', 'redact'])
  if (statSync(`${ours}/${name}`, { throwIfNoEntry: false }) === undefined)
    symlinkSync(`${folder}../../packages/${name}`, `${ours}/${name}`, 'junction');
