import { randomBytes } from 'node:crypto';
import { renameSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { isCriticizerError } from '@criticizer/core';
import { describeChangeFetcherContract } from '@criticizer/core/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createAllowList,
  createP4ChangeFetcher,
  createP4RunnerClient,
  createP4RunnerServer,
  runP4Doctor,
} from '../src/index.js';
import { encodeFrame, frameType, maxFrameBytes } from '../src/runner/runner-frames.js';
import { contractModel, disposeSimulators, secretSource, setUpFetcher, smallModel } from './fetcher-setup.js';
import { closeRunners, converseRaw, setUpRunner } from './runner-setup.js';

afterEach(async () => {
  await closeRunners();
  disposeSimulators();
});

describeChangeFetcherContract(
  { describe, it },
  {
    async create() {
      const { fetcher } = await setUpRunner(contractModel);
      return { fetcher, known: 5, unknown: 99, dispose: closeRunners };
    },
  },
);

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => (isCriticizerError(error) ? error : String(error)),
  );

describe('p4 runner', () => {
  it('P4-7: reads for a client that has neither executable nor ticket, byte for byte', async () => {
    const ticket = randomBytes(16).toString('hex').toUpperCase();
    const content = `${randomBytes(600_000).toString('hex')}\n`.repeat(2);
    const model = {
      users: [{ user: 'reviewer', email: 'r@mail.example', fullName: 'R', ticket }],
      changes: [
        {
          ...{ number: 5, user: 'reviewer', description: 'd', status: 'submitted' as const },
          files: [{ path: '//depot/main/a.txt', action: 'add' as const, content }],
        },
      ],
    };
    const limits = { maxFileBytes: 8_000_000, maxNewTextBytes: 8_000_000 };
    const { fetch, simulator, options } = await setUpRunner(model, { ticket });
    const outcome = await fetch(5, limits);
    expect(outcome.kind === 'change' ? outcome.change.files[0]?.newText : outcome).toBe(content);
    expect(simulator.log().flatMap((run) => run.violations)).toEqual([]);
    expect(JSON.stringify(options)).not.toContain(ticket);
  });

  it('passes on what the server says: a refused ticket, an unknown change', async () => {
    const [right, wrong] = [
      randomBytes(16).toString('hex').toUpperCase(),
      randomBytes(16).toString('hex').toUpperCase(),
    ];
    const users = [{ user: 'reviewer', email: 'r@mail.example', fullName: 'R', ticket: right }];
    const refused = await setUpRunner({ ...smallModel, users }, { ticket: wrong });
    expect(await refused.outcome(5)).toBe('P4_AUTH_REQUIRED');
    expect(await (await setUpRunner(smallModel)).outcome(99)).toBe('P4_CHANGE_NOT_FOUND');
  });

  it('SEC-5: reads with the ticket before the current one while the server wants that', async () => {
    const [before, current] = [
      randomBytes(16).toString('hex').toUpperCase(),
      randomBytes(16).toString('hex').toUpperCase(),
    ];
    const user = { user: 'reviewer', email: 'r@mail.example', fullName: 'R' };
    const wants = (ticket: string) => ({ ...smallModel, users: [{ ...user, ticket }] });
    const rotated = { ticket: current, previousTicket: before };
    expect(await (await setUpRunner(wants(before), rotated)).outcome(5)).toBe('change');
    expect(await (await setUpRunner(wants(current), rotated)).outcome(5)).toBe('change');
    expect(await (await setUpRunner(wants('F'.repeat(32)), rotated)).outcome(5)).toBe('P4_AUTH_REQUIRED');
  });

  it('SEC-5: takes the key before the current one on either side, and any other parks', async () => {
    const fresh = randomBytes(32).toString('hex');
    const ahead = await setUpRunner(smallModel, { clientKeys: (key) => secretSource(fresh, key) });
    expect(await ahead.outcome(5)).toBe('change');
    const older = randomBytes(32).toString('hex');
    const key = { source: secretSource(fresh, older), name: 'KEY' };
    const behind = await setUpRunner(smallModel, { server: { key }, clientKeys: () => secretSource(older) });
    expect(await behind.outcome(5)).toBe('change');
    const apart = await setUpRunner(smallModel, { clientKeys: () => secretSource(fresh, older) });
    const refused = { code: 'P4_RUNNER_REFUSED', category: 'auth', parks: true };
    expect(await errorOf(apart.fetch(5))).toMatchObject(refused);
  });

  it.each<[string, Parameters<typeof converseRaw>[1] | { part: string }]>([
    ['ticket', { key: '', fields: { ticketVersion: 'previous' } }],
    ['authentication', { key: randomBytes(32).toString('hex') }],
    ['server', { key: '', fields: { serverId: 'art' } }],
    ['command', { key: '', fields: { name: 'sync' } }],
    ['command', { key: '', fields: { flags: ['-s', '-o'] } }],
    ['command', { key: '', operands: ['5', '-x'] }],
    ['operand', { key: '', fields: { name: 'print', flags: ['-k'] }, operands: ['//depot/keys/a.txt#1'] }],
    ['operand', { key: '', fields: { name: 'changes', flags: [] }, operands: ['//depot/keys/...@1,@5'] }],
    ['limit', { key: '', fields: { wallMs: 300_001 } }],
    ['limit', { key: '', fields: { maxOutputBytes: 2 ** 30 } }],
    ['request', { key: '', fields: { operandBytes: 4 } }],
    ['request', { key: '', fields: { nonce: 'x' } }],
    ['version', { key: '', fields: { version: 2 } }],
  ])('P4-7: refuses by its own lists: %s (%#)', async (part, said) => {
    const { socketPath, key, simulator } = await setUpRunner(smallModel);
    const conversation = 'part' in said ? { key } : { ...said, key: said.key || key };
    const { types, last } = await converseRaw(socketPath, conversation);
    expect([types, last]).toEqual([[frameType.hello, frameType.refused], part]);
    expect(simulator.log()).toEqual([]);
  });

  it('takes a request once: not for another greeting, and no second one on a connection', async () => {
    const { socketPath, key, simulator } = await setUpRunner(smallModel);
    const first = await converseRaw(socketPath, { key });
    expect(first.types.at(-1)).toBe(frameType.end);
    const replayed = await converseRaw(socketPath, { key, raw: first.sent });
    expect([replayed.types.at(-1), replayed.last]).toEqual([frameType.refused, 'authentication']);
    const twice = await converseRaw(socketPath, { key, raw: Buffer.concat([first.sent, first.sent]) });
    expect(twice.last).toBe('authentication');
    expect(simulator.log()).toHaveLength(1);
  });

  it.each([
    [
      'a frame that is too long',
      () => Buffer.concat([encodeFrame(frameType.request, ''), Buffer.from([1, 0, 16, 1, 1])]),
    ],
    ['operands before a request', () => encodeFrame(frameType.operands, '[]')],
    ['bytes that are no frame', () => randomBytes(64).fill(0xff)],
  ])('ends the conversation at %s', async (_what, raw) => {
    const { socketPath, key, simulator } = await setUpRunner(smallModel);
    const { types } = await converseRaw(socketPath, { key, raw: raw() });
    expect(types).toEqual([frameType.hello, expect.any(Number)]);
    expect([frameType.refused, frameType.failed]).toContain(types[1]);
    expect([maxFrameBytes, simulator.log()]).toEqual([1_048_576, []]);
  });

  it('ends p4 when the client goes', async () => {
    const { fetch, simulator } = await setUpRunner({ ...smallModel, fault: { kind: 'silent' } });
    const gone = new AbortController();
    const fetched = errorOf(fetch(5, {}, gone.signal));
    await vi.waitFor(() => expect(simulator.log()).toHaveLength(1), { timeout: 20_000 });
    const [{ pid } = { pid: 0 }] = simulator.log();
    gone.abort(new Error('enough'));
    expect(await fetched).toContain('enough');
    const isAlive = (): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await vi.waitFor(() => expect(isAlive()).toBe(false), { timeout: 20_000 });
  });

  it('never takes a part of the output for all of it: a runner that goes parks the fetch', async () => {
    const { fetch, runner, simulator } = await setUpRunner({
      ...smallModel,
      fault: { kind: 'slow', bytesPerSecond: 20 },
    });
    const fetched = errorOf(fetch(5));
    await vi.waitFor(() => expect(simulator.log()).toHaveLength(1), { timeout: 20_000 });
    await runner.close();
    expect(await fetched).toMatchObject({ code: 'P4_RUNNER_UNAVAILABLE', parks: true });
    expect(await errorOf(fetch(5))).toMatchObject({ code: 'P4_RUNNER_UNAVAILABLE', parks: true });
  });

  it('P4-7: says busy beyond its limit, which parks, passes on a timeout of its own, and has turns for each server', async () => {
    const fault = { kind: 'silent' } as const;
    const well = setUpFetcher(smallModel);
    const { port, user, allowList, executable } = well.options;
    const { fetch, simulator, outcome, socketPath, key } = await setUpRunner(
      { ...smallModel, fault },
      {
        server: { maxConcurrent: 1, maxWaitMs: 50 },
        fetcher: { timeouts: { commandMs: 1_500 } },
        others: [
          { serverId: 'other', port, user, allowList, executable, containment: 'accept-none', maxConcurrent: 4 },
        ],
      },
    );
    const runner = createP4RunnerClient({
      socketPath,
      serverId: 'other',
      key: { source: secretSource(key), name: 'K' },
    });
    const other = setUpFetcher(smallModel, { runner, executable: undefined, containment: undefined });
    const waiting = errorOf(fetch(5));
    await vi.waitFor(() => expect(simulator.log()).toHaveLength(1), { timeout: 20_000 });
    expect(await outcome(5)).toBe('P4_RUNNER_UNAVAILABLE');
    // A server that is silent keeps no other waiting.
    expect(await other.outcome(5)).toBe('change');
    expect(await waiting).toMatchObject({ code: 'P4_TIMEOUT' });
  });

  it('has commands wait for their turn', async () => {
    const { fetch, simulator } = await setUpRunner(smallModel, { server: { maxConcurrent: 1 } });
    const outcomes = await Promise.all([fetch(5), fetch(4), fetch(5)]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['change', 'change', 'change']);
    expect(simulator.log().length).toBeGreaterThan(5);
  });

  it('the narrower list wins, whatever the client may read', async () => {
    const { outcome } = await setUpRunner(smallModel, { allow: ['//depot/main/other/...'] });
    expect(await outcome(5)).toBe('P4_RUNNER_REFUSED');
  });

  it('makes its socket for owner and group alone, takes the place of a dead one, and of nothing else', async () => {
    const { socketPath, folder, key, simulator } = await setUpRunner(smallModel);
    expect(statSync(socketPath).mode & 0o777).toBe(0o660);
    const again = (path: string) =>
      createP4RunnerServer({
        socketPath: path,
        key: { source: { contract: 1, read: async () => Promise.reject(new Error(key)) }, name: 'KEY' },
        targets: [
          {
            ...{ serverId: 'main', executable: simulator.executable, port: simulator.port, user: 'reviewer' },
            containment: 'accept-none',
            allowList: createAllowList({ allow: ['//depot/main/...'] }),
          },
        ],
      });
    await expect(again(socketPath).listen()).rejects.toThrow('another runner listens there');
    const file = join(folder, 'file');
    writeFileSync(file, '');
    await expect(again(file).listen()).rejects.toThrow('something other than a socket');
    const [first, dead] = [join(folder, 'first.sock'), join(folder, 'dead.sock')];
    const left = createServer();
    await new Promise<void>((resolve) => left.listen(first, resolve));
    renameSync(first, dead); // what a killed process leaves behind
    await new Promise((resolve) => left.close(resolve));
    const second = again(dead);
    await second.listen();
    expect(statSync(dead).mode & 0o777).toBe(0o660);
    await second.close();
  });

  it('the doctor looks through it', async () => {
    const { client, options, simulator } = await setUpRunner(smallModel);
    const { port, user } = options;
    const allowList = { allow: ['//depot/main/...'] };
    const report = await runP4Doctor({
      serverId: 'main',
      port: 'ssl:p4.example.test:1666',
      user,
      runner: client,
      allowList,
    });
    expect([report.healthy, report.rights, port]).toEqual([true, 'read', simulator.port]);
  });

  it('refuses options that are the runner own', async () => {
    const { client, options } = await setUpRunner(smallModel);
    for (const wrong of [{ executable: '/usr/bin/p4' }, { trustFingerprint: 'AA' }])
      expect(() => createP4ChangeFetcher({ ...options, runner: client, ...wrong })).toThrow(/expected none, as runner/);
  });
});
