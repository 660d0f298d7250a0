import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createFileSecrets, revealSecret } from '@criticizer/core';
import { createP4Simulator, type P4Simulator } from '@criticizer/p4/testing';
import { makeSampleServer, makeTicket, type SampleServer } from '../perforce/sample-change.js';
import { readSampleServer } from '../perforce/sample-server-file.js';
import { UsageError } from '../settings/usage-error.js';
import { createOnce } from './create-once.js';

/** What outlives a run: so that a killed demo resumes and a repeated one sends nothing. */
export interface DemoState {
  directory: string;
  server: SampleServer;
  /** Removes nothing but the simulator's own files. */
  startSimulator(): P4Simulator;
}

const wayOut = 'start over with --fresh, or choose another folder with --state DIR.';

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** The keys first and the sample server last: where that is, the rest must be. */
async function createState(directory: string): Promise<void> {
  const secrets = join(directory, 'secrets');
  mkdirSync(secrets, { recursive: true, mode: 0o700 });
  createOnce(join(secrets, 'ARTIFACT_KEY'), randomBytes(32).toString('base64'));
  createOnce(join(secrets, 'FINGERPRINT_KEY'), randomBytes(32).toString('base64'));
  createOnce(join(secrets, 'P4_TICKET'), makeTicket());
  const made = makeSampleServer(await readSecret(directory, 'P4_TICKET'));
  createOnce(join(directory, 'perforce.json'), JSON.stringify(made));
}

async function readSecret(directory: string, name: string): Promise<string> {
  const { current } = await createFileSecrets({ directory: join(directory, 'secrets') }).read(name);
  return revealSecret(current.secret);
}

/** Through the service's own secret source, so that a file others can read is refused here as there. */
async function checkSecrets(directory: string, ticket: string): Promise<void> {
  const wrong = (name: string, expected: string): UsageError =>
    new UsageError(`${join(directory, 'secrets', name)} is not ${expected}: ${wayOut}`);
  if (Buffer.from(await readSecret(directory, 'ARTIFACT_KEY'), 'base64').length !== 32)
    throw wrong('ARTIFACT_KEY', 'a key of 32 bytes in base64');
  if (Buffer.byteLength(await readSecret(directory, 'FINGERPRINT_KEY')) < 16)
    throw wrong('FINGERPRINT_KEY', 'a key of 16 bytes or more');
  if ((await readSecret(directory, 'P4_TICKET')) !== ticket)
    throw wrong('P4_TICKET', 'the ticket of the sample server');
}

/**
 * Reads the folder of earlier runs, or makes keys and a sample server of its own in an empty one.
 * Throws what names the file to fix.
 */
export async function openDemoState(directory: string): Promise<DemoState> {
  const modelFile = join(directory, 'perforce.json');
  if (!isThere(modelFile)) await createState(directory);
  const server = readSampleServer(modelFile);
  if (server === null) throw new UsageError(`${modelFile} is not the sample server that the demo wrote: ${wayOut}`);
  await checkSecrets(directory, server.ticket);
  for (const name of ['artifacts', 'mail'])
    if (isThere(join(directory, name)) && !lstatSync(join(directory, name)).isDirectory())
      throw new UsageError(`${join(directory, name)} is not a folder: ${wayOut}`);
  return { directory, server, startSimulator: () => createP4Simulator(server.model) };
}
