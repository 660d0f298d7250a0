import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Where the system's own programs are. PATH is never looked at: others may have set it. */
const systemDirectories = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/** Programs that contain a process; null where the host lacks one. Absolute paths. */
export interface HostTools {
  bwrap: string | null;
  setpriv: string | null;
  unshare: string | null;
  chroot: string | null;
  ldd: string | null;
}

function findTool(name: string): string | null {
  for (const directory of systemDirectories) {
    const path = join(directory, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this directory.
    }
  }
  return null;
}

/** Looks in the directories of the system. */
export function findHostTools(): HostTools {
  return {
    bwrap: findTool('bwrap'),
    setpriv: findTool('setpriv'),
    unshare: findTool('unshare'),
    chroot: findTool('chroot'),
    ldd: findTool('ldd'),
  };
}
