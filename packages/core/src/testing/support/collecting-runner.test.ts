import { describe, expect, it } from 'vitest';
import { collectCases, failedCases } from './collecting-runner.js';
import type { Runner } from './runner.js';

describe('collectCases', () => {
  const suite = (runner: Runner, harness: { fails: boolean }): void => {
    runner.describe('outer', () => {
      runner.it('first', () => {
        if (harness.fails) throw new Error('planned');
      });
      runner.describe('inner', () => {
        runner.it('second', async () => undefined);
      });
    });
    runner.it('third', async () => {
      throw new Error('planned');
    });
  };

  it('lists every case under its titles and runs none of them', () => {
    const cases = collectCases(suite, { fails: true });
    expect(cases.map(({ name }) => name)).toEqual(['outer > first', 'outer > inner > second', 'third']);
  });

  it('gives the cases that failed, synchronous and asynchronous', async () => {
    const names = async (fails: boolean): Promise<string[]> =>
      (await failedCases(collectCases(suite, { fails }))).map(({ name }) => name);
    expect(await names(true)).toEqual(['outer > first', 'third']);
    expect(await names(false)).toEqual(['third']);
  });
});
