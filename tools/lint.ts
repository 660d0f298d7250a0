// The rules biome cannot hold: who imports whom, what no source may say, how long it may be, what is
// described, what an install may do. Exit 1 and one line a breach.
import { fileURLToPath } from 'node:url';
import { checkDocstrings } from './lint/docstring-rules.js';
import { checkImports } from './lint/import-rules.js';
import { checkInstall } from './lint/install-rules.js';
import { checkSizes } from './lint/size-rules.js';
import { checkSources } from './lint/source-rules.js';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const found = [
  ...(await checkImports(root, ['packages', 'examples', 'tools'])),
  ...checkSources(root),
  ...checkSizes(root),
  ...checkDocstrings(root),
  ...checkInstall(root),
];
for (const line of found) console.error(line);
console.log(
  found.length === 0
    ? 'imports, sources, sizes, docstrings, install: every rule holds'
    : `imports, sources, sizes, docstrings, install: ${found.length} breaches`,
);
process.exitCode = found.length === 0 ? 0 : 1;
