// What a bench needs before it runs: the peers by the lockfile, our packages from their tarballs.
// Plain JavaScript, since it starts on the oldest Node that the packages support.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmInstall, openWorkbench, packAll, root } from '../tools/pack/pack.mjs';

export const bench = fileURLToPath(new URL('.', import.meta.url));
const packed = join(bench, 'packed');
const ours = ['@criticizer/core', '@criticizer/queue-pg', '@criticizer/queue-sqlite', '@criticizer/redact'];

console.log = console.error; // standard output is the table's

function must(command, commandArgs, cwd) {
  const run = spawnSync(command, commandArgs, { cwd, stdio: ['ignore', 2, 2], env: { ...process.env, CI: 'true' } });
  if (run.status === 0) return;
  console.error(`${command} ${commandArgs.join(' ')}: exit ${run.status ?? run.signal ?? run.error?.message}`);
  process.exit(1);
}

function installPeers() {
  const time = (file) => statSync(join(bench, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (time('node_modules/.modules.yaml') >= Math.max(time('pnpm-lock.yaml'), time('pnpm-workspace.yaml'))) return;
  console.error('installing the peers …');
  must(join(root, 'node_modules/.bin/pnpm'), ['install', '--frozen-lockfile'], bench);
}

/** Installs our packages from their tarballs in `packed/`, where `@criticizer` of bench/node_modules points. */
function installOurs() {
  console.error('building and packing …');
  must(join(root, 'node_modules/.bin/pnpm'), ['run', 'build'], root);
  const workbench = openWorkbench('bench');
  const found = packAll(workbench);
  const tarballs = Object.fromEntries(Object.entries(found).map(([name, { tarball }]) => [name, tarball]));
  const dependencies = Object.fromEntries(ours.map((name) => [name, tarballs[name]]));
  rmSync(packed, { recursive: true, force: true });
  mkdirSync(packed);
  writeFileSync(join(packed, 'package.json'), JSON.stringify({ private: true, dependencies, overrides: tarballs }));
  npmInstall(packed);
  workbench.close('packing');
}

function linkOurs() {
  const link = join(bench, 'node_modules/@criticizer');
  rmSync(link, { recursive: true, force: true });
  symlinkSync(join(packed, 'node_modules/@criticizer'), link, 'junction');
}

/** Installs what a run with these arguments needs; of ours, for --help and --prepared, only what is not there. */
export function prepare(args) {
  installPeers();
  const takesOlder = args.includes('--help') || args.includes('--prepared');
  if (!(takesOlder && existsSync(join(packed, 'node_modules/@criticizer/redact')))) installOurs();
  linkOurs();
}

// Type stripping without a flag, and what graphile-worker, pg-boss and secretlint ask for.
const oldestNode = [22, 18];

/** The Node that runs this, or one from npm where it is older than the peers ask for. */
export function findNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return process.execPath;
  const binary = join(bench, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin/node');
  if (existsSync(binary)) return binary;
  console.error(
    `no Node ${oldestNode.join('.')} or later for ${process.platform}-${process.arch} from npm: run the bench with one`,
  );
  process.exit(1);
}

/** Runs a Node with these arguments and ends as it ends. */
export function run(node, nodeArgs) {
  const child = spawn(node, nodeArgs, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
