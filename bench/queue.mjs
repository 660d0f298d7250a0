// `npm run bench:queue`: packs our packages, installs them beside their peers, and runs the
// measurements on a Node that all peers take. Plain JavaScript, since it starts on the oldest Node
// that the packages support. --help packs only where nothing is packed.
import { join } from 'node:path';
import { bench, findNode, prepare, run } from './prepare.mjs';

const args = process.argv.slice(2);

prepare(args);
run(findNode(), ['--expose-gc', '--disable-warning=ExperimentalWarning', join(bench, 'src/main.ts'), ...args]);
