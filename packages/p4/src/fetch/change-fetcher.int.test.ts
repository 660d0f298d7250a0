import type { Change, FetchOutcome } from '@criticizer/core/ports';
import { afterEach, describe, expect, it } from 'vitest';
import { disposeSimulators, secretSource, setUpFetcher, smallModel } from '../../test/fetcher-setup.js';
import { createAllowList } from '../policy/allow-list.js';
import type { P4SimulatorChange, P4SimulatorModel } from '../testing/index.js';

afterEach(disposeSimulators);

function changeOf(outcome: FetchOutcome): Change {
  if (outcome.kind !== 'change') throw new Error(`skipped: ${outcome.reason}`);
  return outcome.change;
}

const png = Buffer.from([0x89, 0x50, 0, 0xff, 0xfe]).toString('base64');
const model: P4SimulatorModel = {
  users: [{ user: 'ann', email: 'ann@mail.example', fullName: 'Ann' }],
  changes: [
    {
      number: 10,
      user: 'ann',
      description: 'base',
      status: 'submitted',
      files: [
        { path: '//depot/main/edit.txt', action: 'add', content: 'one\ntwo\nthree\n' },
        { path: '//depot/main/crlf.txt', action: 'add', content: 'a\r\nb\r\n' },
        { path: '//depot/main/tail.txt', action: 'add', content: 'x\ny' },
        { path: '//depot/main/gone.txt', action: 'add', content: 'bye\n' },
        { path: '//depot/main/old%40name.txt', action: 'add', content: 'same\nline\n' },
        { path: '//depot/main/still.txt', action: 'add', content: 'still\n' },
      ],
    },
    {
      number: 11,
      user: 'ann',
      time: 1_700_000_500,
      description: 'many things',
      status: 'submitted',
      jobs: [{ job: 'JOB7', status: 'closed' }],
      reviewers: [{ user: 'bo', email: 'bo@mail.example', name: 'Bo' }],
      files: [
        { path: '//depot/main/new.txt', action: 'add', content: 'fresh\n' },
        { path: '//depot/main/edit.txt', action: 'edit', content: 'one\n2\nthree\n' },
        { path: '//depot/main/crlf.txt', action: 'edit', content: 'a\r\nB\r\n' },
        { path: '//depot/main/tail.txt', action: 'edit', content: 'x\ny\n' },
        { path: '//depot/main/gone.txt', action: 'delete' },
        { path: '//depot/main/old%40name.txt', action: 'move/delete' },
        {
          path: '//depot/main/new name.txt',
          action: 'move/add',
          content: 'same\nLINE\n',
          from: { path: '//depot/main/old%40name.txt', rev: 1 },
        },
        { path: '//depot/main/still.txt', action: 'integrate', content: 'still\n' },
        { path: '//depot/main/logo.png', action: 'add', type: 'binary', content: { base64: png } },
        {
          path: '//depot/main/bad.txt',
          action: 'add',
          content: { base64: Buffer.from([0x66, 0xfc, 0x72]).toString('base64') },
        },
      ],
    },
  ],
};

describe('p4 change fetcher', () => {
  it('P4-2 INT-1: fetches a submitted change with every kind of file', async () => {
    const { fetch, simulator, events } = setUpFetcher(model);
    const change = changeOf(await fetch(11));
    expect(change).toMatchObject({
      changelistId: 'main/11',
      kind: 'submitted',
      user: 'ann',
      userMail: 'ann@mail.example',
      reviewerMails: ['bo@mail.example'],
      jobs: ['JOB7'],
      visibility: 'partial-possible',
      deniedFiles: 0,
      changedAt: new Date(1_700_000_500_000),
    });
    const files = Object.fromEntries(change.files.map((file) => [file.path, file]));
    expect(Object.fromEntries(change.files.map((file) => [file.path, file.skipped ?? file.action]))).toEqual({
      '//depot/main/new.txt': 'add',
      '//depot/main/edit.txt': 'edit',
      '//depot/main/crlf.txt': 'edit',
      '//depot/main/tail.txt': 'edit',
      '//depot/main/gone.txt': 'deleted',
      '//depot/main/new name.txt': 'move',
      '//depot/main/still.txt': 'unchanged',
      '//depot/main/logo.png': 'binary',
      '//depot/main/bad.txt': 'undecodable',
    });
    expect(files['//depot/main/new.txt']?.hunks).toEqual([
      { oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, lines: ['+fresh'] },
    ]);
    expect(files['//depot/main/edit.txt']).toMatchObject({
      revision: 2,
      addedLines: 1,
      removedLines: 1,
      encoding: 'utf8',
    });
    expect(files['//depot/main/edit.txt']?.hunks).toEqual([
      { oldStart: 1, oldLines: 3, newStart: 1, newLines: 3, lines: [' one', '-two', '+2', ' three'] },
    ]);
    expect(files['//depot/main/edit.txt']?.newText).toBe('one\n2\nthree\n');
    expect(change.files.filter((file) => file.skipped !== null && 'newText' in file)).toEqual([]);
    expect(files['//depot/main/crlf.txt']?.hunks[0]?.lines).toEqual([' a\r', '-b\r', '+B\r']);
    expect(files['//depot/main/tail.txt']?.hunks[0]).toMatchObject({ lines: [' x', '-y', '+y'], oldNoNewline: true });
    expect(files['//depot/main/tail.txt']?.hunks[0]?.newNoNewline).toBeUndefined();
    expect(files['//depot/main/new name.txt']).toMatchObject({
      oldPath: '//depot/main/old%40name.txt',
      addedLines: 1,
      removedLines: 1,
    });
    expect(events).toEqual([]);
    expect(
      simulator
        .log()
        .map((run) => run.command)
        .sort(),
    ).toEqual(['describe', 'filelog', 'print', 'reviews', 'users']);
    expect(simulator.log().flatMap((run) => run.violations)).toEqual([]);
  });

  it('takes four processes for the first change, three for each further one of a known author, two where mail addresses come from elsewhere, and one more where it integrates', async () => {
    const commands = async (options: object): Promise<string[][]> => {
      const { fetch, simulator } = setUpFetcher(model, options);
      const first = await fetch(11);
      const before = simulator.log().length;
      expect(changeOf(await fetch(11))).toEqual(changeOf(first));
      const names = simulator.log().map((run) => run.command);
      return [names.slice(0, before).sort(), names.slice(before).sort()];
    };
    expect(await commands({})).toEqual([
      ['describe', 'filelog', 'print', 'reviews', 'users'],
      ['describe', 'filelog', 'print', 'reviews'],
    ]);
    expect(await commands({ mailAddresses: false })).toEqual([
      ['describe', 'filelog', 'print'],
      ['describe', 'filelog', 'print'],
    ]);
  });

  it('P4-2: fetches a shelf against its base revisions, and tells an unchanged re-shelve from a new one', async () => {
    const shelf = (content: string, description = 'wip'): P4SimulatorChange => ({
      number: 12,
      user: 'ann',
      description,
      status: 'pending',
      shelved: true,
      files: [
        { path: '//depot/main/edit.txt', action: 'edit', content },
        { path: '//depot/main/shelved.txt', action: 'add', content: 'new\n' },
      ],
    });
    const base = model.changes;
    const { fetch, simulator, fetcher } = setUpFetcher({ ...model, changes: [...base, shelf('one\n2!\nthree\n')] });
    const first = changeOf(await fetch(12));
    expect(first).toMatchObject({ kind: 'shelved', number: 12 });
    expect(first.files.map((file) => [file.path, file.revision, file.addedLines, file.removedLines])).toEqual([
      ['//depot/main/edit.txt', null, 1, 1],
      ['//depot/main/shelved.txt', null, 1, 0],
    ]);
    simulator.update({ changes: [...base, shelf('one\n2!\nthree\n', 'another description')] });
    expect(changeOf(await fetch(12)).contentDigest).toBe(first.contentDigest);
    // A review system keeps a copy of each version under a number of its own.
    const copy = { ...shelf('one\n2!\nthree\n'), number: 13, user: 'review-system' };
    simulator.update({ changes: [...base, shelf('one\n2?\nthree\n'), copy] });
    expect(changeOf(await fetch(12)).contentDigest).not.toBe(first.contentDigest);
    const { signal } = new AbortController();
    expect(await fetcher.readContentDigest(13, signal)).toBe(first.contentDigest);
    expect(await fetcher.readContentDigest(12, signal)).not.toBe(first.contentDigest);
    // Submitted under another number, it is known by its first one too.
    simulator.update({
      changes: [...base, { ...shelf('one\n2!\nthree\n'), number: 14, oldChange: 12, status: 'submitted' }],
    });
    expect(changeOf(await fetch(14))).toMatchObject({ originalNumber: 12, contentDigest: first.contentDigest });
    expect(await fetcher.readContentDigest(14, signal)).toBe(first.contentDigest);
  });

  it.each<[string, Partial<P4SimulatorChange>]>([
    ['skipped:restricted', { restricted: true, files: [] }],
    ['skipped:kind', { status: 'pending' }],
    ['skipped:empty', { files: [] }],
    ['skipped:binary_only', { files: [{ path: '//depot/main/i.png', action: 'add', type: 'binary+l', content: 'x' }] }],
    ['skipped:size', { files: [1, 2, 3].map((n) => ({ path: `//depot/main/${n}.txt`, action: 'add' })) }],
    ['P4_PATH_MALFORMED', { files: [{ path: '//depot/main/../secret', action: 'add' }] }],
  ])('INT-1: ends in %s', async (expected, change) => {
    const { outcome } = setUpFetcher(
      { changes: [{ ...(smallModel.changes[1] as P4SimulatorChange), ...change }] },
      { maxChangeFiles: 2 },
    );
    expect(await outcome(5)).toBe(expected);
  });

  it('INT-1: reads restricted changes that the user may list, and skips those the server hides', async () => {
    const [first, second] = smallModel.changes as [P4SimulatorChange, P4SimulatorChange];
    const shelf = { ...second, number: 6, status: 'pending', shelved: true } as const;
    // What a server with defaultChangeType=restricted makes of every change.
    const changes = [first, second, shelf].map((change) => ({ ...change, restricted: true }));
    const { outcome, simulator } = setUpFetcher({ ...smallModel, changes });
    expect([await outcome(5), await outcome(6)]).toEqual(['change', 'change']);
    simulator.update({ protections: [{ path: '//depot/main/...', access: 'none' }] });
    expect([await outcome(5), await outcome(6)]).toEqual(['skipped:restricted', 'skipped:restricted']);
    // Typed by a user who would like to be left alone.
    const description = '<description: restricted, no permission to view>';
    simulator.update({ changes: [first, { ...second, description }], protections: [] });
    expect(await outcome(5)).toBe('change');
  });

  it.each(['maxResults', 'maxScanRows'])(
    'INT-1: skips for its size a change of more files than %s lets the server list',
    async (limit) => {
      const { outcome, simulator } = setUpFetcher({ ...model, limits: { [limit]: 2 } });
      expect(await outcome(11)).toBe('skipped:size');
      expect(simulator.log().map((run) => run.command)).toEqual(['describe']);
      // Another limit says nothing of the change.
      const text = "Operation took too long (over 30 seconds); see 'p4 help maxlocktime'.";
      const slow = setUpFetcher({
        ...model,
        fault: { kind: 'message', severity: 3, generic: 35, text, command: 'describe' },
      });
      expect(await slow.outcome(11)).toBe('P4_SERVER_LIMIT');
    },
  );

  it('P4-2 P4-5: refuses a change that mixes denied with allowed paths, before any content is asked for', async () => {
    const { outcome, simulator, events } = setUpFetcher(mixedModel);
    expect(await outcome(6)).toBe('P4_PATH_DENIED');
    expect(events).toMatchObject([
      {
        type: 'depot_path.denied',
        changelistId: 'main/6',
        details: { path: '//depot/secret/key.txt', why: 'not_listed', paths: 1 },
      },
    ]);
    expect(simulator.log().map((run) => run.command)).toEqual(['describe']);
  });

  it('P4-5: by setting, leaves denied files out, counts them and names them nowhere', async () => {
    const { fetch, logged, simulator } = setUpFetcher(mixedModel, { deniedPaths: 'omit' });
    const change = changeOf(await fetch(6));
    expect(change.files.map((file) => file.path)).toEqual(['//depot/main/b.txt']);
    expect(change.deniedFiles).toBe(1);
    expect(JSON.stringify([change, logged])).not.toContain('secret');
    expect(JSON.stringify(simulator.log())).not.toContain('secret');
    const none = setUpFetcher(mixedModel, {
      deniedPaths: 'omit',
      allowList: createAllowList({ allow: ['//other/...'] }),
    });
    expect(await none.outcome(6)).toBe('skipped:path');
  });

  it('P4-4: checks again when the server begins to send a file', async () => {
    const { outcome, events } = setUpFetcher({
      ...smallModel,
      fault: { kind: 'foreign-file', path: '//depot/secret/x', command: 'print' },
    });
    expect(await outcome(5)).toBe('P4_PATH_DENIED');
    expect(events).toMatchObject([
      { type: 'depot_path.denied', details: { path: '//depot/secret/x', why: 'not_listed' } },
    ]);
    const allowed = setUpFetcher({
      ...smallModel,
      fault: { kind: 'foreign-file', path: '//depot/main/x', command: 'print' },
    });
    expect(await allowed.outcome(5)).toBe('P4_UNEXPECTED_OUTPUT');
  });

  it('P4-5: fails whole where the server lists a file that it does not let this user read', async () => {
    const protections = [{ path: '//depot/main/edit.txt', access: 'list' as const }];
    expect(await setUpFetcher({ ...model, protections }).outcome(11)).toBe('P4_PERMISSION_DENIED');
  });

  it('P4-5: says that a change may be partial, where the server may hide files and where it does', async () => {
    const protections = [{ path: '//depot/main/edit.txt', access: 'none' as const }];
    const hidden = changeOf(await setUpFetcher({ ...model, protections }).fetch(11));
    expect(hidden.files.map((file) => file.path)).not.toContain('//depot/main/edit.txt');
    expect(hidden.visibility).toBe('partial-possible');
    expect(changeOf(await setUpFetcher(model, { hasFullListAccess: true }).fetch(11)).visibility).toBe('complete');
  });

  it('P4-3: takes the case handling from the server', async () => {
    const allowList = createAllowList({ allow: ['//Depot/MAIN/...'] });
    expect(await setUpFetcher(smallModel, { allowList }).outcome(5)).toBe('skipped:path');
    expect(await setUpFetcher({ ...smallModel, caseHandling: 'insensitive' }, { allowList }).outcome(5)).toBe('change');
  });

  it('P4-3: asks for the case handling once, and only where it matters', async () => {
    const commands = async (options: object, edit: Partial<P4SimulatorModel> = {}): Promise<string[]> => {
      const { fetch, simulator } = setUpFetcher(
        { ...smallModel, caseHandling: 'insensitive', ...edit },
        { mailAddresses: false, ...options },
      );
      for (let time = 0; time < 2; time += 1) expect(changeOf(await fetch(5)).files[0]?.skipped).toBeNull();
      return simulator.log().map((run) => run.command);
    };
    expect(await commands({})).toEqual(['describe', 'print', 'describe', 'print']);
    const allowList = createAllowList({ allow: ['//Depot/MAIN/...'] });
    expect(await commands({ allowList })).toEqual(['describe', 'info', 'print', 'describe', 'print']);
    // An earlier revision under a name in other letters, as such servers keep it: seen when it arrives.
    const [first, second] = smallModel.changes;
    const renamed = {
      changes: [{ ...first, files: first?.files.map((file) => ({ ...file, path: '//depot/Main/A.txt' })) }, second],
    };
    expect(await commands({}, renamed as Partial<P4SimulatorModel>)).toEqual([
      'describe',
      'print',
      'info',
      'print',
      'describe',
      'print',
    ]);
    const sensitive = setUpFetcher({ ...smallModel, answers: [] }, { allowList });
    expect(await sensitive.outcome(5)).toBe('skipped:path');
  });

  it('P4-4: takes no file in other letters for the one it asked for, where the server tells them apart', async () => {
    const fault = { kind: 'foreign-file', path: '//depot/main/A.txt', command: 'print' } as const;
    const { outcome, simulator } = setUpFetcher({ ...smallModel, fault });
    expect(await outcome(5)).toBe('P4_UNEXPECTED_OUTPUT');
    expect(simulator.log().map((run) => run.command)).toContain('info');
  });

  it('pairs the sides of a move whose name differs from the deleted one in case, where the server does not tell them apart', async () => {
    const renamed: P4SimulatorChange = {
      number: 6,
      user: 'ann',
      description: 'case',
      status: 'submitted',
      files: [
        { path: '//depot/main/A.TXT', action: 'move/delete', rev: 3 },
        {
          path: '//depot/main/b.txt',
          action: 'move/add',
          content: 'two\n',
          from: { path: '//depot/main/a.txt', rev: 2 },
        },
      ],
    };
    const files = async (caseHandling: 'sensitive' | 'insensitive') => {
      const change = changeOf(await setUpFetcher({ changes: [...smallModel.changes, renamed], caseHandling }).fetch(6));
      return change.files.map(({ path, action, oldPath }) => `${action} ${oldPath} ${path}`);
    };
    expect(await files('insensitive')).toEqual(['move //depot/main/a.txt //depot/main/b.txt']);
    expect(await files('sensitive')).toEqual([
      'delete null //depot/main/A.TXT',
      'move //depot/main/a.txt //depot/main/b.txt',
    ]);
  });

  it('P4-2: pairs moves whose sources the server does not name by their digests', async () => {
    const [a, b, c, d] = ['a/x.txt', 'a/y.txt', 'a/z.txt', 'a/w.txt'];
    const add = (name: string, content: string) => ({ path: `//depot/main/${name}`, action: 'add' as const, content });
    const gone = (name: string) => ({ path: `//depot/main/${name}`, action: 'move/delete' as const });
    const moved = (name: string, content: string) => ({ ...add(name, content), action: 'move/add' as const });
    const before = {
      number: 1,
      user: 'ann',
      description: 'before',
      status: 'submitted' as const,
      files: [add(a, 'same\n'), add(b, 'same\n'), add(c, 'one\ntwo\n'), add(d, 'other\n')],
    };
    // Twice the same content, an edited move, and one that goes elsewhere in the same way.
    const files = [
      ...[a, b, c, d].map(gone),
      moved('b/y.txt', 'same\n'),
      moved('b/1.txt', 'same\n'),
      moved('b/z.txt', 'one\n2\n'),
      moved('b/2.txt', 'other\n'),
    ];
    for (const kind of [{ status: 'submitted' }, { status: 'pending', shelved: true }] as const) {
      const { fetch, simulator } = setUpFetcher({ changes: [before, { ...before, number: 2, files, ...kind }] });
      const change = changeOf(await fetch(2));
      expect(
        change.files.map(({ action, oldPath, path, skipped, addedLines, removedLines }) => [
          `${action} ${oldPath?.slice(13)} ${path.slice(13)}`,
          skipped ?? `+${addedLines} -${removedLines}`,
        ]),
      ).toEqual([
        [`move ${b} b/y.txt`, 'unchanged'],
        [`move ${a} b/1.txt`, 'unchanged'],
        [`move ${c} b/z.txt`, '+1 -1'],
        [`move ${d} b/2.txt`, 'unchanged'],
      ]);
      // Of a shelf the fetcher reads resolve records first.
      const asked = kind.status === 'pending' ? ['-Or', '-Ol'] : ['-Ol'];
      const runs = simulator.log().filter((run) => run.command === 'fstat');
      expect(runs.map(({ argv }) => argv.find((word) => word.startsWith('-O')))).toEqual(asked);
    }
  });

  it('finds the charset of a Unicode server by itself', async () => {
    expect(await setUpFetcher({ ...smallModel, unicode: true }).outcome(5)).toBe('change');
    expect(await setUpFetcher({ ...smallModel, unicode: true }, { charset: 'none' }).outcome(5)).toBe(
      'P4_CHARSET_MISMATCH',
    );
  });

  it('finds it for fetches that begin together as well', async () => {
    const { outcome } = setUpFetcher({ ...smallModel, unicode: true });
    expect(await Promise.all([outcome(5), outcome(5), outcome(4)])).toEqual(['change', 'change', 'change']);
  });

  it('decides limits before it fetches', async () => {
    const { fetch, simulator } = setUpFetcher(model);
    const change = changeOf(await fetch(11, { maxFileBytes: 6, maxFiles: 2 }));
    const skips = Object.fromEntries(
      change.files.map((file) => [file.path.slice('//depot/main/'.length), file.skipped]),
    );
    expect(skips).toMatchObject({ 'new.txt': null, 'edit.txt': 'oversize', 'crlf.txt': null, 'tail.txt': 'budget' });
    const operands = simulator.log().find((run) => run.command === 'print')?.operands;
    expect(operands).toEqual(['//depot/main/new.txt#1', '//depot/main/crlf.txt#1', '//depot/main/crlf.txt#2']);
  });

  it('decodes legacy text as the setting declares', async () => {
    const { fetch } = setUpFetcher(model, { legacyEncoding: 'windows-1252' });
    const bad = changeOf(await fetch(11)).files.find((file) => file.path.endsWith('bad.txt'));
    expect(bad).toMatchObject({ skipped: null, encoding: 'windows-1252' });
    expect(bad?.hunks[0]?.lines).toEqual(['+f\u00fcr']);
  });

  it('INT-1: decodes a legacy description as well, and shows what is none of the two', async () => {
    const [first, second] = smallModel.changes as [P4SimulatorChange, P4SimulatorChange];
    const changes = [
      first,
      { ...second, description: 'f\udcfcr \u00e4' },
      { ...first, number: 6, description: 'f\udcfcr' },
    ];
    const described = async (number: number, options: object) =>
      changeOf(await setUpFetcher({ changes }, options).fetch(number)).description;
    expect(await described(6, { legacyEncoding: 'windows-1252' })).toBe('f\u00fcr\n');
    expect(await described(6, {})).toBe('f\ufffdr\n');
    expect(await described(5, { legacyEncoding: 'shift_jis' })).toBe('f\ufffdr \u00e4\n');
  });

  it('INT-3: reads mail addresses as people write them', async () => {
    const [first, second] = smallModel.changes as [P4SimulatorChange, P4SimulatorChange];
    const people = async (user: string, email: string) => {
      const reviewers = [{ user: 'bo', email: `Bo, the reviewer <${email}>`, name: 'Bo' }];
      const users = [{ user, email: `Ann <${email}>`, fullName: 'Ann' }];
      const { fetch } = setUpFetcher({ users, changes: [first, { ...second, user, reviewers }] });
      const { userMail, reviewerMails } = changeOf(await fetch(5));
      return [userMail, ...reviewerMails];
    };
    expect(await people("o'brien", "o'brien@mail.example")).toEqual(["o'brien@mail.example", "o'brien@mail.example"]);
    expect(await people('ann', 'a b@mail.example')).toEqual([null]);
  });

  it('INT-4: parks where the server no longer knows the service user, and takes no licence warning for a failure', async () => {
    const says = (severity: number, text: string) =>
      setUpFetcher({ ...smallModel, fault: { kind: 'says', severity, generic: 17, text, command: 'describe' } });
    const unknown = { kind: 'message', severity: 3, generic: 2, text: "User reviewer doesn't exist." } as const;
    await expect(setUpFetcher({ ...smallModel, fault: unknown }).fetch(5)).rejects.toMatchObject({
      code: 'P4_AUTH_REJECTED',
      parks: true,
    });
    const licence = 'WARNING: your license expires in 3 days.';
    expect(await says(2, licence).outcome(5)).toBe('change');
    expect(await says(3, licence).outcome(5)).toBe('P4_FAILED');
    expect(await says(2, '//depot/main/license - is odd.').outcome(5)).toBe('P4_UNCLASSIFIED_WARNING');
  });

  it('INT-4: parks on an expired ticket, and takes the previous version during a rotation', async () => {
    const [now, before] = ['A', 'B'].map((letter) => letter.repeat(32)) as [string, string];
    const users = [{ user: 'reviewer', email: 'r@mail.example', fullName: 'R', ticket: before }];
    const ticket = { source: secretSource(now, before), name: 'p4' };
    expect(await setUpFetcher({ ...smallModel, users }, { ticket }).outcome(5)).toBe('change');
    const expired = setUpFetcher(
      { ...smallModel, users: users.map((user) => ({ ...user, ticketExpired: true })) },
      { ticket },
    );
    await expect(expired.fetch(5)).rejects.toMatchObject({ code: 'P4_AUTH_EXPIRED', category: 'auth', parks: true });
  });

  it.each<[string, P4SimulatorModel['fault']]>([
    ['P4_MALFORMED_OUTPUT', { kind: 'garbage' }],
    ['P4_CONNECTION_DROPPED', { kind: 'drop', afterBytes: 30 }],
    ['P4_CONNECTION_DROPPED', { kind: 'drop', afterBytes: 30, command: 'print' }],
    [
      'P4_PERMISSION_DENIED',
      {
        kind: 'message',
        severity: 2,
        generic: 17,
        text: '//x - no permission for operation on file(s).',
        command: 'print',
      },
    ],
    [
      'P4_UNCLASSIFIED_WARNING',
      { kind: 'message', severity: 2, generic: 17, text: 'something new', command: 'describe' },
    ],
    [
      'P4_SERVER_BUSY',
      { kind: 'message', severity: 4, generic: 39, text: 'Too many commands paused;  terminated.', command: 'print' },
    ],
    [
      'change',
      {
        kind: 'message',
        severity: 3,
        generic: 6,
        text: "You don't have permission for this operation.",
        command: 'reviews',
      },
    ],
  ])('ERR-1: a fault ends in %s', async (expected, fault) => {
    expect(await setUpFetcher({ ...smallModel, fault }).outcome(5)).toBe(expected);
  });

  it('P4-7: waits for a slow answer as long as the time limits say, and no shorter', async () => {
    const slow = (command: string, seconds: number, timeouts: object) =>
      setUpFetcher({ ...smallModel, fault: { kind: 'answers-after', seconds, command } }, { timeouts }).outcome(5);
    expect(await slow('describe', 45, {})).toBe('change');
    expect(await slow('describe', 45, { commandMs: 44_000 })).toBe('P4_TIMEOUT');
    expect(await slow('print', 290, {})).toBe('change');
  });

  it('ERR-1: tells a client that is too old for TLS by name from a server that nobody pinned', async () => {
    const [pin, other] = ['AB', 'CD'].map((pair) => Array.from({ length: 20 }, () => pair).join(':'));
    const outcome = (host: string, clientVersion: string, trustFingerprint: string | undefined) => {
      const port = `ssl:${host}:1666`;
      const model = { ...smallModel, port, clientVersion, fingerprint: pin };
      return setUpFetcher(model, { trustFingerprint }).outcome(5);
    };
    expect(await outcome('p4.example.com', '2021.1', pin)).toBe('P4_CLIENT_TOO_OLD');
    expect(await outcome('p4.example.com', '2021.1', other)).toBe('P4_TRUST_UNKNOWN');
    expect(await outcome('p4.example.com', '2021.2', pin)).toBe('change');
    expect(await outcome('10.0.0.7', '2021.1', pin)).toBe('change');
  });

  it('ERR-1: tells a missing change, a bad number and an unreachable server apart', async () => {
    const { outcome } = setUpFetcher(smallModel);
    expect(await outcome(404)).toBe('P4_CHANGE_NOT_FOUND');
    expect(await outcome(-1)).toBe('P4_INVALID_REQUEST');
    expect(await setUpFetcher(smallModel, { port: 'elsewhere.invalid:1666' }).outcome(5)).toBe('P4_UNREACHABLE');
  });

  it('shows a file whose old side the server no longer has as unavailable, not as new', async () => {
    const changes: P4SimulatorChange[] = [
      {
        number: 7,
        user: 'ann',
        description: 'x',
        status: 'submitted',
        files: [{ path: '//depot/main/p.txt', action: 'edit', rev: 3, content: 'a\n' }],
      },
    ];
    const { fetch } = setUpFetcher({ ...smallModel, changes });
    expect(changeOf(await fetch(7)).files[0]).toMatchObject({ skipped: 'unavailable', hunks: [] });
  });
});

const mixedModel: P4SimulatorModel = {
  changes: [
    {
      number: 6,
      user: 'ann',
      description: 'mixed',
      status: 'submitted',
      files: [
        { path: '//depot/main/b.txt', action: 'add', content: 'b\n' },
        { path: '//depot/secret/key.txt', action: 'add', content: 'k\n' },
      ],
    },
  ],
};
