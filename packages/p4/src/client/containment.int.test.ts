import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isCriticizerError } from '@criticizer/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { disposeSimulators, secretSource, setUpFetcher, smallModel } from '../../test/fetcher-setup.js';
import { createP4ChangeFetcher } from '../fetch/change-fetcher.js';
import { createAllowList } from '../policy/allow-list.js';
import type { P4SimulatorAttack } from '../testing/index.js';
import { createP4Client } from './p4-client.js';
import type { P4CommandName } from './p4-command.js';

/** For which the server is asked how it compares paths. */
const byCase = createAllowList({ allow: ['//Depot/main/...'] });

/** A host on which everything that can mislead the client is planted. */
const planted: Readonly<Record<string, string>> = {
  P4CONFIG: 'planted.cfg',
  P4PORT: 'attacker.invalid:1666',
  P4USER: 'root',
  P4EDITOR: '/bin/true',
  P4EXTENSIONS: 'planted.lua',
  P4LOGINSSO: '/bin/true',
  P4DEBUG: 'rpc=5',
  P4LANGUAGE: 'xx',
  P4PASSWD: 'planted',
  NODE_OPTIONS: '',
};
let directory: string;
let saved: Record<string, string | undefined>;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'criticizer-planted-'));
  writeFileSync(join(directory, 'planted.cfg'), 'P4PORT=rsh:touch planted\nP4EDITOR=/bin/true\n');
  writeFileSync(join(directory, '.p4enviro'), 'P4CONFIG=planted.cfg\n');
  writeFileSync(join(directory, '.p4aliases'), 'print = describe\n');
  saved = { HOME: process.env['HOME'], PWD: process.env['PWD'] };
  for (const key of Object.keys(planted)) saved[key] = process.env[key];
  Object.assign(process.env, planted, { HOME: directory, PWD: directory });
});
afterEach(() => {
  for (const [key, value] of Object.entries(saved)) {
    if (value === undefined) delete process.env[key];
    else process.env[key] = value;
  }
  rmSync(directory, { recursive: true, force: true });
  disposeSimulators();
});

describe('containment', () => {
  it('P4-7: gives the client an environment made from nothing', async () => {
    const { outcome, simulator } = setUpFetcher(smallModel);
    expect(await outcome(5)).toBe('change');
    for (const run of simulator.log()) {
      expect(run.violations).toEqual([]);
      expect(run.port).toBe(simulator.port);
      expect(Object.keys(run.env).sort()).toEqual(
        'HOME P4ALIASES P4CHARSET P4CLIENTPATH P4CONFIG P4EDITOR P4ENVIRO P4TICKETS P4TRUST P4USEBROWSER PATH PWD TEMP TMPDIR'.split(
          ' ',
        ),
      );
      expect(run.env).toMatchObject({
        PWD: run.cwd,
        HOME: run.cwd,
        P4CONFIG: '',
        P4ENVIRO: '/dev/null',
        P4EDITOR: '/bin/false',
      });
      expect(run.cwd).not.toBe(process.cwd());
      expect(run.argv.join(' ')).toContain(`-p ${simulator.port} -u reviewer -c criticizer-no-such-client`);
    }
  });

  it('P4-7: keeps operands out of argv, one token an argument, every one a depot path', async () => {
    const { outcome, simulator } = setUpFetcher(smallModel);
    await outcome(5);
    const print = simulator.log().find((run) => run.command === 'print');
    expect(print?.argv.slice(-6)).toEqual(['-b', '256', '-x', '-', 'print', '-k']);
    expect(
      print?.stdin
        ?.trim()
        .split('\n')
        .every((line) => line.startsWith('//')),
    ).toBe(true);
  });

  it.each([
    'rsh:touch x',
    'jsh:x',
    '',
    'host',
    'host:99999',
    'host:1 2',
    '-oProxy:1',
    'ssl:host:1666\n',
    'http://host:1666',
  ])('P4-7: refuses the port %j at construction', (port) => {
    expect(() => setUpFetcher(smallModel, { port, trustFingerprint: pin('AB') })).toThrow(TypeError);
  });

  it.each<[string, object]>([
    ['executable', { executable: 'p4' }],
    ['user', { user: '-x' }],
    ['user', { user: 'a b' }],
    ['user', { user: 'a\nb' }],
    ['trustFingerprint', { port: 'ssl:host:1666' }],
    ['trustFingerprint', { trustFingerprint: 'AB' }],
    ['serverId', { serverId: 'Main' }],
    ['allowList', { allowList: undefined }],
    ['fingerprintKey', { fingerprintKey: undefined }],
    ['fingerprintKey', { fingerprintKey: 'too short' }],
    ['fingerprintKey', { fingerprintKey: randomBytes(15) }],
    ['fingerprintKey', { fingerprintKey: new ArrayBuffer(32) }],
    ['legacyEncoding', { legacyEncoding: 'no-such' }],
    ['charset', { charset: 'utf16' }],
    ['timeouts.commandMs', { timeouts: { commandMs: 0 } }],
  ])('names the option %s when it is wrong', (name, options) => {
    const good = {
      serverId: 'main',
      fingerprintKey: randomBytes(32),
      executable: '/bin/true',
      port: 'h:1',
      user: 'u',
      allowList: createAllowList({ allow: ['//d/...'] }),
      securityEvents: { emit: () => undefined },
    };
    expect(() => createP4ChangeFetcher(good)).not.toThrow();
    expect(() => createP4ChangeFetcher({ ...good, ...options })).toThrow(new RegExp(`^${name}:`));
  });

  it.each<[P4SimulatorAttack, string]>([
    ['write-file', 'P4_CONTAINMENT'],
    ['delete-file', 'P4_CONTAINMENT'],
    ['chmod-file', 'P4_CONTAINMENT'],
    ['read-file', 'P4_CONTAINMENT'],
    ['run-editor', 'P4_CONTAINMENT'],
    ['run-sso', 'P4_CONTAINMENT'],
    ['run-alt-sync', 'P4_CONTAINMENT'],
    ['input-data', 'P4_CONTAINMENT'],
    ['prompt', 'P4_MALFORMED_OUTPUT'],
    ['open-url', 'P4_CONTAINMENT'],
  ])('P4-7: stops a server that drives the client (%s), with one event', async (attack, code) => {
    for (const command of ['info', 'describe', 'print']) {
      const fault = { kind: 'drive-client', attack, command } as const;
      const { outcome, simulator, events } = setUpFetcher(
        { ...smallModel, caseHandling: 'insensitive', fault },
        { allowList: byCase },
      );
      expect(await outcome(5)).toBe(code);
      expect(events).toMatchObject([{ type: 'p4.containment', details: { command } }]);
      expect(simulator.log().flatMap((run) => run.violations)).toEqual([]);
    }
  });

  it('P4-7: reports a URL that the server asks the client to open also where it comes as information', async () => {
    const events = [{ kind: 'info', level: 0, text: 'Navigate to URL: https://attacker.invalid/' }] as const;
    const attacked = setUpFetcher({ ...smallModel, answers: [{ command: ['info'], events }] }, { allowList: byCase });
    expect(await attacked.outcome(5)).toBe('P4_CONTAINMENT');
    expect(attacked.events).toMatchObject([{ type: 'p4.containment' }]);
  });

  it.each<[string, string]>([
    ['p4.containment', 'File /tmp/x is not inside permitted filesystem path /nonexistent'],
    ['p4.trust_mismatch', '******* WARNING P4PORT IDENTIFICATION HAS CHANGED! *******'],
  ])('P4-7: reports %s also where the server says something harmless first', async (type, text) => {
    const message = (said: string) => ({ kind: 'message', severity: 3, generic: 35, text: said }) as const;
    const events = [message("Request too large (over 5); see 'p4 help maxresults'."), message(text)];
    const attacked = setUpFetcher({ ...smallModel, answers: [{ command: ['info'], events }] }, { allowList: byCase });
    expect(await attacked.outcome(5)).toBe(type === 'p4.containment' ? 'P4_CONTAINMENT' : 'P4_TRUST_MISMATCH');
    expect(attacked.events).toMatchObject([{ type }]);
  });

  it.each(['set', 'tickets', 'submit'])('P4-7: refuses the command %s before it runs, with an event', async (name) => {
    const { options, simulator, events } = setUpFetcher(smallModel);
    const client = createP4Client(options);
    const run = client.run(
      { name: name as P4CommandName, flags: [], operands: [] },
      { signal: new AbortController().signal, onOutput() {} },
    );
    await expect(run).rejects.toMatchObject({ code: 'P4_COMMAND_REFUSED' });
    expect(events).toMatchObject([{ type: 'p4.containment', details: { code: 'P4_COMMAND_REFUSED' } }]);
    expect(simulator.log()).toEqual([]);
  });

  it('P4-7: asks a resolver of the host for the client, and trusts no relative path it gives', async () => {
    const { options, simulator } = setUpFetcher(smallModel);
    const described = async (executable: () => string): Promise<string> => {
      const client = createP4Client({ ...options, executable });
      const run = client.run(
        { name: 'info', flags: [], operands: [] },
        { signal: new AbortController().signal, onOutput() {} },
      );
      return run.then(
        () => 'ran',
        (error: unknown) => (isCriticizerError(error) ? error.code : String(error)),
      );
    };
    expect(await described(() => simulator.executable)).toBe('ran');
    expect(await described(() => 'p4')).toBe('P4_EXECUTABLE_UNUSABLE');
  });

  it('pins the server: no trust on first use, and a changed key is a security event', async () => {
    const model = { ...smallModel, port: 'ssl:sim.invalid:1666', fingerprint: pin('AB') };
    expect(await setUpFetcher(model, { trustFingerprint: pin('ab') }).outcome(5)).toBe('change');
    const { outcome, events } = setUpFetcher(model, { trustFingerprint: pin('CD') });
    expect(await outcome(5)).toBe('P4_TRUST_MISMATCH');
    expect(events).toMatchObject([{ type: 'p4.trust_mismatch' }]);
  });

  it('P4-8: the ticket is in no argv, environment, log, event or error', async () => {
    const ticket = 'F0'.repeat(16);
    const users = [{ user: 'reviewer', email: 'r@mail.example', fullName: 'R', ticket }];
    const { outcome, simulator, logged, events } = setUpFetcher(
      { ...smallModel, users },
      { ticket: { source: secretSource(ticket), name: 'p4' } },
    );
    expect(await outcome(5)).toBe('change');
    const wrong = setUpFetcher(
      { ...smallModel, users },
      { ticket: { source: secretSource(ticket.toLowerCase()), name: 'p4' } },
    );
    const failure = await wrong.fetch(5).catch((error: Error) => error);
    expect(failure).toMatchObject({ code: 'P4_AUTH_REQUIRED' });
    const said = JSON.stringify([
      simulator.log(),
      logged,
      events,
      wrong.simulator.log(),
      wrong.logged,
      wrong.events,
      String(failure),
      failure,
    ]);
    expect(said.toUpperCase()).not.toContain(ticket);
    expect(simulator.log().length).toBeGreaterThan(3);
  });

  it('P4-8: logs names, flags and counts of commands, never a path', async () => {
    const { outcome, logged } = setUpFetcher(smallModel);
    await outcome(5);
    expect(logged).toContainEqual(
      expect.objectContaining({ command: 'print', flags: ['-k'], operands: 2, exitCode: 0 }),
    );
    expect(JSON.stringify(logged)).not.toContain('//depot');
  });
});

function pin(pair: string): string {
  return Array(20).fill(pair).join(':');
}
