import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findHostTools } from './host-tools.js';
import { type PreparedRoot, prepareRoot } from './prepared-root.js';
import { rootPrefix } from './root-names.js';
import { createRootPool } from './root-pool.js';
import { removeLeftoverRoots } from './root-removal.js';

const { ldd } = findHostTools();
const folder = mkdtempSync(join(tmpdir(), 'criticizer-roots-'));
const client = join(folder, 'p4');
copyFileSync('/bin/true', client);
afterAll(() => rmSync(folder, { recursive: true }));
const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe.runIf(process.platform === 'linux')('prepareRoot', () => {
  it('P4-7: nothing in it can be listed or is secret, whatever the umask, and it goes when it is removed', async () => {
    const umask = process.umask(0o077);
    const root = await prepareRoot({ client, trust: 'h:1=**++**:AB\n', ldd }).finally(() => process.umask(umask));
    const files = ['p4', 'home/trust', 'etc/nsswitch.conf', 'dev/null', 'etc/hosts'];
    const directories = ['', 'home', 'etc', 'dev'];
    expect(files.map((file) => mode(join(root.path, file)))).toEqual(['555', '444', '444', '444', '444']);
    expect(directories.map((directory) => mode(join(root.path, directory)))).toEqual(directories.map(() => '111'));
    expect(mode(dirname(root.path))).toBe('711');
    expect(root.libraries.some((path) => /libc[.-]/.test(path))).toBe(true);
    await root.remove();
    expect(existsSync(dirname(root.path))).toBe(false);
  });

  it('P4-7: is replaced once its client is another, and the old one goes with the last process in it', async () => {
    const made: PreparedRoot[] = [];
    const pool = createRootPool(async () => {
      const root = await prepareRoot({ client, trust: '', ldd });
      made.push(root);
      return root;
    });
    const [first, second] = [await pool.use('x'), await pool.use('x')];
    expect(first.root).toBe(second.root);
    utimesSync(client, new Date(), new Date(Date.now() - 60_000));
    const third = await pool.use('x');
    expect([third.root === first.root, existsSync(first.root.path), made.length]).toEqual([false, true, 2]);
    first.release();
    expect(existsSync(first.root.path)).toBe(true);
    second.release();
    await expect.poll(() => existsSync(dirname(first.root.path))).toBe(false);
    third.release();
    expect(await third.root.isCurrent()).toBe(true);
    await third.root.remove();
    expect(await third.root.isCurrent()).toBe(false);
  });

  it('P4-7: fails with the error of an outage where it cannot be made, and is tried again', async () => {
    let calls = 0;
    const pool = createRootPool(async () => {
      calls += 1;
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    });
    for (let use = 1; use < 3; use += 1)
      await expect(pool.use('x')).rejects.toMatchObject({ code: 'P4_CONTAINMENT_UNAVAILABLE', parks: true });
    expect(calls).toBe(2);
  });

  it('P4-7: roots that killed processes left are removed, those of running ones are not', async () => {
    const own = mkdtempSync(join(tmpdir(), rootPrefix()));
    const [, namespace, pid, ticks] = /root-([0-9]+)-([0-9]+)-([0-9]+)-/.exec(own) ?? [];
    const make = (name: string): string => {
      const path = join(tmpdir(), `criticizer-p4-root-${name}-test${process.pid}`);
      mkdirSync(join(path, 'root/home'), { recursive: true });
      writeFileSync(join(path, 'root/home/trust'), '');
      return path;
    };
    const gone = make(`${namespace}-${pid}-${Number(ticks) - 1}`); // another process of the same number
    const elsewhere = make(`1-${pid}-1`); // of another container
    await removeLeftoverRoots();
    expect([own, gone, elsewhere].map((path) => existsSync(path))).toEqual([true, false, true]);
    for (const path of [own, elsewhere]) rmSync(path, { recursive: true });
  });

  it('leaves no root behind', async () => {
    // Those of tests that share the process may still be there.
    const list = (): readonly string[] => readdirSync(tmpdir()).filter((name) => name.startsWith(rootPrefix()));
    const before = new Set(list());
    const root = await prepareRoot({ client, trust: '', ldd });
    const made = list().filter((name) => !before.has(name));
    await root.remove();
    expect(made.length).toBeGreaterThan(0);
    expect(list().filter((name) => made.includes(name))).toEqual([]);
  });
});
