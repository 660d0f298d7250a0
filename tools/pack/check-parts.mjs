// Installs each part alone in an empty folder, prints its dependency tree, and runs the example of
// its README. The example is the first fenced js block after `<!-- example: run -->` (for core:
// `<!-- example: audit -->`). Needs a build.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exec, must, npmInstall, openWorkbench, packAll, readJson } from './pack.mjs';

/**
 * `also`: what the README tells the reader to install beside it, in the version of the package's own
 * peer or devDependency, or one of our packages. `only`: the whole tree.
 */
const parts = [
  { name: '@criticizer/redact', mark: 'run', only: ['@criticizer/redact', 'zod'] },
  { name: '@criticizer/queue-sqlite', mark: 'run', also: ['@photostructure/sqlite'] },
  { name: '@criticizer/notify', mark: 'run', also: ['nodemailer'] },
  { name: '@criticizer/llm-ai-sdk', mark: 'run', also: ['@ai-sdk/openai-compatible', '@criticizer/redact'] },
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
  const { devDependencies = {} } = readJson(join(part.folder, 'package.json'));
  const findVersion = (other) => tarballs[other] ?? part.manifest.peerDependencies?.[other] ?? devDependencies[other];
  const beside = Object.fromEntries(also.map((other) => [other, findVersion(other)]));
  const installed = bench.check(`${name} alone${also.length ? `, with ${also}` : ''}`, () => {
    // Only what it depends on: the overrides say where, for packages that no registry has yet.
    bench.write({
      [`${folder.slice(bench.top.length + 1)}/package.json`]: {
        private: true,
        type: 'module',
        dependencies: { [name]: part.tarball, ...beside },
        overrides: Object.fromEntries(
          Object.entries(tarballs).filter(([other]) => other !== name && !also.includes(other)),
        ),
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

/**
 * What each use of one part loads and which tables it makes. `markers` are texts that stand in the
 * code of reviews, of the HTTP client and of mails alone.
 */
const markers = {
  'review code': 'Answer with exactly one JSON object',
  'HTTP client': 'HTTP_BLOCKED',
  'mail delivery': 'MAIL_LOOKUP_FAILED',
};
const uses = [
  {
    use: 'the queue',
    part: '@criticizer/queue-sqlite',
    entries: ['@criticizer/core/queue', '@criticizer/queue-sqlite'],
    modules: ['queue'],
    tables: ['change_marks', 'criticizer_clock', 'criticizer_migrations', 'dead_letters', 'queue_limits', 'work_queue'],
    packages: ['@criticizer/core', '@criticizer/queue-sqlite', 'zod'],
    without: ['review code', 'HTTP client'],
  },
  {
    use: 'the audit trail',
    part: '@criticizer/queue-sqlite',
    entries: ['@criticizer/core/audit', '@criticizer/queue-sqlite'],
    modules: ['audit'],
    tables: [
      ...['audit_dead_letter', 'audit_events', 'audit_outbox', 'audit_seal_leaves', 'audit_seals', 'audit_verb'],
      ...['criticizer_clock', 'criticizer_migrations'],
    ],
    packages: ['@criticizer/core', '@criticizer/queue-sqlite', 'zod'],
    without: ['review code', 'HTTP client'],
  },
  {
    use: 'the tables of the mail outbox',
    part: '@criticizer/queue-sqlite',
    entries: ['@criticizer/queue-sqlite'],
    modules: ['notify'],
    tables: [
      ...['criticizer_clock', 'criticizer_migrations', 'notify_messages', 'notify_outbox', 'recipient_preferences'],
    ],
    packages: ['@criticizer/core', '@criticizer/queue-sqlite', 'zod'],
    without: ['review code', 'HTTP client'],
  },
  {
    use: 'the mail outbox',
    part: '@criticizer/notify',
    entries: ['@criticizer/notify', '@criticizer/notify/smtp'],
    packages: ['@criticizer/core', '@criticizer/notify', 'nodemailer', 'zod'],
    without: ['review code', 'HTTP client'],
  },
  {
    use: 'a model of the AI SDK',
    part: '@criticizer/llm-ai-sdk',
    entries: ['@criticizer/llm-ai-sdk'],
    packages: ['@criticizer/core', '@criticizer/llm-ai-sdk', 'undici', 'zod'],
    without: ['mail delivery'],
  },
  {
    use: 'the redactor',
    part: '@criticizer/redact',
    entries: ['@criticizer/redact'],
    packages: ['@criticizer/redact'],
    without: Object.keys(markers),
  },
];

/** Loads the entries in a process of their own; makes the tables, where modules are named. */
const probe = ({ entries, modules }) => `
for (const entry of ${JSON.stringify(entries)}) require(entry);
const { readFileSync } = require('node:fs');
const files = Object.keys(require.cache).filter((file) => file !== __filename);
const packages = [...new Set(files.map((file) => /.*node_modules[\\\\/]((?:@[^\\\\/]+[\\\\/])?[^\\\\/]+)/.exec(file)?.[1]?.replaceAll('\\\\', '/') ?? file))].sort();
const text = files.map((file) => readFileSync(file, 'utf8')).join('\\n');
const found = Object.entries(${JSON.stringify(markers)}).filter(([, marker]) => text.includes(marker)).map(([name]) => name);
const modules = ${JSON.stringify(modules ?? null)};
const say = (tables) => console.log(JSON.stringify({ packages, found, files: files.length, bytes: text.length, tables }));
if (modules === null) say([]);
else {
  const { createSqliteStores } = require('@criticizer/queue-sqlite');
  const { DatabaseSync } = require('@photostructure/sqlite');
  const database = new DatabaseSync(':memory:');
  const stores = createSqliteStores({ database, modules });
  const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
  stores.migrate().then(() => say(database.prepare(tables).all().map(({ name }) => name)));
}
`;
for (const { use, part, tables = [], packages, without, ...what } of uses)
  bench.check(`${use} alone: what it loads, which tables it makes`, () => {
    const folder = part.replace(/.*\//, '');
    bench.write({ [`${folder}/probe.cjs`]: probe(what) });
    const said = JSON.parse(exec(join(bench.top, folder), process.execPath, 'probe.cjs'));
    const extra = said.packages.filter((name) => !packages.includes(name) && !/sqlite/.test(name));
    must(extra.length === 0, `it loads ${extra.join(', ')}`);
    const wrong = said.found.filter((name) => without.includes(name));
    must(wrong.length === 0, `it loads ${wrong.join(', ')}`);
    must(JSON.stringify(said.tables) === JSON.stringify(tables), `it makes the tables ${said.tables.join(', ')}`);
    return `     ${said.files} files, ${Math.round(said.bytes / 1000)} kB of ${said.packages.join(', ')}${tables.length ? `; tables ${tables.join(', ')}` : ''}`;
  });

bench.close(`${parts.length} parts`);
