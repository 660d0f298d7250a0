// `npm run bench:queue`: packs our packages, installs them beside their peers, and runs the measurements on a Node that all peers take.
// Plain JavaScript, since it starts on the oldest Node that the packages support. --help packs only where nothing is packed.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bench, prepare, run } from './prepare.mjs';

const args = process.argv.slice(2);
// Type stripping without a flag, and what graphile-worker and pg-boss ask for.
const oldestNode = [22, 18];

function findNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return process.execPath;
  const binary = join(bench, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin/node');
  if (existsSync(binary)) return binary;
  console.error(`no Node ${oldestNode.join('.')} or later for ${process.platform}-${process.arch} from npm: run the bench with one`);
  process.exit(1);
}

prepare(args);
run(findNode(), ['--expose-gc', '--disable-warning=ExperimentalWarning', join(bench, 'src/main.ts'), ...args]);
