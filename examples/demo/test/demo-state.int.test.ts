import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAllowList, createP4ChangeFetcher } from '@criticizer/p4';
import { afterAll, describe, expect, it } from 'vitest';
import { openSampleServer } from '../src/perforce/demo-perforce.js';
import { changeNumber } from '../src/perforce/sample-change.js';
import { complaintOf } from '../src/report/demo-failure.js';
import { defaultFolder, openDemoFolder, requireFolder } from '../src/state/demo-folder.js';
import { openDemoState } from '../src/state/demo-state.js';

const top = mkdtempSync(join(tmpdir(), 'criticizer-demo-state-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** What the demo would print; null where it opens the state. */
async function complaint(directory: string): Promise<string | null> {
  try {
    await openDemoState(openDemoFolder(directory, false));
    return null;
  } catch (error) {
    return complaintOf(error) ?? 'a stack';
  }
}

let made = 0;
async function newState(): Promise<string> {
  const directory = openDemoFolder(join(top, `state-${++made}`), false);
  await openDemoState(directory);
  return directory;
}

const secrets = ['ARTIFACT_KEY', 'FINGERPRINT_KEY', 'P4_TICKET'].map((name) => [`secrets/${name}`, name] as const);
type Spoil = (file: string) => void;
const ways: readonly [string, Spoil][] = [
  ['gone', (file) => rmSync(file)],
  ['empty', (file) => writeFileSync(file, '')],
  ['too short', (file) => writeFileSync(file, 'short')],
  ['readable by others', (file) => chmodSync(file, 0o640)],
];
const cases: readonly [string, string, string, Spoil][] = [
  ...secrets.flatMap(([file, name]) =>
    ways.map(([way, spoil]) => [file, way, name, spoil] as [string, string, string, Spoil]),
  ),
  ['secrets', 'gone', 'ARTIFACT_KEY', (file) => rmSync(file, { recursive: true })],
  ...['', '{}', '{"model":', '[]', '{"model":{"users":[],"changes":[]},"ticket":"T","planted":[]}'].map(
    (text) =>
      ['perforce.json', JSON.stringify(text), 'perforce.json', (file: string) => writeFileSync(file, text)] as [
        string,
        string,
        string,
        Spoil,
      ],
  ),
  ...['artifacts', 'mail'].map(
    (name) => [name, 'a file', name, (file: string) => writeFileSync(file, '')] as [string, string, string, Spoil],
  ),
  ['mail', 'a link to nowhere', 'mail', (file) => symlinkSync('nowhere', file)],
];

describe('a folder that cannot be', () => {
  it.each(['--state', '--out'] as const)('gets one line that names %s', (option) => {
    const file = join(top, 'a-file');
    writeFileSync(file, '');
    for (const path of [file, join(file, 'below', 'it'), '/proc/nope/a']) {
      let line: string | null = null;
      try {
        requireFolder(path, option);
      } catch (error) {
        line = complaintOf(error);
      }
      expect(line).toContain(path);
      expect(line).toContain(option);
    }
  });
});

describe('a state folder', () => {
  it.each(cases)('with %s %s gets one line that names it', async (file, _way, named, spoil) => {
    const directory = await newState();
    expect(await complaint(directory)).toBeNull();
    spoil(join(directory, file));
    const line = await complaint(directory);
    expect(line).toContain(named);
    expect(line).toContain('--state DIR');
    expect(line?.split('\n')).toHaveLength(1);
  });

  it('is another one for each checkout and each combination, and the same for the same', () => {
    const owner = { database: 'sqlite', serverId: 'main', modelHost: null } as const;
    const folders = [
      ...['checkouts/one', 'checkouts/two'].map((checkout) => defaultFolder(owner, checkout)),
      defaultFolder({ ...owner, database: 'postgres' }, 'checkouts/one'),
      defaultFolder({ ...owner, modelHost: 'llm.example.test' }, 'checkouts/one'),
    ];
    expect(new Set(folders).size).toBe(folders.length);
    expect(defaultFolder(owner, 'checkouts/one')).toBe(folders[0]);
  });

  it('is another one once the tables of the checkout changed', () => {
    const owner = { database: 'sqlite', serverId: null } as const;
    const sql = join(top, 'changed', 'packages', 'queue-sqlite', 'src', 'sql', 'queue');
    mkdirSync(sql, { recursive: true });
    const folderWith = (text: string): string => {
      writeFileSync(join(sql, '0001-work-queue.ts'), text);
      return defaultFolder(owner, join(top, 'changed'));
    };
    const before = folderWith('CREATE TABLE jobs (id)');
    expect(folderWith('CREATE TABLE jobs (id, kind)')).not.toBe(before);
    expect(folderWith('CREATE TABLE jobs (id)')).toBe(before);
  });

  it('is the same for everybody who opens it first at once', async () => {
    const directory = openDemoFolder(join(top, 'at-once'), false);
    const all = await Promise.all(Array.from({ length: 5 }, () => openDemoState(directory)));
    expect(new Set(all.map(({ server }) => server.ticket)).size).toBe(1);
  });

  it('goes on where its making was cut off', async () => {
    const directory = openDemoFolder(join(top, 'cut-off'), false);
    mkdirSync(join(directory, 'secrets'), { mode: 0o700 });
    expect(await complaint(directory)).toBeNull();
  });

  it('on a full disk gets one line', async ({ skip }) => {
    const directory = join(top, 'tiny');
    mkdirSync(directory);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200k,mode=700', 'tmpfs', directory], { stdio: 'ignore' });
    } catch {
      skip('this machine lets us mount no small disk');
    }
    try {
      const line = await complaint(directory);
      expect(line).toContain(directory);
      expect(line?.split('\n')).toHaveLength(1);
    } finally {
      execFileSync('umount', [directory]);
    }
  });
});

it('on Windows the sample server is read in this process, as no p4 process may run there', async () => {
  const state = await openDemoState(openDemoFolder(join(top, 'windows'), false));
  const removals: (() => void)[] = [];
  const { allow, ...connection } = openSampleServer(
    state,
    (remove) => void removals.push(remove as () => void),
    'win32',
  );
  expect(connection.executable).toBeUndefined();
  const fetcher = createP4ChangeFetcher({
    ...connection,
    fingerprintKey: 'k'.repeat(32),
    allowList: createAllowList({ allow }),
    securityEvents: { emit: () => undefined },
  });
  const limits = { maxFiles: 50, maxFileBytes: 1e6, maxTotalBytes: 1e7, contextLines: 3, maxNewTextBytes: 1e5 };
  const fetched = await fetcher.fetch(changeNumber, { limits, signal: new AbortController().signal });
  expect(fetched.kind).toBe('change');
  for (const remove of removals) remove();
});
