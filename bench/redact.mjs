// `npm run bench:redact`: packs our packages, installs them beside secretlint, and measures both on the Node that runs this.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../tools/pack.mjs';
import { bench, prepare, run } from './prepare.mjs';

const args = process.argv.slice(2);
const typescript = pathToFileURL(join(root, 'node_modules/tsx/dist/loader.mjs')).href;

prepare(args);
run(process.execPath, ['--import', typescript, join(bench, 'src/redact/main.ts'), ...args]);
