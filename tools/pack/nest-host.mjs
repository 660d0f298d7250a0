// `examples/nest-host` on the packed packages, as a copy of it would run: compiled, then by its own
// Jest. Outside the workspace: Jest brings an install script, which nothing in the workspace may.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { exec, must, readJson, root } from './pack.mjs';

const example = join(root, 'examples/nest-host');
const { dependencies, devDependencies, optionalDependencies } = readJson(join(example, 'package.json'));

/** What the example needs beside the packages, by name and version. */
export const nestDependencies = Object.fromEntries(
  Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(
    ([name]) => !name.startsWith('@criticizer/'),
  ),
);

/** Compiles and runs a copy of the example in the workbench, whose folder has the packages installed. */
export function checkNestHost({ top, check }, tools) {
  check('NestJS, CommonJS, Jest: SIGTERM in mid-job gives the job back (examples/nest-host)', () => {
    for (const [name, version] of Object.entries(tools))
      must((nestDependencies[name] ?? version) === version, `${name}: not the version of check-consumers`);
    const folder = join(top, 'nest-host');
    cpSync(example, folder, { recursive: true });
    const run = (file, ...args) => exec(folder, process.execPath, join(top, 'node_modules', file), ...args);
    run('typescript/bin/tsc', '-p', '.');
    // Its `npm test`, without forceExit: Jest itself would stay for a handle that is left.
    run('jest/bin/jest.js', '--ci', '--detectOpenHandles');
  });
}
