import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { createP4Simulator, type P4Simulator } from '@criticizer/p4/testing';
import { UsageError } from './demo-arguments.js';
import { makeSampleServer, type SampleServer } from './sample-change.js';

/** What outlives a run: so that a killed demo resumes and a repeated one sends nothing. */
export interface DemoState {
  directory: string;
  server: SampleServer;
  /** Removes nothing but the simulator's own files. */
  startSimulator(): P4Simulator;
}

function defaultDirectory(): string {
  const { uid, username } = userInfo();
  return join(tmpdir(), `criticizer-demo-${uid >= 0 ? uid : username}`);
}

/** Ours alone: a folder of somebody else's in a shared temporary folder is refused, not used. */
function openDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new UsageError(
      `The state folder ${directory} cannot be made (${(error as NodeJS.ErrnoException).code}); choose another with --state DIR.`,
    );
  }
  const found = lstatSync(directory);
  const foreign = process.getuid !== undefined && (found.uid !== process.getuid() || (found.mode & 0o077) !== 0);
  if (!found.isDirectory() || foreign)
    throw new UsageError(`The state folder ${directory} is not a folder of yours alone (mode 0700); choose another with --state DIR.`);
}

function writeSecret(directory: string, name: string, value: string): void {
  mkdirSync(join(directory, 'secrets'), { recursive: true, mode: 0o700 });
  writeFileSync(join(directory, 'secrets', name), value, { mode: 0o600 });
}

/** The folder of earlier runs or a new one with keys and a sample server of its own. */
export function openDemoState(given: string | null, fresh: boolean): DemoState {
  const directory = given ?? defaultDirectory();
  openDirectory(directory);
  const modelFile = join(directory, 'perforce.json');
  if (fresh)
    for (const name of ['queue.sqlite', 'queue.sqlite-wal', 'queue.sqlite-shm', 'artifacts', 'mail', 'secrets', 'perforce.json'])
      rmSync(join(directory, name), { recursive: true, force: true });
  if (!existsSync(modelFile)) {
    const made = makeSampleServer();
    writeSecret(directory, 'ARTIFACT_KEY', randomBytes(32).toString('base64'));
    writeSecret(directory, 'FINGERPRINT_KEY', randomBytes(32).toString('base64'));
    writeSecret(directory, 'P4_TICKET', made.ticket);
    writeFileSync(modelFile, JSON.stringify(made), { mode: 0o600 });
  }
  const server = JSON.parse(readFileSync(modelFile, 'utf8')) as SampleServer;
  return { directory, server, startSimulator: () => createP4Simulator(server.model) };
}
