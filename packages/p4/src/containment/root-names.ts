import { readFileSync, readlinkSync } from 'node:fs';

const common = 'criticizer-p4-root-';

/** When a process started, in ticks since the host did; null where that cannot be read. */
function startTicks(pid: number | 'self'): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program may hold blanks and parentheses; the start is the twentieth word after it.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/** Which numbering of processes this one belongs to: that of the host, or of a container. */
function pidNamespace(): string {
  try {
    return /[0-9]+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

/** What the names of this process's roots begin with. */
export function rootPrefix(): string {
  return `${common}${pidNamespace()}-${process.pid}-${startTicks('self') ?? '0'}-`;
}

/** True for the root of a process that has ended. Roots of other containers are not judged. */
export function isLeftoverRoot(name: string): boolean {
  const [, namespace, pid, ticks] = /^criticizer-p4-root-([0-9]+)-([0-9]+)-([0-9]+)-/.exec(name) ?? [];
  return namespace === pidNamespace() && pid !== undefined && startTicks(Number(pid)) !== ticks;
}
