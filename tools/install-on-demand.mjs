import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';

/**
 * Installs the packages of a folder outside the workspace by its lockfile, where they are not yet
 * there, and runs none of their scripts. `folder` ends with a slash; `what` is said before.
 */
export function installOnDemand(folder, what) {
  const readTime = (file) => statSync(folder + file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (readTime('node_modules/.package-lock.json') >= readTime('package-lock.json')) return;
  console.error(`installing ${what} …`);
  const run = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: 'inherit',
  });
  if (run.status !== 0) process.exit(run.status ?? 1);
}
