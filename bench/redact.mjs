// `npm run bench:redact`: packs our packages, installs them beside secretlint, and measures both on
// a Node that it takes.
import { join } from 'node:path';
import { bench, findNode, prepare, run } from './prepare.mjs';

const args = process.argv.slice(2);

prepare(args);
run(findNode(), ['--disable-warning=ExperimentalWarning', join(bench, 'src/redact/main.ts'), ...args]);
