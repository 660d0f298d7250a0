import { chmod, copyFile, link, lstat, mkdir, mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ClientFile, exists, listLibraries } from './client-files.js';
import { rootPrefix } from './root-names.js';
import { forgetRoot, rememberRoot, removeRoot } from './root-removal.js';

/** What a root is made of. */
export interface RootContents {
  /** The client, without links. */
  client: string;
  /** Lines of the trust file; empty where the port has no TLS. */
  trust: string;
  ldd: string | null;
  /** Further files at their own paths, such as an interpreter and what it reads. */
  extraFiles?: readonly ExtraFile[] | undefined;
}

/** A file that the client needs in addition to its libraries. */
export interface ExtraFile {
  from: string;
  /** Default: as on the host. */
  to?: string | undefined;
  /** `link`: the file itself, with its rights. Default `copy`. */
  as?: 'copy' | 'link' | undefined;
  /** Its libraries come with it. */
  isProgram?: boolean | undefined;
}

/** A directory that a contained client sees as `/`: nothing in it can be listed, and nothing is secret. */
export interface PreparedRoot {
  readonly path: string;
  /** Host paths of what a process needs to start and to find a host. */
  readonly libraries: readonly string[];
  /** False once a file that it was copied from is another one, or it is gone. */
  isCurrent(): Promise<boolean>;
  /** Never throws. */
  remove(): Promise<void>;
}

const resolverFiles = ['/etc/resolv.conf', '/etc/hosts'];

/**
 * Copies the client, its libraries and the resolver's files into a directory of this process. Takes
 * some 10 ms and the size of the client. Throws the operating system's error where the temporary
 * directory has no room.
 */
export async function prepareRoot(contents: RootContents): Promise<PreparedRoot> {
  const { client, ldd, extraFiles = [] } = contents;
  const programs = [client, ...extraFiles.flatMap(({ from, isProgram }) => (isProgram === true ? [from] : []))];
  const libraries = uniqueTargets((await Promise.all(programs.map((path) => listLibraries(path, ldd)))).flat());
  const resolver: ClientFile[] = [];
  for (const path of resolverFiles) if (await exists(path)) resolver.push({ from: path, to: path });
  const sources = [client, ...[...libraries, ...resolver].map(({ from }) => from)];
  const before = await Promise.all(sources.map(readStamp));
  const base = await mkdtemp(join(tmpdir(), rootPrefix()));
  rememberRoot(base);
  const path = join(base, 'root');
  const remove = async (): Promise<void> => {
    await removeRoot(base);
    forgetRoot(base);
  };
  try {
    await mkdir(path);
    await fillRoot(path, contents, [...libraries, ...resolver]);
    await closeDirectories(path);
    await chmod(base, 0o711);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    path,
    libraries: libraries.map(({ from }) => from),
    async isCurrent() {
      const now = await Promise.all([...sources.map(readStamp), readStamp(join(path, 'p4'))]);
      return now.at(-1) !== null && before.every((stamp, at) => stamp === now[at]);
    },
    remove,
  };
}

function uniqueTargets(files: readonly ClientFile[]): ClientFile[] {
  return [...new Map(files.map((file) => [file.to, file])).values()];
}

/** Another file, or another content; null where there is none. */
async function readStamp(path: string): Promise<string | null> {
  return stat(path).then(
    ({ size, mtimeMs, ino, dev }) => `${dev} ${ino} ${size} ${mtimeMs}`,
    () => null,
  );
}

async function fillRoot(root: string, contents: RootContents, files: readonly ClientFile[]): Promise<void> {
  const { client, trust, extraFiles = [] } = contents;
  const place = async (to: string): Promise<string> => {
    const path = join(root, to);
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    return path;
  };
  const copy = async (from: string, to: string, mode: number): Promise<void> => {
    const path = await place(to);
    await copyFile(from, path);
    await chmod(path, mode);
  };
  await copy(client, '/p4', 0o555);
  for (const { from, to } of files) await copy(from, to, to.startsWith('/etc/') ? 0o444 : 0o555);
  for (const { from, to = from, as, isProgram } of extraFiles) {
    if (as === 'link') await link(from, await place(to));
    else await copy(from, to, isProgram === true ? 0o555 : 0o444);
  }
  const write = async (to: string, text: string): Promise<void> => {
    const path = await place(to);
    await writeFile(path, text);
    await chmod(path, 0o444); // whatever the umask of the process
  };
  await write('/etc/nsswitch.conf', 'hosts: files dns\n');
  await write('/home/trust', trust);
  await write('/dev/null', ''); // opened for reading alone: an empty file serves
}

/** Last: a directory that can be entered and not listed. */
async function closeDirectories(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    if ((await lstat(path)).isDirectory()) await closeDirectories(path);
  }
  await chmod(directory, 0o111);
}
