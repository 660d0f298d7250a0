import { silentLogger } from '@criticizer/core';
import { afterEach, describe, expect, it } from 'vitest';
import { findNewestChanges } from '../src/index.js';
import { disposeSimulators, setUpFetcher } from './fetcher-setup.js';
import { base, closeWatchers, setUpWatchers, shelf, submittedChange } from './watcher-setup.js';

afterEach(closeWatchers);
afterEach(disposeSimulators);

const numbers = [1, 2, 3, 4];
const changes = numbers.map((number) => submittedChange(number));

/** A watcher on a server that lets its user list so little. */
function setUpLimited(
  limits: { maxResults?: number; maxScanRows?: number },
  more: Parameters<typeof setUpWatchers>[1],
) {
  const warned: object[] = [];
  const logger = { ...silentLogger, warn: (fields: object) => void warned.push(fields) };
  return { ...setUpWatchers({ main: { changes, limits } }, { startAt: 1, logger, ...more }), warned };
}

describe('a server that limits what one command may list', () => {
  it.each(['maxResults', 'maxScanRows'])(
    'INT-1: %s below the page size: the watcher asks for fewer and its cursor moves on',
    async (limit) => {
      const { watcher, submitted, stores, simulator, warned } = setUpLimited({ [limit]: 2 }, {});
      await watcher.poll();
      expect(await submitted()).toEqual(numbers.map((number) => `main/${number} v1`));
      expect(await stores.cursors.get('p4/main/submitted')).toBe('{"next":5}');
      const pages = simulator.log().flatMap((run) => run.operands.filter((operand) => operand.includes('@')));
      expect(pages).toEqual(['//depot/main/...@1,@4', '//depot/main/...@1,@2', '//depot/main/...@3,@4']);
      expect(warned).toMatchObject([
        { serverId: 'main', code: 'P4_SERVER_LIMIT', limit: limit.toLowerCase(), over: 2 },
      ]);
    },
  );

  it('INT-1: a change of more files than may be listed holds up none, and those elsewhere stay outside', async () => {
    const files = ['a', 'b', 'c'].map((name) => ({
      path: `//depot/main/${name}`,
      action: 'add' as const,
      content: name,
    }));
    const many = [
      submittedChange(1),
      submittedChange(2, { files }),
      submittedChange(3, {}, '//depot/other/x'),
      submittedChange(4),
    ];
    const { watcher, submitted, simulator } = setUpLimited({ maxResults: 2 }, {});
    simulator.update({ changes: many, limits: { maxResults: 1 } });
    // As a server answers that counts the rows it looks at: not one of these ranges passes.
    const event = {
      kind: 'message',
      severity: 3,
      generic: 35,
      text: "Too many rows scanned (over 1); see 'p4 help maxscanrows'.",
    } as const;
    const answers = [2, 3].map((number) => ({
      command: ['changes', '-s', 'submitted', '-m', '1', `//depot/main/...@${number},@${number}`],
      events: [event],
    }));
    simulator.update({ answers });
    await watcher.poll();
    expect(await submitted()).toEqual(['main/1 v1', 'main/2 v1', 'main/4 v1']);
  });

  it('INT-1: fetches contents in smaller batches where the server refuses many revisions at once', async () => {
    const edit = (number: number) => ({
      ...submittedChange(number),
      files: ['a', 'b', 'c'].map((name) => ({
        path: `//depot/main/${name}`,
        action: number === 1 ? ('add' as const) : ('edit' as const),
        content: `${name}${number}\n`,
      })),
    });
    const { outcome, simulator, fetch } = setUpFetcher({ changes: [edit(1), edit(2)], limits: { maxResults: 4 } });
    await expect(fetch(2)).resolves.toMatchObject({
      change: { files: [1, 2, 3].map(() => ({ addedLines: 1, removedLines: 1 })) },
    });
    expect(await outcome(2)).toBe('change'); // and what was learned once holds
    const prints = simulator.log().filter((run) => run.command === 'print');
    expect(prints.map((run) => run.argv[run.argv.indexOf('-b') + 1])).toEqual(['256', '3', '3']);
    simulator.update({
      limits: { maxScanRows: 3 },
      fault: {
        kind: 'message',
        severity: 3,
        generic: 35,
        text: "Too many rows scanned (over 0); see 'p4 help maxscanrows'.",
        command: 'print',
      },
    });
    expect(await outcome(2)).toBe('P4_SERVER_LIMIT');
  });

  it('INT-1: looks at as many shelves as it may list, and names as many of the newest changes', async () => {
    const shelves = [7, 8, 9].map((number) => shelf(number, `${number}\n`));
    const { watcher, submitted, simulator, reach } = setUpLimited(
      { maxResults: 2 },
      { watch: ['shelved'], startAt: 2 },
    );
    simulator.update({ changes: [base, submittedChange(3), submittedChange(4), ...shelves] });
    await watcher.poll();
    await watcher.poll();
    expect(await submitted()).toEqual(['main/8 v1', 'main/9 v1']);
    expect(simulator.log().filter((run) => run.argv.includes('shelved'))).toHaveLength(3); // one refusal, then two polls
    const { serverId, fingerprintKey, ...server } = reach;
    expect(await findNewestChanges(server, { max: 5 })).toEqual([3, 4]);
  });
});
