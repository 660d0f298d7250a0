import { CriticizerError } from '@criticizer/core';
import { afterEach, expect, it } from 'vitest';
import { fetcherOf, simulatedPerforce } from './simulated-perforce.js';

const limits = { maxFiles: 10, maxFileBytes: 1_000, maxTotalBytes: 10_000, contextLines: 3, maxNewTextBytes: 100_000 };
const simulator = simulatedPerforce();
afterEach(() => simulator.dispose());

// #region faults
it('tells a change, a broken connection and an attack apart', async () => {
  const fetch = () => fetcherOf(simulator).fetch(2, { limits, signal: new AbortController().signal });
  const outcome = await fetch();
  expect(outcome.kind === 'change' && outcome.change.files[0]?.hunks[0]?.lines).toEqual(['-hello', '+hello all']);
  expect(simulator.log().every((run) => run.violations.length === 0)).toBe(true);

  simulator.update({ fault: { kind: 'drop', afterBytes: 100, command: 'print' } });
  await expect(fetch()).rejects.toMatchObject({ code: 'P4_CONNECTION_DROPPED' });

  simulator.update({ fault: { kind: 'drive-client', attack: 'write-file', command: 'describe' } });
  await expect(fetch()).rejects.toBeInstanceOf(CriticizerError);
});
// #endregion
