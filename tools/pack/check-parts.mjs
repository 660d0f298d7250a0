// Installs each part alone in an empty folder, prints its dependency tree, and runs the example of
// its README. The example is the first fenced js block after `<!-- example: run -->` (for core:
// `<!-- example: audit -->`). Needs a build.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exec, must, npmInstall, openWorkbench, packAll } from './pack.mjs';

/** `also`: what the README tells the reader to install beside it. `only`: the whole tree. */
const parts = [
  { name: '@criticizer/redact', mark: 'run', only: ['@criticizer/redact', 'zod'] },
  { name: '@criticizer/queue-sqlite', mark: 'run', also: ['@photostructure/sqlite'] },
  { name: '@criticizer/notify', mark: 'run', also: ['nodemailer'] },
  { name: '@criticizer/core', mark: 'audit' },
];

const bench = openWorkbench('parts');
const packed = packAll(bench);
const tarballs = Object.fromEntries(Object.entries(packed).map(([name, p]) => [name, p.tarball]));

/** The js block that follows the mark. */
function example(file, mark) {
  must(existsSync(file), `${file} is missing: it must show a runnable example`);
  const [, after] = readFileSync(file, 'utf8').split(`<!-- example: ${mark} -->`);
  must(after !== undefined, `${file} has no <!-- example: ${mark} -->`);
  const block = /^```(\w*)\n([\s\S]*?)^```/m.exec(after);
  must(block, `${file} has no fenced block after <!-- example: ${mark} -->`);
  must(
    ['js', 'mjs', 'javascript'].includes(block[1]),
    `${file}: the example after <!-- example: ${mark} --> is '${block[1]}', not js`,
  );
  return block[2];
}

/** The names in what `npm ls --all --json` gives; an optional peer that is not there has no version. */
const names = ({ dependencies = {} }) =>
  Object.entries(dependencies).flatMap(([name, below]) => (below.version ? [name, ...names(below)] : []));

for (const { name, mark, also = [], only } of parts) {
  const folder = join(bench.top, name.replace(/.*\//, ''));
  const part = packed[name];
  const beside = Object.fromEntries(also.map((peer) => [peer, part.manifest.peerDependencies[peer]]));
  const installed = bench.check(`${name} alone${also.length ? `, with ${also}` : ''}`, () => {
    // Only what it depends on: the overrides say where, for packages that no registry has yet.
    bench.write({
      [`${folder.slice(bench.top.length + 1)}/package.json`]: {
        private: true,
        type: 'module',
        dependencies: { [name]: part.tarball, ...beside },
        overrides: Object.fromEntries(Object.entries(tarballs).filter(([other]) => other !== name)),
      },
    });
    npmInstall(folder);
    const tree = [...new Set(names(JSON.parse(exec(folder, 'npm', 'ls', '--all', '--json'))))].sort();
    if (only)
      must(JSON.stringify(tree) === JSON.stringify(only), `it brings ${tree.join(', ')}, not only ${only.join(', ')}`);
    const printed = exec(folder, 'npm', 'ls', '--all')
      .replaceAll(bench.top, '')
      .replaceAll(/ file:\S+|@file:\S+/g, '');
    return printed.trim().split('\n').slice(1).join('\n');
  });
  if (!installed) continue;
  bench.check(`${name}: the example of its README runs`, () => {
    bench.write({
      [`${folder.slice(bench.top.length + 1)}/example.mjs`]: example(join(part.folder, 'README.md'), mark),
    });
    const printed = exec(folder, process.execPath, 'example.mjs').trim();
    return printed.replace(/^/gm, '     ');
  });
}

bench.close(`${parts.length} parts`);
