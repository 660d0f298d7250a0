import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isCriticizerError, systemClock } from '@criticizer/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { disposeSimulators, setUpFetcher, smallModel } from '../../test/fetcher-setup.js';
import { runP4Process } from './p4-process.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'criticizer-process-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
  disposeSimulators();
});

/**
 * Runs a shell script as if it were the client; it writes its own process id to `pid` first. A
 * sleeper that was waited for has left the file `slept`.
 */
async function run(
  body: string,
  more: { wallMs?: number; maxOutputBytes?: number; signal?: AbortSignal; mode?: number } = {},
) {
  const executable = join(directory, 'fake');
  writeFileSync(executable, `#!/bin/sh\necho $$ > pid\n${body}\n`);
  chmodSync(executable, more.mode ?? 0o700); // beyond the umask
  let output = '';
  const code = await runP4Process({
    executable,
    argv: [],
    env: { PATH: '/usr/bin:/bin' },
    directory,
    input: null,
    wallMs: more.wallMs ?? 10_000,
    killGraceMs: 100,
    maxOutputBytes: more.maxOutputBytes ?? 1_000_000,
    signal: more.signal ?? new AbortController().signal,
    clock: systemClock,
    onOutput: (chunk) => {
      output += chunk.toString('latin1');
    },
  }).then(
    (result) => `exit ${result.exitCode}`,
    (error: unknown) => (isCriticizerError(error) ? error.code : String(error)),
  );
  return { code, output, sleptOut: existsSync(join(directory, 'slept')) };
}

/** Living processes of a group; the dead that nobody has waited for do not count. */
function groupMembers(group: number): string[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .filter((name) => {
      try {
        const [state, , processGroup] = readFileSync(`/proc/${name}/stat`, 'latin1')
          .replace(/^.*\) /s, '')
          .split(' ');
        return Number(processGroup) === group && state !== 'Z' && state !== 'X';
      } catch {
        return false;
      }
    });
}

/** The kernel needs a moment to remove what was killed, and a busy machine several. */
async function expectGroupGone(group = Number(readFileSync(join(directory, 'pid'), 'utf8'))): Promise<void> {
  expect(group).toBeGreaterThan(1);
  await vi.waitFor(() => expect(groupMembers(group)).toEqual([]), { timeout: 20_000, interval: 5 });
}

describe.runIf(process.platform === 'linux')('p4 process', () => {
  it('P4-7: a timeout ends the whole group, even a child that ignores SIGTERM and holds the output', async () => {
    const { code, sleptOut } = await run(
      'sh -c \'trap "" TERM; sleep 30 & wait; echo > slept\' &\ntrap "" TERM\nsleep 30 & wait\necho > slept',
      {
        wallMs: 300,
      },
    );
    expect(code).toBe('P4_TIMEOUT');
    expect(sleptOut).toBe(false);
    await expectGroupGone();
  });

  it('P4-7: a client that leaves a child behind is finished at once, with what it printed', async () => {
    const { code, output, sleptOut } = await run('(sleep 30; echo > slept) &\necho done');
    expect({ code, output }).toEqual({ code: 'exit 0', output: 'done\n' });
    expect(sleptOut).toBe(false);
    await expectGroupGone();
  });

  it('P4-7: a child that left the group and holds the output is a containment failure', async () => {
    const { code } = await run('setsid sh -c "sleep 3" &\nsleep 0.1; echo done');
    expect(code).toBe('P4_CONTAINMENT');
  });

  it('P4-7: output over the limit ends the client, whatever its exit status says', async () => {
    const { code, output } = await run('trap "" PIPE; head -c 3000000 /dev/zero; exit 0', { maxOutputBytes: 100_000 });
    expect(code).toBe('P4_OUTPUT_LIMIT');
    expect(output.length).toBeLessThanOrEqual(100_000);
    await expectGroupGone();
  });

  it('P4-7: an abort ends the group and is the reason', async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort('stopped'), 200);
    expect((await run('sleep 30', { signal: abort.signal })).code).toBe('stopped');
    await expectGroupGone();
  });

  it('P4-7: passes on a non-zero exit', async () => {
    expect((await run('exit 3')).code).toBe('exit 3');
  });

  it.each([0o600, 0o702])('P4-7: does not run an executable of mode %o', async (mode) => {
    expect((await run('', { mode })).code).toBe('P4_EXECUTABLE_UNUSABLE');
  });

  it('P4-7: does not run an executable from a directory that everyone may change', async () => {
    chmodSync(directory, 0o777);
    expect((await run('')).code).toBe('P4_EXECUTABLE_UNUSABLE');
    chmodSync(directory, 0o1777);
    expect((await run('')).code).toBe('exit 0');
  });

  it.each([{ kind: 'silent', stubborn: true } as const, { kind: 'hangs-with-child' } as const])(
    'P4-7: a fetch from a server that never answers ends in time (%j)',
    async (fault) => {
      const { outcome, simulator } = setUpFetcher(
        { ...smallModel, fault: { ...fault, command: 'describe' } },
        { timeouts: { commandMs: 700 } },
      );
      expect(await outcome(5)).toBe('P4_TIMEOUT');
      const describeRun = simulator.log().find((entry) => entry.command === 'describe');
      await expectGroupGone(describeRun?.pid);
    },
  );

  it('P4-7: a ticket that a killed host left behind is gone a day later', async () => {
    const left = ['old', 'young'].map(() => mkdtempSync(join(tmpdir(), 'criticizer-p4-run-')));
    const [old = '', young = ''] = left;
    for (const place of left) writeFileSync(join(place, 'tickets'), 'host:1666=user:left\n', { mode: 0o600 });
    const longAgo = new Date(Date.now() - 25 * 3_600_000);
    utimesSync(old, longAgo, longAgo);
    try {
      expect(await setUpFetcher(smallModel).outcome(5)).toBe('change');
      expect(left.map((place) => existsSync(place))).toEqual([false, true]);
    } finally {
      rmSync(young, { recursive: true });
    }
  });

  it('leaves no private directory behind', async () => {
    const before = readdirSync(tmpdir()).filter((name) => /^criticizer-p4-(?!simulator)/.test(name));
    const { simulator, outcome } = setUpFetcher(smallModel);
    await outcome(5);
    const used = simulator.log().map((entry) => entry.cwd);
    const after = readdirSync(tmpdir()).filter(
      (name) => used.some((path) => path.includes(name)) && !before.includes(name),
    );
    expect(used.length).toBeGreaterThan(2);
    expect(
      after.filter((name) => name.startsWith('criticizer-p4-') && !name.startsWith('criticizer-p4-simulator')),
    ).toEqual([]);
  });
});
