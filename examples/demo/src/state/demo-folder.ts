import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSampleServer } from '../perforce/sample-server-file.js';
import { UsageError } from '../settings/usage-error.js';
import { liveDemos } from './demo-lease.js';

/** Says that a folder is the demo's own: what the demo names in it, the demo made. */
const marker = '.criticizer-demo';
/** What a run leaves; `--fresh` removes these and nothing else. */
const made = [
  'queue.sqlite',
  'queue.sqlite-wal',
  'queue.sqlite-shm',
  'postgres-schema',
  'perforce-server',
  'mail-target',
  'artifacts',
  'mail',
  'secrets',
  'perforce.json',
];
/** True for a folder that holds the queue of an earlier run, or the name of its schema. */
export function holdsQueue(directory: string): boolean {
  return ['queue.sqlite', 'postgres-schema'].some((name) => existsSync(join(directory, name)));
}

const neededBytes = 8 * 1024 * 1024;

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code;
}

/** What a folder stays with: the database and the Perforce server it began on. */
export interface FolderOwner {
  database: 'sqlite' | 'postgres';
  /** Null: the sample server. */
  serverId: string | null;
  /** Null: the stand-in. */
  modelHost?: string | null | undefined;
  /** Null: the server on this machine. */
  mailHost?: string | null | undefined;
}

/** The checkout that this file is in. */
const ownCheckout = fileURLToPath(new URL('../../../..', import.meta.url));

/** The texts that make the tables, by which an older checkout's queue is told from one that this code can open. */
function readTables(checkout: string): readonly string[] {
  const folders = ['queue-pg', 'queue-sqlite'].map((name) => join(checkout, 'packages', name, 'src', 'sql'));
  return folders.filter(existsSync).flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
      .sort(),
  );
}

/**
 * A folder for each checkout, its tables and each combination, so that neither another clone nor a
 * review by the stand-in answers for the one that is to be made, and a pull that changes the tables
 * begins again instead of failing.
 */
export function defaultFolder(
  { database, serverId, modelHost = null, mailHost = null }: FolderOwner,
  checkoutFolder = ownCheckout,
): string {
  const from = JSON.stringify([checkoutFolder, ...readTables(checkoutFolder)]);
  const checkout = createHash('sha256').update(from).digest('hex').slice(0, 8);
  const { uid, username } = userInfo();
  const words = [database === 'postgres' ? database : null, serverId, modelHost, mailHost];
  const kind = words.flatMap((word) => (word === null ? [] : [`${word.toLowerCase().replace(/[^a-z0-9.-]+/g, '-')}-`]));
  return join(tmpdir(), `criticizer-demo-${kind.join('')}${checkout}-${uid >= 0 ? uid : username}`);
}

/**
 * `mkdir -p`, level by level: Node's own never ends where a file system answers ENOENT to every
 * mkdir, as /proc does.
 */
function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let at = path; !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const folder of missing) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error; // another demo made it
    }
  }
  if (!statSync(path).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
  accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
}

/** Makes a folder, with those above it, that can be written to. Throws `UsageError` that names the option. */
export function requireFolder(path: string, option: '--state' | '--out'): void {
  try {
    makeFolder(path);
  } catch (error) {
    throw new UsageError(
      `The folder ${path} cannot be made or written to (${codeOf(error)}): choose another with ${option} DIR.`,
    );
  }
}

/** Ours alone: a folder of somebody else's in a shared temporary folder is refused, not used. */
function requirePrivate(directory: string): void {
  const found = lstatSync(directory);
  const foreign = process.getuid !== undefined && (found.uid !== process.getuid() || (found.mode & 0o077) !== 0);
  if (!found.isDirectory() || foreign)
    throw new UsageError(
      `The state folder ${directory} is not a folder of yours alone (mode 0700): choose another with --state DIR.`,
    );
  const { bavail, bsize, blocks } = statfsSync(directory);
  if (blocks > 0 && bavail * bsize < neededBytes)
    throw new UsageError(
      `The disk of ${directory} is full (${bavail * bsize} bytes free): free 8 MiB, or choose another with --state DIR.`,
    );
}

/** Opens the state folder, or makes it. Takes nothing over that it did not make. Throws `UsageError`. */
export function openDemoFolder(
  given: string | null,
  fresh: boolean,
  owner: FolderOwner = { database: 'sqlite', serverId: null },
): string {
  const directory = given ?? defaultFolder(owner);
  requireFolder(directory, '--state');
  requirePrivate(directory);
  const names = readdirSync(directory); // before the marker: another demo that opens the folder now writes that first
  const isOurs = existsSync(join(directory, marker)) || readSampleServer(join(directory, 'perforce.json')) !== null;
  const foreign = isOurs ? undefined : names.find((name) => fresh || made.includes(name));
  if (foreign !== undefined)
    throw new UsageError(
      `The demo did not make ${join(directory, foreign)} and leaves it alone: choose an empty or a new folder with --state DIR.`,
    );
  writeFileSync(join(directory, marker), '', { mode: 0o600 });
  return directory;
}

/** Forgets earlier runs, what `forgetQueue` removes first. Throws `UsageError` while another demo works on them. */
export async function forgetRuns(directory: string, forgetQueue: () => Promise<void>): Promise<void> {
  const [pid] = liveDemos(directory);
  if (pid !== undefined)
    throw new UsageError(
      `Another demo (process ${pid}) works on ${directory}: stop it before --fresh, or choose another with --state DIR.`,
    );
  await forgetQueue();
  for (const name of made) rmSync(join(directory, name), { recursive: true, force: true });
}
