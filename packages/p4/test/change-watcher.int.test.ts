import { type SecurityEvent, silentLogger } from '@criticizer/core';
import type { CursorStore } from '@criticizer/core/ports';
import { createManualClock } from '@criticizer/core/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createAllowList, findNewestChanges } from '../src/index.js';
import type { P4SimulatorChange } from '../src/testing/index.js';
import { base, closeWatchers, setUpWatchers, shelf, submittedChange } from './watcher-setup.js';

afterEach(closeWatchers);

describe('change watcher', () => {
  it('INT-2: a shelf, made anew twice with new content and once unchanged, gives versions 1, 2, 3 and no fourth', async () => {
    const { watcher, simulator, submitted, jobs } = setUpWatchers(
      { main: { changes: [base] } },
      { watch: ['shelved', 'submitted'] },
    );
    await watcher.poll();
    expect(await submitted()).toEqual([]); // what was there before the first poll is not reviewed
    for (const content of ['two\n', 'three\n', 'four\n']) {
      simulator.update({ changes: [base, shelf(7, content)] });
      await watcher.poll();
    }
    // The same content at a later time; then an earlier content once more, which has been reviewed too.
    simulator.update({ changes: [base, shelf(7, 'four\n', { time: 1_700_009_999, description: 'other words' })] });
    await watcher.poll();
    simulator.update({ changes: [base, shelf(7, 'two\n')] });
    await watcher.poll();
    expect(await submitted()).toEqual(['main/7 v1', 'main/7 v2', 'main/7 v3']);
    expect(new Set((await jobs()).map((job) => job.idempotencyKey)).size).toBe(3);
    // Submitted as shelved, under its own number, while the shelf's job waits: that job will fetch it.
    simulator.update({ changes: [base, shelf(7, 'two\n', { status: 'submitted', shelved: false })] });
    await watcher.poll();
    expect(await submitted()).toHaveLength(3);
  });

  it('INT-1: a shelf without a tag is stored as not_tagged, and reviewed once its description has one', async () => {
    const tagged = (description: string) => ({ changes: [base, shelf(7, 'two\n', { description })] });
    const { watcher, simulator, jobs } = setUpWatchers(
      { main: tagged('Try it #reviewed') },
      { watch: ['shelved'], startAt: 2, settings: { intake: { shelves: null } } },
    );
    const ends = async () => (await jobs()).map((job) => [job.reviewVersion, job.result?.['skipped'] ?? job.status]);
    await watcher.poll();
    await watcher.poll();
    expect(await watcher.take([7])).toMatchObject([{ outcome: 'known', reviewVersion: 1 }]);
    expect(await ends()).toEqual([[1, 'not_tagged']]);
    simulator.update(tagged('Try it #Review-12'));
    await watcher.poll();
    await watcher.poll();
    expect(await ends()).toEqual([
      [2, 'queued'],
      [1, 'not_tagged'],
    ]);
    // What waits to be reviewed stays, whatever becomes of the tag.
    simulator.update(tagged('Try it'));
    await watcher.poll();
    expect(await ends()).toHaveLength(2);
  });

  it('INT-1: where P4 Code Review is there, it alone brings shelves in', async () => {
    const { watcher, jobs } = setUpWatchers(
      { main: { changes: [base, shelf(7, 'two\n', { description: 'Try it #review' })] } },
      { watch: ['shelved'], startAt: 2, hasCodeReview: true, settings: { intake: { shelves: null } } },
    );
    await watcher.poll();
    expect(await watcher.take([7], { seenBy: 'trigger' })).toMatchObject([{ outcome: 'known', reviewVersion: 1 }]);
    expect(await jobs()).toMatchObject([{ status: 'completed', result: { skipped: 'not_in_review' } }]);
    expect(await watcher.take([7], { isInReview: true })).toMatchObject([{ outcome: 'submitted', reviewVersion: 2 }]);
    expect(await watcher.take([7], { isInReview: true })).toMatchObject([{ outcome: 'known', reviewVersion: 2 }]);
    await watcher.poll();
    expect(await jobs()).toMatchObject([{ status: 'queued' }, { status: 'completed' }]);
  });

  it('INT-2: a shelf is reviewed once it was left alone for watch.quietMs, and only its newest content', async () => {
    const storeClock = createManualClock(Date.UTC(2026, 0, 1));
    const { watcher, simulator, criticizer, jobs, mailer } = setUpWatchers(
      { main: { changes: [base, shelf(7, 'one\n')] } },
      { watch: ['shelved', 'submitted'], startAt: 2, storeClock, settings: { watch: { quietMs: 180_000 } } },
    );
    const show = async (model: readonly ReturnType<typeof shelf>[]) => {
      simulator.update({ changes: [base, ...model] });
      await watcher.poll();
    };
    const ends = async () =>
      (await jobs()).map((job) => [job.changelistId, job.reviewVersion, job.result?.['skipped'] ?? job.status]).sort();
    await watcher.poll();
    await storeClock.advance(120_000);
    await show([shelf(7, 'two\n')]);
    await criticizer.runDue();
    expect(await ends()).toEqual([
      ['main/7', 1, 'queued'],
      ['main/7', 2, 'queued'],
    ]);
    await storeClock.advance(60_000);
    await criticizer.runDue();
    expect(await ends()).toEqual([
      ['main/7', 1, 'superseded'],
      ['main/7', 2, 'queued'],
    ]);
    await storeClock.advance(120_000);
    await criticizer.runDue();
    expect([(await ends())[1], mailer.accepted().length]).toEqual([['main/7', 2, 'completed'], 1]);

    // Submitted with other content while a shelf of it is quiet: one review, of what was submitted.
    await show([shelf(7, 'three\n'), shelf(8, 'eight\n')]);
    await show([shelf(7, 'four\n', { status: 'submitted', shelved: false })]);
    await criticizer.runDue();
    expect(mailer.accepted()).toHaveLength(2);
    await storeClock.advance(180_000);
    await criticizer.runDue();
    expect((await ends()).slice(2)).toEqual([
      ['main/7', 3, 'superseded'],
      ['main/7', 4, 'completed'],
      ['main/8', 1, 'gone'], // the shelf is no more
    ]);
    expect(mailer.accepted()).toHaveLength(2);
  });

  it('INT-2: a shelf made anew before it was fetched is reviewed once, as its newest version', async () => {
    const { watcher, simulator, criticizer, jobs, mailer } = setUpWatchers(
      { main: { changes: [base, shelf(7, 'two\n')] } },
      { watch: ['shelved'], startAt: 2 },
    );
    await watcher.poll();
    simulator.update({ changes: [base, shelf(7, 'three\n')] });
    await watcher.poll();
    await criticizer.start();
    await vi.waitFor(async () => expect((await jobs()).map((job) => job.status)).toEqual(['completed', 'completed']), {
      timeout: 10_000,
    });
    const [first] = (await jobs()).filter((job) => job.reviewVersion === 1);
    expect(first?.result).toMatchObject({ skipped: 'superseded' });
    expect(mailer.accepted()).toHaveLength(1);
    // That content once more: nobody has reviewed it yet, so now it is, and once.
    simulator.update({ changes: [base, shelf(7, 'two\n')] });
    await watcher.poll();
    expect((await watcher.take([7])).map(({ outcome, reviewVersion }) => [outcome, reviewVersion])).toEqual([
      ['known', 3],
    ]);
    await vi.waitFor(() => expect(mailer.accepted()).toHaveLength(2), { timeout: 10_000 });
    expect((await watcher.take([7])).map(({ outcome, reviewVersion }) => [outcome, reviewVersion])).toEqual([
      ['known', 3],
    ]);
  });

  it('INT-2: a shelf whose newer content an older job fetched, before the watcher saw it, is reviewed once', async () => {
    const { watcher, simulator, criticizer, jobs, mailer } = setUpWatchers(
      { main: { changes: [base, shelf(7, 'two\n')] } },
      { watch: ['shelved'], startAt: 2 },
    );
    await watcher.poll();
    simulator.update({ changes: [base, shelf(7, 'three\n')] });
    await criticizer.start();
    const ends = async () => (await jobs()).map(({ reviewVersion, status }) => `v${reviewVersion} ${status}`).sort();
    await vi.waitFor(async () => expect(await ends()).toEqual(['v1 completed']), { timeout: 10_000 });
    await watcher.poll();
    expect((await watcher.take([7])).map(({ outcome, reviewVersion }) => [outcome, reviewVersion])).toEqual([
      ['known', 1],
    ]);
    expect([await ends(), mailer.accepted().length]).toEqual([['v1 completed'], 1]);
    // The content that the job was submitted for: nobody has reviewed it.
    simulator.update({ changes: [base, shelf(7, 'two\n')] });
    await watcher.poll();
    await vi.waitFor(async () => expect(await ends()).toEqual(['v1 completed', 'v2 completed']), { timeout: 10_000 });
    await watcher.poll();
    expect([await ends(), mailer.accepted().length]).toEqual([['v1 completed', 'v2 completed'], 2]);
  });

  it('INT-1: a change whose paths no rule can judge is stored as skipped, with an event, and comes in once', async () => {
    const files = [{ path: '//depot/main/../secret', action: 'add' as const, content: 'x' }];
    const events: SecurityEvent[] = [];
    const securityEvents = { emit: (event: SecurityEvent) => void events.push(event) };
    const changes = [
      base,
      submittedChange(5, { files }),
      shelf(6, 'x\n', { files }),
      submittedChange(8, {}, '//depot/other/x'),
    ];
    const { watcher, jobs } = setUpWatchers({ main: { changes } }, { securityEvents });
    for (const outcomes of [
      ['skipped', 'skipped', 'out-of-scope'],
      ['known', 'known', 'out-of-scope'],
    ])
      expect((await watcher.take([5, 6, 8])).map(({ outcome }) => outcome)).toEqual(outcomes);
    const stored = (await jobs()).map(({ changelistId, status, result }) => [
      changelistId,
      status,
      result?.['skipped'],
    ]);
    expect(stored.sort()).toEqual([
      ['main/5', 'completed', 'path'],
      ['main/6', 'completed', 'path'],
    ]);
    expect(events.map(({ type, changelistId, details }) => [type, changelistId, details])).toEqual([
      ['depot_path.malformed', 'main/5', { paths: 1 }],
      ['depot_path.malformed', 'main/6', { paths: 1 }],
    ]);
  });

  it('INT-2: a submitted change with another content than its shelf is the next version', async () => {
    const { watcher, simulator, submitted } = setUpWatchers(
      { main: { changes: [base, shelf(7, 'two\n')] } },
      { watch: ['shelved', 'submitted'], startAt: 2 },
    );
    await watcher.poll();
    simulator.update({ changes: [base, shelf(7, 'final\n', { status: 'submitted', shelved: false })] });
    await watcher.poll();
    await watcher.poll();
    expect(await submitted()).toEqual(['main/7 v1', 'main/7 v2']);
  });

  it('INT-1: catches up page by page, submits each change inside the allow-list once, and asks for no other path', async () => {
    const changes = [1, 2, 3, 5, 8, 9].map((number) => submittedChange(number));
    const elsewhere = submittedChange(4, {}, '//depot/other/x.txt');
    const { watcher, simulator, submitted, stores } = setUpWatchers(
      { main: { changes: [...changes, elsewhere] } },
      { startAt: 2, pageSize: 3 },
    );
    await watcher.poll();
    await watcher.poll();
    expect(await submitted()).toEqual([2, 3, 5, 8, 9].map((number) => `main/${number} v1`));
    expect(await stores.cursors.get('p4/main/submitted')).toBe('{"next":10}');
    const asked = simulator
      .log()
      .filter((run) => run.command === 'changes' && run.operands.some((operand) => operand.startsWith('//')));
    expect(asked.flatMap((run) => run.operands.filter((operand) => operand.startsWith('//')))).toEqual([
      '//depot/main/...@2,@4',
      '//depot/main/...@5,@7',
      '//depot/main/...@8,@9',
    ]);
    expect(simulator.log().flatMap((run) => run.violations)).toEqual([]);
  });

  it('INT-1: a rule that names an unknown depot holds up no other, and is told', async () => {
    const events = [
      { kind: 'message', severity: 3, generic: 2, text: "Depot 'gone' unknown - use 'depot' to create it." },
    ] as const;
    const changes = (...operands: string[]) => ({
      command: ['changes', '-s', 'submitted', '-m', '2', ...operands],
      events,
    });
    const [known, gone] = ['//depot/main/...@2,@3', '//gone/...@2,@3'];
    const answers = [changes(known, gone), changes(gone)];
    const warned: object[] = [];
    const logger = { ...silentLogger, warn: (fields: object) => void warned.push(fields) };
    const allowList = createAllowList({ allow: ['//depot/main/...', '//gone/...'] });
    const model = { changes: [submittedChange(2), submittedChange(3)], answers };
    const { watcher, submitted, make } = setUpWatchers({ main: model }, { startAt: 2, allowList, logger });
    await watcher.poll();
    expect(await submitted()).toEqual(['main/2 v1', 'main/3 v1']);
    expect(warned).toEqual([{ event: 'watch.unknown_depots', serverId: 'main', code: 'P4_OUT_OF_SCOPE', rules: 1 }]);
    // Where none is left to go on with, nothing counts as seen.
    const nothing = make(0, { serverId: 'other', allowList: createAllowList({ allow: ['//gone/...'] }) });
    await expect(nothing.poll()).rejects.toMatchObject({ code: 'P4_OUT_OF_SCOPE' });
  });

  it('INT-1: what cannot be described holds up nothing and is submitted, so that its job says why', async () => {
    const odd = submittedChange(2, {
      files: [{ path: '//depot/main/2.txt', action: 'unheard-of' as 'add', content: 'x' }],
    });
    const { watcher, submitted } = setUpWatchers({ main: { changes: [odd, submittedChange(3)] } }, { startAt: 1 });
    await watcher.poll();
    expect(await submitted()).toEqual(['main/2 v1', 'main/3 v1']);
  });

  it('INT-1: a change renumbered when it was submitted is stored as seen where its shelf was reviewed, and reviewed where it was not', async () => {
    const { watcher, simulator, stores, criticizer, jobs, mailer } = setUpWatchers(
      { main: { changes: [base, shelf(7, 'two\n'), shelf(8, 'eight\n')] } },
      { watch: ['shelved', 'submitted'], startAt: 2 },
    );
    await criticizer.start();
    await watcher.poll();
    await vi.waitFor(async () => expect((await jobs()).map((job) => job.status)).toEqual(['completed', 'completed']), {
      timeout: 10_000,
    });
    await criticizer.stop();
    const submittedAs = (number: number, oldChange: number, content: string): P4SimulatorChange =>
      shelf(number, content, {
        status: 'submitted',
        shelved: false,
        oldChange,
        files: [edit(number === 11 ? 'two\n' : content)],
      });
    const edit = (content: string) => ({ path: '//depot/main/base.txt', action: 'edit' as const, content });
    simulator.update({ changes: [base, submittedAs(11, 7, 'two\n'), submittedAs(12, 8, 'other\n')] });
    await watcher.poll();
    const [eleven, twelve] = await Promise.all([11, 12].map((number) => stores.jobs.latestVersion(`main/${number}`)));
    expect([eleven?.changelistId, eleven?.status, eleven?.result]).toEqual([
      'main/11',
      'completed',
      { skipped: 'same_content', detail: 'Reviewed as main/7.' },
    ]);
    expect([twelve?.changelistId, twelve?.status]).toEqual(['main/12', 'queued']);
    expect(mailer.accepted()).toHaveLength(2);
  });

  it('INT-2: the same number on two servers gives two jobs and two mails', async () => {
    const model = { changes: [submittedChange(5)] };
    const { watchers, criticizer, jobs, submitted, mailer } = setUpWatchers(
      { east: model, west: { ...model, port: 'west.invalid:1666' } },
      { startAt: 5 },
    );
    for (const watcher of watchers) await watcher.poll();
    expect(await submitted()).toEqual(['east/5 v1', 'west/5 v1']);
    await criticizer.start();
    await vi.waitFor(async () => expect((await jobs()).map((job) => job.status)).toEqual(['completed', 'completed']), {
      timeout: 10_000,
    });
    expect(new Set(mailer.accepted().map((mail) => mail.key)).size).toBe(2);
  });

  it('INV-2: a watcher that dies between submit and cursor loses nothing and submits nothing twice; two at once neither', async () => {
    const { watcher, make, stores, submitted } = setUpWatchers(
      { main: { changes: [base, submittedChange(2), submittedChange(3), shelf(7, 'two\n')] } },
      { watch: ['shelved', 'submitted'], startAt: 2 },
    );
    await expect(make(0, { cursors: dyingCursors(stores.cursors, 0) }).poll()).rejects.toThrow('died');
    expect(await submitted()).toEqual(['main/7 v1']);
    await expect(make(0, { cursors: dyingCursors(stores.cursors, 2) }).poll()).rejects.toThrow('died');
    const once = await submitted();
    expect(once).toEqual(['main/2 v1', 'main/3 v1', 'main/7 v1']);
    await Promise.all([watcher.poll(), make(0).poll()]);
    expect(await submitted()).toEqual(once);
    expect(await stores.cursors.get('p4/main/submitted')).toBe('{"next":4}');
  });

  it('a trigger and the watcher together submit a change once', async () => {
    const elsewhere = submittedChange(3, {}, '//depot/other/x.txt');
    const { watcher, submitted, jobs } = setUpWatchers(
      {
        main: {
          changes: [
            base,
            submittedChange(2),
            submittedChange(4),
            elsewhere,
            shelf(7, 'two\n'),
            { ...shelf(8, 'x'), shelved: false },
          ],
        },
      },
      { watch: ['submitted'], startAt: 2 },
    );
    const seen = await watcher.take([2, 3, 7, 8, 99], { seenBy: 'trigger' });
    expect(seen.map(({ number, outcome }) => [number, outcome])).toEqual([
      [2, 'submitted'],
      [3, 'out-of-scope'],
      [7, 'submitted'],
      [8, 'out-of-scope'],
      [99, 'not-found'],
    ]);
    await watcher.poll();
    const seenBy = (await jobs()).map(({ changelistId, payload }) => [changelistId, payload]).sort();
    expect(seenBy).toMatchObject([
      ['main/2', { seenBy: 'trigger' }],
      ['main/4', { seenBy: 'watcher' }],
      ['main/7', { seenBy: 'trigger' }],
    ]);
    expect((await watcher.take([2, 7])).map(({ outcome }) => outcome)).toEqual(['known', 'known']);
    expect(await submitted()).toEqual(['main/2 v1', 'main/4 v1', 'main/7 v1']);
    await expect(watcher.take([0])).rejects.toThrow(TypeError);
  });

  it('stops in the middle of a silent command, by its signal too', async () => {
    const stop = new AbortController();
    const { watcher, simulator } = setUpWatchers(
      { main: { changes: [base], fault: { kind: 'silent' } } },
      { signal: stop.signal },
    );
    watcher.start();
    await vi.waitFor(() => expect(simulator.log()).toHaveLength(1), { timeout: 5_000 });
    stop.abort();
    await watcher.stop();
    expect(() => process.kill(simulator.log()[0]?.pid ?? 0, 0)).toThrow('ESRCH');
    await expect(watcher.poll()).rejects.toThrow();
    await using second = watcher;
    second.start();
    expect(simulator.log()).toHaveLength(1);
  });

  it('a cursor that cannot be read is an error, not a new beginning', async () => {
    const { watcher, stores, submitted } = setUpWatchers({ main: { changes: [base] } }, { startAt: 1 });
    await stores.cursors.advance('p4/main/submitted', null, '{"next":"soon"}');
    await expect(watcher.poll()).rejects.toMatchObject({ code: 'P4_CURSOR_UNREADABLE' });
    expect(await submitted()).toEqual([]);
  });

  it.each([
    [{ watch: [] }, /watch/],
    [{ watch: ['pending' as 'shelved'] }, /watch/],
    [{ pollMs: 10 }, /pollMs/],
    [{ startAt: 0 }, /startAt/],
    [{ pageSize: 0 }, /pageSize/],
    [{ maxShelves: 5_000 }, /maxShelves/],
    [{ serverId: 'Main' }, /serverId/],
  ])('refuses the options %j', (options, names) => {
    expect(() => setUpWatchers({ main: { changes: [] } }, options)).toThrow(names);
  });
});

describe('findNewestChanges', () => {
  it('names the newest submitted changes inside the allow-list, and no shelf', async () => {
    const changes = [
      base,
      submittedChange(3, {}, '//depot/other/x'),
      submittedChange(4),
      shelf(5, 'two\n'),
      submittedChange(6),
      submittedChange(7),
    ];
    const { serverId, fingerprintKey, ...reach } = setUpWatchers({ main: { changes } }).reach;
    const find = (max: number, allow = ['//depot/main/...']) =>
      findNewestChanges({ ...reach, allowList: createAllowList({ allow }) }, { max });
    expect(await find(2)).toEqual([6, 7]);
    expect(await find(9)).toEqual([1, 4, 6, 7]);
    expect(await find(2, ['//depot/main/...', '//depot/other/x'])).toEqual([6, 7]);
    await expect(find(0)).rejects.toThrow(/^max/);
  });
});

/** Of a process that dies when it moves a cursor, after so many moves that went well. */
function dyingCursors(cursors: CursorStore<never>, moves: number): CursorStore<never> {
  let left = moves;
  return {
    ...cursors,
    async advance(...move) {
      if (left === 0) throw new Error('died');
      left -= 1;
      return cursors.advance(...move);
    },
  };
}
