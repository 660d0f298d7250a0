import { chmodSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLeftoverRoot } from './root-names.js';

/** Roots of this process that are not removed yet. */
const ownRoots = new Set<string>();
let removesAtExit = false;

/** Has a root removed when the process ends by itself. A killed one leaves it to the next process. */
export function rememberRoot(base: string): void {
  ownRoots.add(base);
  if (removesAtExit) return;
  removesAtExit = true;
  process.once('exit', () => {
    for (const left of ownRoots) removeRootNow(left);
  });
}

export function forgetRoot(base: string): void {
  ownRoots.delete(base);
}

/** Its directories cannot be listed, so they are opened first, from the top. Never throws. */
export async function removeRoot(base: string): Promise<void> {
  try {
    await openDirectories(base);
    await rm(base, { recursive: true, force: true });
  } catch {
    // The next process that finds it tries again.
  }
}

async function openDirectories(directory: string): Promise<void> {
  if (!(await lstat(directory)).isDirectory()) return;
  await chmod(directory, 0o700);
  for (const name of await readdir(directory)) await openDirectories(join(directory, name));
}

/** The same while the process exits, when nothing asynchronous is done any more. */
function removeRootNow(base: string): void {
  const open = (directory: string): void => {
    if (!lstatSync(directory).isDirectory()) return;
    chmodSync(directory, 0o700);
    for (const name of readdirSync(directory)) open(join(directory, name));
  };
  try {
    open(base);
    rmSync(base, { recursive: true, force: true });
  } catch {
    // As above.
  }
}

/** Removes the roots that ended processes of this user left in the temporary directory. Never throws. */
export async function removeLeftoverRoots(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter(isLeftoverRoot)) {
    const path = join(tmpdir(), name);
    const found = await lstat(path).catch(() => null);
    if (found?.isDirectory() === true && found.uid === process.getuid?.()) await removeRoot(path);
  }
}
