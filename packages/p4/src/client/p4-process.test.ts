import { EventEmitter } from 'node:events';
import { systemClock } from '@criticizer/core';
import { afterEach, expect, it, vi } from 'vitest';
import { runP4Process } from './p4-process.js';

const spawn = vi.fn();

afterEach(() => void spawn.mockReset());

const run = () =>
  runP4Process(
    {
      executable: process.execPath,
      argv: [],
      env: {},
      directory: '/',
      input: null,
      wallMs: 1_000,
      killGraceMs: 100,
      maxOutputBytes: 1,
      signal: new AbortController().signal,
      clock: systemClock,
      onOutput: () => undefined,
    },
    spawn,
  );

it.each(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'])(
  'ERR-1: a host that is short of processes or memory (%s) is tried again',
  async (code) => {
    const failure = Object.assign(new Error('spawn'), { code });
    spawn.mockImplementationOnce(() => {
      const child = new EventEmitter();
      process.nextTick(() => child.emit('error', failure));
      return child;
    });
    await expect(run()).rejects.toMatchObject({ code: 'HOST_RESOURCES', category: 'upstream' });
    spawn.mockImplementationOnce(() => {
      throw failure;
    });
    await expect(run()).rejects.toMatchObject({ code: 'HOST_RESOURCES', category: 'upstream' });
  },
);

it('ERR-1: a file that cannot be started is the operator’s to repair', async () => {
  spawn.mockImplementationOnce(() => {
    const child = new EventEmitter();
    process.nextTick(() => child.emit('error', Object.assign(new Error('spawn'), { code: 'EACCES' })));
    return child;
  });
  await expect(run()).rejects.toMatchObject({ code: 'P4_EXECUTABLE_UNUSABLE', category: 'validation' });
});
