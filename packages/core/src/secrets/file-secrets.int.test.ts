import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, realpath, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SecurityEvent } from '../telemetry/security-events.js';
import { describeSecretSourceContract } from '../testing/ports/secret-source-contract.js';
import { createFileSecrets } from './file-secrets.js';
import { revealSecret } from './secret.js';

const value = (): string => randomBytes(12).toString('hex');

async function put(file: string, text: string | Uint8Array | undefined, mode = 0o600): Promise<void> {
  await rm(file, { force: true });
  if (text === undefined) return;
  await writeFile(file, text, { mode });
  await chmod(file, mode);
}

async function freshDirectory(): Promise<string> {
  return realpath(await mkdtemp(path.join(tmpdir(), 'criticizer-secrets-')));
}

describeSecretSourceContract(
  { describe, it },
  {
    async create() {
      const directory = await freshDirectory();
      return {
        source: createFileSecrets({ directory }),
        async set(name, versions) {
          await put(path.join(directory, name), versions?.current);
          await put(path.join(directory, `${name}_PREVIOUS`), versions?.previous);
        },
        dispose: () => rm(directory, { recursive: true }),
      };
    },
  },
);

describe('createFileSecrets', () => {
  let directory = '';
  let events: SecurityEvent[] = [];
  beforeEach(async () => {
    directory = await freshDirectory();
    events = [];
  });
  afterEach(() => rm(directory, { recursive: true }));
  const source = () => createFileSecrets({ directory, securityEvents: { emit: (event) => void events.push(event) } });
  const rejection = async (name = 'key') => {
    const error = await source()
      .read(name)
      .then(
        () => ({ code: 'read' }),
        (thrown: unknown) => thrown as { code: string; details: { reason?: string; mode?: string } },
      );
    return 'details' in error ? { code: error.code, ...error.details } : error;
  };

  it.each([0o640, 0o604, 0o644, 0o660, 0o610, 0o602])('SEC-1: refuses a file of mode %o and says so', async (mode) => {
    await put(path.join(directory, 'key'), value(), mode);
    expect(await rejection()).toMatchObject({
      code: 'SECRET_REJECTED',
      reason: 'mode',
      mode: mode.toString(8).padStart(4, '0'),
    });
    expect(events.map((event) => event.type)).toEqual(['secret.rejected']);
  });

  it('SEC-1: a previous version that others can read is refused as well', async () => {
    await put(path.join(directory, 'key'), value());
    await put(path.join(directory, 'key_PREVIOUS'), value(), 0o644);
    expect(await rejection()).toMatchObject({ code: 'SECRET_REJECTED', name: 'key_PREVIOUS' });
  });

  it('SEC-5: follows the links by which a secret manager swaps versions', async () => {
    const [first, second] = [value(), value()];
    for (const [version, text] of [
      ['..v1', first],
      ['..v2', second],
    ] as const) {
      await mkdir(path.join(directory, version));
      await put(path.join(directory, version, 'key'), `${text}\n`, 0o400);
    }
    await symlink('..v1', path.join(directory, '..data'));
    await symlink(path.join('..data', 'key'), path.join(directory, 'key'));
    const files = source();
    expect(revealSecret((await files.read('key')).current.secret)).toBe(first);
    await symlink('..v2', path.join(directory, '..next'));
    await rename(path.join(directory, '..next'), path.join(directory, '..data'));
    expect(revealSecret((await files.read('key')).current.secret)).toBe(second);
  });

  it('SEC-1: refuses a link whose target is open to others, or lies outside', async () => {
    await put(path.join(directory, 'open'), value(), 0o644);
    await symlink('open', path.join(directory, 'key'));
    expect(await rejection()).toMatchObject({ reason: 'mode' });
    const elsewhere = await freshDirectory();
    await put(path.join(elsewhere, 'key'), value());
    await rm(path.join(directory, 'key'));
    await symlink(path.join(elsewhere, 'key'), path.join(directory, 'key'));
    expect(await rejection()).toMatchObject({ reason: 'outside_directory' });
    await rm(elsewhere, { recursive: true });
  });

  it('SEC-1: refuses a directory in which others can swap files', async () => {
    await put(path.join(directory, 'key'), value());
    await chmod(directory, 0o777);
    expect(await rejection()).toMatchObject({ reason: 'directory_mode' });
    await chmod(directory, 0o1777);
    expect(await rejection()).toMatchObject({ code: 'read' });
    await chmod(directory, 0o700);
  });

  it('refuses what is no file, too long, or no text', async () => {
    await mkdir(path.join(directory, 'key'), { mode: 0o700 });
    expect(await rejection()).toMatchObject({ reason: 'not_a_file' });
    await rm(path.join(directory, 'key'), { recursive: true });
    await put(path.join(directory, 'key'), Buffer.alloc(70_000, 0x61));
    expect(await rejection()).toMatchObject({ reason: 'size' });
    await put(path.join(directory, 'key'), Buffer.from([0xff, 0xfe, 0x61]));
    expect(await rejection()).toMatchObject({ reason: 'encoding' });
    await put(path.join(directory, 'key'), '\n');
    expect(await rejection()).toMatchObject({ code: 'SECRET_MISSING' });
  });

  it('SEC-5: a version is as old as its file, or as its NAME_CREATED_AT says where it holds a date', async () => {
    await put(path.join(directory, 'key'), value());
    const written = new Date('2026-01-02T03:04:05Z');
    await utimes(path.join(directory, 'key'), written, written);
    const createdAt = async () => (await source().read('key')).current.createdAt;
    expect(await createdAt()).toEqual(written);
    await put(path.join(directory, 'key_CREATED_AT'), '2026-03-04T05:06:07Z\n');
    expect(await createdAt()).toEqual(new Date('2026-03-04T05:06:07Z'));
    for (const wrong of ['yesterday', '12', '2026-99-99']) {
      await put(path.join(directory, 'key_CREATED_AT'), wrong);
      expect(await createdAt()).toBeUndefined(); // no age is claimed
    }
  });

  it('refuses names that lead elsewhere', async () => {
    for (const name of ['', '..', '../key', 'a/b', '.hidden', 'a\0b'])
      await expect(source().read(name)).rejects.toThrow(TypeError);
    expect(() => createFileSecrets({ directory: 'relative' })).toThrow(TypeError);
  });
});
