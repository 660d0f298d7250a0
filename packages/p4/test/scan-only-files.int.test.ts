import type { Change, FetchOutcome } from '@criticizer/core/ports';
import { afterEach, describe, expect, it } from 'vitest';
import type { P4SimulatorModel } from '../src/testing/index.js';
import { disposeSimulators, limits, setUpFetcher } from './fetcher-setup.js';

afterEach(disposeSimulators);

const change = (number: number) => ({ number, user: 'ann', description: 'x', status: 'submitted' as const });

/** A submitted change 5 that adds these files. */
const addedFiles = (files: readonly { name: string; content: string }[]): P4SimulatorModel => ({
  changes: [
    {
      ...change(5),
      files: files.map(({ name, content }) => ({ path: `//depot/main/${name}`, action: 'add', content })),
    },
  ],
});

function changeOf(outcome: FetchOutcome): Change {
  if (outcome.kind !== 'change') throw new Error(`skipped: ${outcome.reason}`);
  return outcome.change;
}

describe('files that are only scanned for secrets', () => {
  it('INT-1: fetches files for the scan alone after all others, and calls the rest of them unscanned', async () => {
    const names = [
      ...Array.from({ length: 600 }, (_, at) => `data/f${at}.meta`),
      ...Array.from({ length: 10 }, (_, at) => `src/f${at}.ts`),
    ];
    const { fetcher, simulator } = setUpFetcher(addedFiles(names.map((name) => ({ name, content: `${name}\n` }))));
    const isScanOnly = (path: string): boolean => path.endsWith('.meta');
    const signal = new AbortController().signal;
    const outcome = await fetcher.fetch(5, { limits: { ...limits, maxFiles: 500 }, isScanOnly, signal });
    const skips = changeOf(outcome).files.map(({ path, skipped }) => `${path.split('.').at(-1)} ${skipped}`);
    const count = (text: string) => skips.filter((skip) => skip === text).length;
    expect(skips).toHaveLength(610);
    expect([count('ts null'), count('meta null'), count('meta unscanned')]).toEqual([10, 490, 110]);
    const operands = simulator.log().flatMap((run) => (run.command === 'print' ? run.operands : []));
    expect(operands.slice(0, 10).every((operand) => operand.endsWith('.ts#1'))).toBe(true);
  });

  it('calls a file for the scan alone unscanned where its sides turn out larger than what is left', async () => {
    const model = addedFiles([
      { name: 'a.meta', content: 'x'.repeat(900) },
      { name: 'b.ts', content: 'b\n' },
    ]);
    const edit = (name: string) => ({ path: `//depot/main/${name}`, action: 'edit' as const, content: 'new\n' });
    const files = [edit('a.meta'), edit('b.ts')];
    const { fetcher } = setUpFetcher({ ...model, changes: [...model.changes, { ...change(6), files }] });
    const request = { limits: { ...limits, maxTotalBytes: 100 }, signal: new AbortController().signal };
    const isScanOnly = (path: string): boolean => path.endsWith('.meta');
    const skips = async (more: object) =>
      changeOf(await fetcher.fetch(6, { ...request, ...more })).files.map(({ skipped }) => skipped);
    expect(await skips({ isScanOnly })).toEqual(['unscanned', null]);
    expect(await skips({})).toEqual(['budget', null]);
  });
});
