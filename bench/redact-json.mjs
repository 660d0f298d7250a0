// `npm run bench:redact-json`: builds the redact package, installs its peers, and measures both on the Node that runs this.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const bench = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));

function must(command, args, cwd, output = 2) {
  const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', output, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

const pnpm = join(root, 'node_modules/.bin/pnpm');
must(pnpm, ['install', '--frozen-lockfile'], bench);
must(pnpm, ['--filter', '@criticizer/redact', 'run', 'build'], root);
const link = join(bench, 'node_modules/@criticizer/redact');
rmSync(link, { recursive: true, force: true });
mkdirSync(join(bench, 'node_modules/@criticizer'), { recursive: true });
symlinkSync(join(root, 'packages/redact'), link, 'junction');
const typescript = pathToFileURL(join(root, 'node_modules/tsx/dist/loader.mjs')).href;
const main = join(bench, 'src/redact-json/main.ts');
must(process.execPath, ['--expose-gc', '--import', typescript, main, ...process.argv.slice(2)], bench, 'inherit');
