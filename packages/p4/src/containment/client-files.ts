import { execFile } from 'node:child_process';
import { access, open, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** A file of the host, and where a contained client finds it. */
export interface ClientFile {
  from: string;
  to: string;
}

/** Loaded by name when a host is looked up, so that `ldd` does not list them (glibc before 2.34). */
const resolverLibraries = ['libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2'];

/** How long `ldd` may take. */
const lddMs = 10_000;

/**
 * The libraries of a dynamically linked program, as its loader finds them: `from` without links,
 * `to` as the loader asks. Empty for a static program, or where the host has no `ldd`.
 */
export async function listLibraries(program: string, ldd: string | null): Promise<ClientFile[]> {
  if (ldd === null) return [];
  const text = await new Promise<string>((resolve) => {
    // It is a script, which needs programs of the system.
    const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
    execFile(ldd, [program], { env, cwd: '/', timeout: lddMs, killSignal: 'SIGKILL' }, (_error, stdout) =>
      resolve(stdout),
    );
  });
  const listed = [...text.matchAll(/(?<=^|\s)(\/\S+)(?= \(0x)/gm)].map(([, path = '']) => path);
  const files = await Promise.all([...new Set(listed)].map(async (path) => ({ from: await realpath(path), to: path })));
  return [...files, ...(await findResolverLibraries(listed))];
}

/** Those in the directory of the C library. */
async function findResolverLibraries(listed: readonly string[]): Promise<ClientFile[]> {
  const c = listed.find((path) => basename(path) === 'libc.so.6');
  if (c === undefined) return [];
  const found: ClientFile[] = [];
  for (const name of resolverLibraries) {
    const path = join(dirname(c), name);
    if (listed.includes(path) || !(await exists(path))) continue;
    found.push({ from: await realpath(path), to: path });
  }
  return found;
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** True for a script: what interprets it is not known, so it cannot be contained. */
export async function isScript(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.toString('latin1') === '#!';
  } finally {
    await file.close();
  }
}
