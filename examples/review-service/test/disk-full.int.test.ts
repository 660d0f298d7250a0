import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeServer, submitted } from '../src/simulated/stand-ins.js';
import {
  closeLater,
  closeServices,
  openEndpoints,
  openQueue,
  startService,
  submit,
  waiting,
} from './running-service.js';

afterEach(closeServices);

/** A file system of its own; false, with the reason, where this process may not mount one. */
function mountSmall(folder: string, megabytes: number): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    process.stderr.write(`skipped: no small file system here, mount was refused: ${(error as Error).message}\n`);
    return false;
  }
  closeLater(() => execFileSync('umount', ['-l', folder]));
  return true;
}

/** Writes until nothing more fits. */
function fill(folder: string): string {
  const file = join(folder, 'filler');
  const handle = openSync(file, 'w');
  for (const bytes of [1_048_576, 4_096, 512])
    try {
      for (;;) writeSync(handle, Buffer.alloc(bytes));
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
    }
  fsyncSync(handle);
  closeSync(handle);
  return file;
}

const diskFull = { disk: { ok: false, code: 'DISK_FULL', freeMb: 0 } };

describe('a full disk', { timeout: 120_000 }, () => {
  it('under all of it: nothing is taken in, nothing is lost, and it goes on by itself', async ({ skip }) => {
    const endpoints = await openEndpoints();
    const { env, place, mails } = endpoints;
    if (!mountSmall(env['DATA_DIR'] ?? '', 16)) return skip();
    const service = await startService({ ...env, DELIVERY: 'live' });
    await service.ready();
    await submit(endpoints, service, 11);
    await vi.waitFor(() => expect(mails).toHaveLength(1), waiting);
    const filler = fill(env['DATA_DIR'] ?? '');
    const down = await service.read('/ready');
    expect([down.status, JSON.parse(down.text).checks]).toMatchObject([503, diskFull]);
    const changes = [11, 12, 13].map((number) => submitted(number, `const total = ${number};\n`));
    place.simulator.update({ changes: [...makeServer('').changes, ...changes] });
    const refused = await service.tell(place.triggerSecret, 13);
    expect([refused.status, await refused.json()]).toEqual([503, { error: 'SQLITE_FULL' }]);
    const said = () => service.lines.filter((line) => line.includes('SQLITE_FULL')).join('\n');
    await vi.waitFor(() => {
      expect(said()).toContain('warn claim failed; trying again later');
      expect(said()).toContain('warn looking for new changes failed; it is tried again');
    }, waiting);
    rmSync(filler);
    await vi.waitFor(() => expect(mails).toHaveLength(3), waiting);
    await service.ready();
    const stores = openQueue(endpoints);
    await vi.waitFor(async () => expect(await stores.jobs.stats()).toMatchObject({ completed: 3, failed: 0 }), waiting);
    expect([mails.length, await stores.deadLetters.list({})]).toEqual([3, []]);
  });

  it('under the artifacts alone: the review waits, spends no attempt, and goes on by itself', async ({ skip }) => {
    const endpoints = await openEndpoints();
    const { env, place, mails } = endpoints;
    const data = env['DATA_DIR'] ?? '';
    if (!mountSmall(data, 16)) return skip();
    const file = join(place.directory, 'database', 'queue.sqlite');
    const service = await startService({ ...env, DATABASE_URL: `sqlite:${file}`, DELIVERY: 'live' });
    await service.ready();
    const filler = fill(data);
    expect(JSON.parse((await service.read('/ready')).text).checks).toMatchObject(diskFull);
    await submit(endpoints, service, 11);
    const stores = createSqliteStores({ file });
    closeLater(() => stores.close());
    const job = async () => (await stores.jobs.list({}))[0];
    await vi.waitFor(async () => expect((await job())?.waitingFor).toBe('ARTIFACT_STORE_UNAVAILABLE'), waiting);
    expect(service.lines.filter((line) => line.includes('ARTIFACT_STORE_UNAVAILABLE'))).not.toEqual([]);
    rmSync(filler);
    await vi.waitFor(async () => expect((await job())?.status).toBe('completed'), waiting);
    expect([(await job())?.attempts, mails.length]).toEqual([{ fetch: 1, llm: 1, notify: 1 }, 1]);
    await service.ready();
  });

  it('under the database alone is no ready service either', async ({ skip }) => {
    const endpoints = await openEndpoints();
    const folder = join(endpoints.place.directory, 'database');
    if (!mountSmall(folder, 16)) return skip();
    const service = await startService({ ...endpoints.env, DATABASE_URL: `sqlite:${join(folder, 'queue.sqlite')}` });
    await service.ready();
    fill(folder);
    expect(JSON.parse((await service.read('/ready')).text).checks).toMatchObject(diskFull);
  });
});
