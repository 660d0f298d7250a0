// Packs the public packages as they would be published, and runs commands on them. For
// check-consumers and check-parts; needs a build.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
export const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
// `node tools/pack/check-….mjs` has no node_modules/.bin on its PATH, which pnpm is in.
const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}` };
delete env.NODE_OPTIONS;

/** Runs a command; gives its output, or throws with all of it. */
export function exec(cwd, command, ...args) {
  const run = spawnSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    timeout: 240_000,
  });
  if (run.status !== 0)
    throw new Error(
      `${command} ${args.join(' ')}: exit ${run.status ?? run.signal ?? run.error?.message}\n${run.stdout}${run.stderr}`,
    );
  return run.stdout;
}

export function must(condition, message) {
  if (!condition) throw new Error(message);
}

/** A temporary folder, and named checks in it that print one line each. `KEEP=1` leaves the folder of a failed run. */
export function openWorkbench(name) {
  const top = mkdtempSync(join(tmpdir(), `crit-${name}-`));
  let failed = 0;
  return {
    top,
    write(files) {
      for (const [file, content] of Object.entries(files)) {
        mkdirSync(dirname(join(top, file)), { recursive: true });
        writeFileSync(join(top, file), typeof content === 'string' ? content : JSON.stringify(content));
      }
    },
    /** Runs the body; false where it threw. What it returns, if a text, is printed below its line. */
    check(title, body) {
      const began = performance.now();
      const line = (mark, more) =>
        console.log(
          `${mark} ${title} (${((performance.now() - began) / 1000).toFixed(1)} s)${more ? `\n${more}` : ''}`,
        );
      try {
        line('ok  ', body());
        return true;
      } catch (e) {
        failed++;
        line('FAIL', e.message.split('\n').slice(0, 40).join('\n'));
        return false;
      }
    },
    /** Ends the run where what follows would only fail for the same reason. */
    stopIfFailed(sum) {
      if (failed === 0) return;
      this.close(sum);
      process.exit(1);
    },
    /** Removes the folder, prints the sum, sets the exit code. */
    close(sum) {
      if (failed && process.env.KEEP) console.log(`left in ${top}`);
      else rmSync(top, { recursive: true, force: true });
      console.log(`${sum}, ${failed} cases failed`);
      process.exitCode = failed ? 1 : 0;
    },
  };
}

const targets = (entry) => (typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(targets));
const withoutSource = (entry) =>
  typeof entry === 'string'
    ? entry
    : Object.fromEntries(Object.entries(entry).filter(([name]) => name !== 'criticizer-source'));

/** Checks one tarball's manifest against the source's; gives back the public entries. */
function checkPacked(source, packed, folder) {
  const wanted = Object.fromEntries(Object.entries(source.exports).map(([key, entry]) => [key, withoutSource(entry)]));
  must(
    JSON.stringify(packed.exports) === JSON.stringify(wanted),
    'publishConfig.exports is not exports less criticizer-source',
  );
  must(
    !/criticizer-source|workspace:/.test(JSON.stringify(packed)),
    'the packed manifest names criticizer-source or workspace:',
  );
  must(
    Object.keys(packed.imports ?? {}).length === 0,
    'the packed manifest has imports, which only the workspace resolves',
  );
  must(packed.sideEffects === false, 'sideEffects is not false');
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
    must(!packed.scripts?.[name], `the packed manifest has a script ${name}`);
  for (const file of [
    packed.main,
    packed.module,
    packed.types,
    ...targets(packed.exports),
    ...targets(packed.typesVersions ?? {}).flat(),
  ])
    must(existsSync(join(folder, file)), `${file} is not in the tarball`);
  for (const file of ['README.md', 'LICENSE']) must(existsSync(join(folder, file)), `${file} is not in the tarball`);
  const subpaths = Object.keys(packed.exports).filter((key) => key !== './package.json');
  for (const key of subpaths)
    must(
      key === '.' || packed.typesVersions?.['*']?.[key.slice(2)],
      `typesVersions lacks ${key}: no types with node10 resolution`,
    );
  return subpaths.map((key) => packed.name + key.slice(1));
}

/**
 * Packs every public package into `<top>/tarballs`; ends the run where one cannot be packed. Gives
 * `{name: {tarball, manifest, folder, entries}}` by package name.
 */
export function packAll(bench) {
  const { top, check } = bench;
  const packed = {};
  mkdirSync(join(top, 'tarballs'));
  for (const name of readdirSync(join(root, 'packages'))) {
    const folder = join(root, 'packages', name);
    const source = existsSync(join(folder, 'package.json'))
      ? readJson(join(folder, 'package.json'))
      : { private: true };
    if (source.private) continue;
    check(`pack ${name}`, () => {
      const { filename } = JSON.parse(
        exec(folder, 'pnpm', 'pack', '--json', '--pack-destination', join(top, 'tarballs')),
      );
      const unpacked = join(top, 'unpacked', name);
      mkdirSync(unpacked, { recursive: true });
      exec(unpacked, 'tar', '-xzf', filename);
      const manifest = readJson(join(unpacked, 'package/package.json'));
      const entries = checkPacked(source, manifest, join(unpacked, 'package'));
      packed[manifest.name] = { tarball: `file:${filename}`, manifest, folder, entries };
    });
  }
  bench.stopIfFailed('packing');
  return packed;
}

/** Installs what `package.json` in the folder asks for, with no script run. */
export function npmInstall(folder) {
  exec(
    folder,
    'npm',
    'install',
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
    '--ignore-scripts',
    '--loglevel=error',
  );
}
