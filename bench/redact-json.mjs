// `npm run bench:redact-json`: packs our packages, installs the redactor's peers for JSON, and
// measures them on the Node that runs this.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../tools/pack/pack.mjs';
import { bench, prepare, run } from './prepare.mjs';

const args = process.argv.slice(2);
const typescript = pathToFileURL(join(root, 'node_modules/tsx/dist/loader.mjs')).href;

prepare(args);
run(process.execPath, ['--expose-gc', '--import', typescript, join(bench, 'src/redact-json/main.ts'), ...args]);
