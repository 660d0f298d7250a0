import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createEnvironmentSecrets, createMemoryStores, Secret } from '@criticizer/core';
import type { CursorStore } from '@criticizer/core/ports';
import { afterEach, describe, expect, it } from 'vitest';
import { obstacleTexts } from '../src/containment/obstacles.js';
import { containmentFinding, containmentText } from '../src/doctor/doctor-containment.js';
import { findingTexts } from '../src/doctor/doctor-findings.js';
import { createTicketWatch, type P4DoctorOptions, renderDoctorReport, runP4Doctor } from '../src/index.js';
import {
  createP4Simulator,
  type P4Simulator,
  type P4SimulatorModel,
  type P4SimulatorUser,
} from '../src/testing/index.js';
import { submittedChange } from './watcher-setup.js';

let simulator: P4Simulator | undefined;
afterEach(() => simulator?.dispose());

const pin = (pair: string): string => Array.from({ length: 20 }, () => pair).join(':');
const ticket = randomBytes(16).toString('hex').toUpperCase();
const port = 'ssl:sim.invalid:1666';

/** What `info` says of a server's clock, for tests that bring their own. */
const serverAtNoon = { serverDate: '2023/11/15 12:00:00 +0000 UTC' };

/** A server with nothing wrong, but for what is given; its tickets last four days. */
function setUp(user: Partial<P4SimulatorUser> = {}, model: Partial<P4SimulatorModel> = {}) {
  const reviewer = {
    user: 'reviewer',
    email: 'r@mail.example',
    fullName: 'R',
    ticket,
    ticketExpiresInS: 96 * 3_600,
    ...user,
  };
  const changes = [2, 3, 4].map((number) => submittedChange(number));
  simulator = createP4Simulator({ port, fingerprint: pin('AB'), users: [reviewer], changes, ...model });
  const { executable } = simulator;
  return async (options: Partial<P4DoctorOptions> = {}) => {
    const report = await runP4Doctor({
      serverId: 'main',
      executable,
      containment: 'accept-none',
      port,
      user: 'reviewer',
      trustFingerprint: pin('AB'),
      ticket: {
        source: { contract: 1, read: async () => ({ current: { secret: new Secret(ticket), version: 'v' } }) },
        name: 'P4_TICKET',
      },
      allowList: { allow: ['//depot/main/...'] },
      ...options,
    });
    return { ...report, codes: report.findings.map(({ code }) => code) };
  };
}

const refusal = "You don't have permission for this operation.";
const noSeatLeft = {
  kind: 'message',
  severity: 3,
  generic: 35,
  text: "Can't create a new user - over license quota.\nTry deleting old users with 'user -d'.",
} as const;

/** Of a service that is trusted the simulator's key. */
function watchTicket(cursors: CursorStore<never>) {
  return createTicketWatch({
    serverId: 'main',
    executable: simulator?.executable ?? '',
    containment: 'accept-none',
    port,
    user: 'reviewer',
    trustFingerprint: pin('AB'),
    ticket: {
      source: { contract: 1, read: async () => ({ current: { secret: new Secret(ticket), version: 'v' } }) },
      name: 'P4_TICKET',
    },
    securityEvents: { emit: () => undefined },
    cursors,
  });
}

describe('doctor', () => {
  it('P4-7: names a partial containment', () => {
    const base = { mode: 'auto', obstacle: 'apparmor', todo: 'Do that.', rejected: [] } as const;
    const partial = { ...base, rung: 'landlock', strength: 'partial' } as const;
    expect(containmentFinding(partial)).toMatchObject({ code: 'containment.partial', todo: 'Do that.' });
    expect(containmentText(partial)).toBe('landlock (partial)');
    expect(containmentFinding({ ...base, rung: 'chroot', strength: 'full', obstacle: null, todo: null })).toBeNull();
  });

  it('finds nothing where nothing is wrong, and says what it saw', async () => {
    const examine = setUp({}, { caseHandling: 'insensitive', unicode: true, info: serverAtNoon });
    const report = await examine({ clock: clockAt('2023-11-15T12:00:05Z') });
    expect(report).toMatchObject({
      healthy: true,
      findings: [],
      notChecked: [],
      trust: { pinned: pin('AB'), shown: null },
      server: { caseHandling: 'insensitive', unicode: true },
      ticket: { accepted: true, remainingMs: 96 * 3_600_000 },
      rights: 'read',
      allowList: {
        judged: 3,
        inside: 3,
        mixed: 0,
        outside: 0,
        unlisted: 0,
        rules: [{ rule: '//depot/main/...', files: 3 }],
      },
    });
    expect(report.clockSkewMs).toBe(5_000);
    expect(renderDoctorReport(report)).toMatch(/ticket +good for 96 hours\n(?:.*\n)*0 errors, 0 warnings\n$/);
  });

  it('proposes whom to skip, with the settings to add', async () => {
    const [, ...rest] = [1, 2, 3, 4, 5, 6].map((number) => submittedChange(number));
    const merges = [7, 8, 9].map((number) =>
      submittedChange(number, { user: 'robomerge', time: 1_700_000_000 + number }),
    );
    const examine = setUp({}, { changes: [...rest, ...merges] });
    const report = await examine({ skipUsers: ['jenkins'] });
    expect([report.healthy, report.codes]).toEqual([true, ['users.robots']]);
    expect(report.robots).toEqual([
      { user: 'ann', changes: 5, signs: ['uniform', 'rapid'] },
      { user: 'robomerge', changes: 3, signs: ['name'] },
    ]);
    const line = '{"intake":{"skipUsers":["jenkins","ann","robomerge"]}}';
    expect(report.findings[0]?.details['add']).toBe(line);
    expect(renderDoctorReport(report)).toContain(`(users: ann 5 (uniform, rapid),robomerge 3 (name), add: ${line})`);
    expect((await examine({ skipUsers: ['ann', 'robomerge'] })).codes).toEqual([]);
  });

  it('P4-7: tells the containment in force, and the setting that is in the way of one', async () => {
    const examine = setUp();
    const accepted = await examine();
    expect(accepted).toMatchObject({ findings: [], containment: { mode: 'accept-none', rung: 'none' } });
    expect(renderDoctorReport(accepted)).toMatch(/containment +none, as accepted\n/);
    const obstacle = process.platform === 'linux' ? 'script' : 'platform';
    for (const [containment, code] of [
      ['auto', 'containment.none'],
      ['required', 'containment.missing'],
    ] as const) {
      const { findings } = await examine({ containment });
      expect(findings[0]).toMatchObject({ code, todo: obstacleTexts[obstacle], details: { obstacle } });
    }
  });

  it('on the simulator with an expired ticket, a wrong pin and an empty list it reports exactly those three', async () => {
    const [wrongPin, emptyList] = [{ trustFingerprint: pin('CD') }, { allowList: { allow: [] } }];
    const { cursors } = createMemoryStores();
    const examine = setUp({ ticketExpired: true });
    await watchTicket(cursors).check(); // while the key was still the pinned one
    const together = await examine({ ...wrongPin, ...emptyList, cursors });
    expect(together.codes).toEqual(['trust.mismatch', 'ticket.expired', 'allow_list.empty']);
    expect(together.findings.map(({ severity }) => severity)).toEqual(['error', 'error', 'error']);
    expect(together.findings.map(({ details }) => details)).toEqual([
      { fingerprint: pin('AB') },
      { code: 'P4_AUTH_EXPIRED', lastSeen: expect.stringMatching(/^20/) },
      {},
    ]);
    // What could not be looked at is no problem of its own, and the ticket was shown to nobody.
    expect(together.notChecked).toEqual(
      ['clock', 'ticket', 'rights'].map((check) => ({ check, because: 'trust.mismatch' })),
    );
    expect([together.healthy, together.ticket]).toEqual([false, null]);
    expect(simulator?.log().map((run) => run.command)).toEqual(['login', 'info']);
    const text = renderDoctorReport(together);
    for (const part of [
      pin('AB'),
      'allow_list.empty',
      'ticket: trust.mismatch is in the way',
      '3 errors, 0 warnings, 3 not checked\n',
    ])
      expect(text).toContain(part);

    // Nobody remembers: then it is not proven, and said so.
    expect((await examine({ ...wrongPin, ...emptyList })).codes).toEqual([
      'trust.mismatch',
      'ticket.unproven',
      'allow_list.empty',
    ]);
    // Each alone.
    expect((await examine()).codes).toEqual(['ticket.expired']);
    expect((await examine(emptyList)).codes).toEqual(['ticket.expired', 'allow_list.empty']);
    simulator?.dispose();
    const good = setUp();
    await watchTicket(cursors).check();
    expect((await good({ ...wrongPin, cursors })).codes).toEqual(['trust.mismatch']);
    const empty = await good(emptyList);
    expect([empty.codes, empty.notChecked]).toEqual([['allow_list.empty'], []]);
  });

  it('tells of a ticket that it may not show what a clock and the secret source know', async () => {
    const { cursors } = createMemoryStores();
    const examine = setUp({ ticketExpiresInS: 3_600 });
    await watchTicket(cursors).check();
    const behindAnotherKey = { trustFingerprint: pin('CD'), cursors };
    const later = await examine({
      ...behindAnotherKey,
      clock: clockAt(new Date(Date.now() + 3_700_000).toISOString()),
    });
    expect(later.codes).toEqual(['trust.mismatch', 'ticket.expired']);
    expect(later.findings[1]?.details).toEqual({
      ended: expect.stringMatching(/^20/),
      lastSeen: expect.stringMatching(/^20/),
    });
    const secret = { source: createEnvironmentSecrets({ env: {} }), name: 'P4_TICKET' };
    expect((await examine({ ...behindAnotherKey, ticket: secret })).codes).toEqual([
      'trust.mismatch',
      'ticket.unreadable',
    ]);
    expect((await examine({ ...behindAnotherKey, ticket: undefined })).codes).toEqual(['trust.mismatch']);
    const broken = { get: async () => '{"seenAt":"soon"}' };
    expect((await examine({ ...behindAnotherKey, cursors: broken })).codes).toEqual([
      'trust.mismatch',
      'ticket.unproven',
    ]);
  });

  it('names the pin to set where none is, and trusts nobody meanwhile', async () => {
    const report = await setUp()({ trustFingerprint: undefined });
    expect([report.codes, report.trust]).toEqual([
      ['trust.pin_missing', 'ticket.unproven'],
      { pinned: null, shown: pin('AB') },
    ]);
    expect(simulator?.log().map((run) => run.command)).toEqual(['info']);
  });

  it('finds several things in one look, in the order of its checks', async () => {
    const info = { serverDate: '2023/11/14 22:13:20 -0800 PST' };
    const examine = setUp({ ticketExpiresInS: 7_300, maxAccess: 'write' }, { port: 'sim.invalid:1666', info });
    const report = await examine({
      port: 'sim.invalid:1666',
      trustFingerprint: undefined,
      clock: clockAt('2023-11-15T07:13:20Z'),
      allowList: { allow: ['//depot/elsewhere/...'] },
    });
    expect(report.findings.map(({ code, details }) => [code, details])).toEqual([
      ['connection.plain', {}],
      ['clock.skew', { seconds: 3_600 }],
      ['ticket.expires_soon', { hours: 2 }],
      ['rights.too_wide', { rights: 'write' }],
      ['allow_list.matches_nothing', { judged: 3 }],
    ]);
    expect([report.healthy, report.notChecked]).toEqual([true, []]); // warnings, all of them
  });

  it.each<[string, Partial<P4SimulatorUser>, Partial<P4SimulatorModel>, Partial<P4DoctorOptions>, object?]>([
    ['client.too_old', {}, { clientVersion: '2021.1' }, {}],
    ['ticket.refused', { ticket: 'OTHER' }, {}, {}, { code: 'P4_AUTH_REQUIRED' }],
    ['server.unpromoted_shelves', {}, { info: { serverServices: 'edge-server' } }, {}, { services: 'edge-server' }],
    ['licence.expires_soon', {}, { info: { serverLicense: 'Example 20 users (expires 2024/01/31)' } }, {}, { days: 0 }],
    ['licence.seats_taken', {}, { info: { serverLicense: 'Example 1 users' } }, {}, { seats: 1, users: 1 }],
    ['licence.seat_refused', {}, { fault: { ...noSeatLeft, command: 'login' } }, {}, { code: 'P4_AUTH_NO_SEAT' }],
    ['user.no_seat', { type: 'service' }, {}, {}, { type: 'service' }],
    [
      'limits.low',
      {
        groups: [
          { group: 'all', maxResults: 500 },
          { group: 'bots', maxResults: 900, maxScanRows: 50_000 },
        ],
      },
      {},
      {},
      { maxResults: 900, maxScanRows: 50_000 },
    ],
    ['changes.quiet', {}, {}, { warnQuietAboveMs: 3_600_000 }],
    ['rights.too_narrow', { maxAccess: 'list' }, {}, {}, { rights: 'list' }],
    ['rights.no_protections', { maxAccess: null }, {}, {}],
    [
      'allow_list.nothing_visible',
      {},
      {
        changes: [submittedChange(2, { restricted: true })],
        protections: [{ path: '//depot/...', access: 'none' }],
      },
      {},
      { unlisted: 1 },
    ],
    ['allow_list.invalid', {}, {}, { allowList: { allow: ['//depot/*'] } }],
    ['settings.invalid', {}, {}, { port: 'rsh:sh' }],
    ['settings.invalid', {}, {}, { executable: 'p4' }],
    ['connection.failed', {}, {}, { port: 'ssl:elsewhere.invalid:1666' }, { code: 'P4_UNREACHABLE' }],
    ['connection.failed', {}, {}, { port: '127.0.0.1:1666', trustFingerprint: undefined }, { code: 'P4_UNREACHABLE' }], // plain, but on this machine
    ['connection.failed', {}, {}, { port: 'localhost:1666', trustFingerprint: undefined }, { code: 'P4_UNREACHABLE' }],
    [
      'check.failed',
      {},
      { fault: { kind: 'garbage', command: 'changes' } },
      {},
      { check: 'allow-list', code: 'P4_MALFORMED_OUTPUT' },
    ],
  ])('finds %s', async (code, user, model, options, details) => {
    const report = await setUp(user, model)(options);
    expect(report.codes).toEqual([code]);
    if (details !== undefined) expect(report.findings[0]?.details).toEqual(details);
  });

  it('INT-4: says whether the service user has a seat, and how many are taken, as far as a reader may know', async () => {
    const licensed = { info: { serverLicense: 'Example 20 users (expires 2999/01/31)' } };
    const examine = setUp({}, licensed);
    const add = (user: string, type: P4SimulatorUser['type']) => ({
      user,
      type,
      email: `${user}@x.example`,
      fullName: user,
    });
    const reviewer = { ...add('reviewer', 'standard'), ticket, ticketExpiresInS: 96 * 3_600 };
    simulator?.update({ users: [reviewer, add('ann', 'standard'), add('ben', 'standard'), add('sync', 'service')] });
    const report = await examine();
    expect(report).toMatchObject({ findings: [], serviceUser: { hasSeat: true }, seats: { limit: 20, taken: 3 } });
    expect(renderDoctorReport(report)).toContain('seat        has one; 3 of 20 are taken\n');
    // Nobody but an administrator may run `license -u`: the doctor never runs it.
    expect(simulator?.log().map(({ command }) => command)).not.toContain('license');
    simulator?.update({ users: [{ ...reviewer, type: 'service' }, add('ann', 'standard')] });
    const unseated = await examine();
    expect(unseated).toMatchObject({ serviceUser: { hasSeat: false }, seats: { taken: 1 } });
    expect(unseated.codes).toEqual(['user.no_seat']);
    // A server that lists no users.
    simulator?.update({ fault: { kind: 'message', severity: 3, generic: 6, text: refusal, command: 'users' } });
    expect(await examine()).toMatchObject({ findings: [], serviceUser: null, seats: null });
  });

  it('says how far a replica and the watcher are behind', async () => {
    const clock = clockAt('2023-11-15T12:00:00Z');
    const noonS = clock.nowMs() / 1_000;
    const changes = [
      submittedChange(2),
      submittedChange(3, { time: noonS - 7_200 }),
      submittedChange(4, { time: noonS - 60 }),
    ];
    const examineNow = setUp({}, { changes, info: serverAtNoon });
    const examine = (options: Partial<P4DoctorOptions>) => examineNow({ clock, ...options });
    const cursors = (next: number) => ({ get: async () => JSON.stringify({ next }) });
    const behind = await examine({ cursors: cursors(3) });
    expect(behind.findings).toMatchObject([{ code: 'watch.behind', details: { changes: 1, minutes: 120 } }]);
    expect(behind.lastChangeAgeMs).toBe(60_000);
    expect(renderDoctorReport(behind)).toContain('last change 0 hours ago');
    expect((await examine({ cursors: cursors(4) })).codes).toEqual([]);

    // The replica, which lacks the newest one; the simulator answers at one address at a time.
    const executable = () => {
      const last = simulator?.log().at(-1);
      if (last?.command === 'protects') simulator?.update({ port: 'commit.invalid:1666', changes });
      if (last?.port === 'commit.invalid:1666') simulator?.update({ port, changes: changes.slice(0, 2) });
      return simulator?.executable ?? '';
    };
    const replica = await examine({ executable, commitServer: { port: 'commit.invalid:1666' } });
    expect(replica.findings).toMatchObject([
      { code: 'server.replica_lags', severity: 'warning', details: { newestThere: 4, newestHere: 3 } },
    ]);
  });

  it('names each rule whose depot the server does not have', async () => {
    const events = [
      { kind: 'message', severity: 3, generic: 2, text: "Depot 'gone' unknown - use 'depot' to create it." },
    ] as const;
    const changes = (...operands: string[]) => ({
      command: ['changes', '-s', 'submitted', '-m', '1', ...operands],
      events,
    });
    const examine = setUp({}, { answers: [changes('//depot/main/...', '//gone/...'), changes('//gone/...')] });
    const report = await examine({ allowList: { allow: ['//depot/main/...', '//gone/...'] } });
    expect(report.findings).toMatchObject([
      { code: 'allow_list.unknown_depot', severity: 'error', details: { rules: ['//gone/...'] } },
    ]);
    expect(report.allowList).toMatchObject({ judged: 3, inside: 3 });
  });

  it.each(['localhost.example.com:1666', '127.example.com:1666'])(
    'takes %s for no address of this machine',
    async (other) => {
      expect((await setUp()({ port: other, trustFingerprint: undefined })).codes).toEqual([
        'connection.plain',
        'connection.failed',
      ]);
    },
  );

  it('counts changes that are only partly inside the list, by rule and without their paths', async () => {
    const mixed = {
      files: [...submittedChange(5).files, { path: '//depot/secret/plan.txt', action: 'add' as const, content: 'x' }],
    };
    const report = await setUp(
      {},
      { changes: [submittedChange(2), submittedChange(5, mixed), submittedChange(6, {}, '//depot/x/y')] },
    )();
    expect(report.codes).toEqual(['allow_list.mixed_changes']);
    expect(report.allowList).toMatchObject({ judged: 3, inside: 1, mixed: 1, outside: 1, rules: [{ files: 2 }] });
    expect(JSON.stringify(report)).not.toContain('secret');
    expect(JSON.stringify([report, simulator?.log()])).not.toContain(ticket);
  });

  it('has a page with one row for each finding, and no other', () => {
    const page = readFileSync(new URL('../../../docs/how-to/ask-the-doctor.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `([a-z_]+\.[a-z_]+)` \| (error|warning) \|/gm)].map(([, code, severity]) => [
      code,
      severity,
    ]);
    expect(rows).toEqual(Object.entries(findingTexts).map(([code, { severity }]) => [code, severity]));
  });
});

function clockAt(instant: string): NonNullable<P4DoctorOptions['clock']> {
  const waiting = new Promise<void>(() => undefined);
  return { nowMs: () => Date.parse(instant), monotonicMs: () => performance.now(), sleep: () => waiting };
}
