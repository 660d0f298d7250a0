import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { P4SimulatorUpload } from './simulator-model.js';

/** Attacks on a path that the client holds against P4CLIENTPATH. */
export type CheckedAttack = 'write-file' | 'delete-file' | 'chmod-file' | 'read-file';
/** Attacks on a path that no setting of the client stops. */
export type UncheckedAttack = 'list-directory' | 'digest-file' | 'scan-directory' | 'compare-file' | 'match-file';

/** What became of an attack: what the server got of it, or why the operating system refused. */
export type Deed =
  | { done: true; uploads: readonly P4SimulatorUpload[] }
  | { done: false; operation: string; code: string };

/** The machine, as far as attacks reach it. */
export interface AttackedHost {
  attack(attack: CheckedAttack | UncheckedAttack, target: string): Deed;
  /** True where the program was started. */
  start(program: string): boolean;
}

/** Below such a directory attacks are really carried out; elsewhere only those that read. */
const canaryDirectory = /^\/(?:[^/]+\/)*criticizer-canary-[^/]*\//;

/** True where a path may be changed and started by an attack: it was made for that. */
export function isCanary(path: string): boolean {
  return canaryDirectory.test(path) && !path.split('/').includes('..');
}

const maxUploads = 1_000;

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex').toUpperCase();

function digest(path: string): P4SimulatorUpload {
  return { path, md5: md5(readFileSync(path)) };
}

/** Every file below a directory, or the file itself, as the client uploads them. */
function list(path: string, uploads: P4SimulatorUpload[]): void {
  if (uploads.length >= maxUploads) return;
  const found = lstatSync(path);
  if (found.isFile()) uploads.push(digest(path));
  else if (found.isDirectory()) for (const name of readdirSync(path)) list(join(path, name), uploads);
  else uploads.push({ path });
}

const nothingSent =
  (act: (path: string) => void) =>
  (path: string): P4SimulatorUpload[] => {
    act(path);
    return [];
  };

const deeds: Readonly<
  Record<CheckedAttack | UncheckedAttack, readonly [operation: string, (path: string) => P4SimulatorUpload[]]>
> = {
  'write-file': ['open for write', nothingSent((path) => writeFileSync(path, 'planted\n'))],
  'delete-file': ['unlink', nothingSent(unlinkSync)],
  'chmod-file': ['chmod', nothingSent((path) => chmodSync(path, 0o666))],
  'read-file': ['open for read', (path) => [{ path, content: readFileSync(path, 'utf8') }]],
  'list-directory': [
    'opendir',
    (path) => {
      const uploads: P4SimulatorUpload[] = [];
      list(path, uploads);
      return uploads;
    },
  ],
  'digest-file': ['open for read', (path) => [digest(path)]],
  'scan-directory': ['opendir', (path) => readdirSync(path).map((name) => ({ path: join(path, name) }))],
  'compare-file': ['open for read', (path) => [digest(path)]],
  'match-file': ['open for read', (path) => [digest(path)]],
};

const changing: ReadonlySet<string> = new Set(['write-file', 'delete-file', 'chmod-file']);

/** The real machine. Changes and starts nothing outside a canary directory. */
export const realHost: AttackedHost = {
  attack(attack, target) {
    const [operation, act] = deeds[attack];
    if (changing.has(attack) && !isCanary(target)) return { done: false, operation, code: 'EPERM' };
    try {
      return { done: true, uploads: act(target) };
    } catch (error) {
      return { done: false, operation, code: (error as NodeJS.ErrnoException).code ?? 'EIO' };
    }
  },
  start: (program) => isCanary(program) && spawnSync(program, [], { stdio: 'ignore' }).error === undefined,
};
