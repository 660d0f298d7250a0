// Who works on a state folder: a file for each demo, named by its process. A killed demo's file is
// told from a living one's, and removed.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Tells a process from a later one of the same number; empty where the system does not say, null
 * for a process that has ended.
 */
export function startOf(pid: number): string | null {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return null;
  }
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? null : (fields[19] ?? '');
  } catch {
    return '';
  }
}

/** True while the process that had this start runs. */
export function isRunning(pid: number, start: string): boolean {
  const now = startOf(pid);
  return now !== null && (now === '' || start === '' || now === start);
}

const folderOf = (directory: string): string => join(directory, 'running');

function entries(directory: string): string[] {
  try {
    return readdirSync(folderOf(directory)).filter((name) => /^\d{1,10}$/.test(name));
  } catch {
    return []; // no demo was here yet
  }
}

function isAlive(file: string, pid: number): boolean {
  try {
    return isRunning(pid, readFileSync(file, 'utf8'));
  } catch {
    return false; // it has just ended
  }
}

/** Process numbers of the other demos at work in this folder. */
export function liveDemos(directory: string): number[] {
  return entries(directory).flatMap((name) => {
    const [file, pid] = [join(folderOf(directory), name), Number(name)];
    if (pid === process.pid) return [];
    if (isAlive(file, pid)) return [pid];
    rmSync(file, { force: true });
    return [];
  });
}

/** Says that this process works in the folder, until the returned function is called. */
export function takeDemoLease(directory: string): () => void {
  mkdirSync(folderOf(directory), { recursive: true, mode: 0o700 });
  const file = join(folderOf(directory), String(process.pid));
  writeFileSync(file, startOf(process.pid) ?? '', { mode: 0o600 });
  return () => rmSync(file, { force: true });
}
