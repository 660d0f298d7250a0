import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { type OutputMode, renderEvents } from '../src/testing/render-events.js';
import { type ServerEvent, serverMessages } from '../src/testing/server-events.js';
import { simulateClient } from '../src/testing/simulate-client.js';
import { fixtureModel, fixtureRuns } from './fixture-runs.js';

const env = { P4PORT: '127.0.0.1:1666', P4USER: 'bob', P4CHARSET: 'utf8', P4CONFIG: '', PWD: '/' };

/** The recorded server answers these names with messages alone. */
const recordedMessages: Readonly<Record<string, readonly ServerEvent[]>> = {
  'e-badpass': [serverMessages.passwordInvalid()],
  'e-expired': [serverMessages.sessionExpired()],
  'e-noperm': [serverMessages.noPermission()],
  'e-protect': [serverMessages.noPermissionOnFile('//depot/secret/...')],
  'e-view': [serverMessages.notInView('//depot/x')],
  'e-maxresults': [serverMessages.maxResults(1000)],
  'e-maxscan': [serverMessages.maxScanRows(5000)],
  'e-maxlock': [serverMessages.maxLockTime(1)],
  'e-depot': [serverMessages.unknownDepot('x')],
  'e-ticketonly': [serverMessages.ticketOnly()],
  'e-2fa': [serverMessages.secondFactor()],
  'e-warn+err': [serverMessages.noSuchFile('//a'), serverMessages.noPermission()],
};
const modes: Readonly<Record<string, OutputMode>> = {
  plain: 'plain',
  ztag: 'plain',
  json: 'json',
  jsonNoTag: 'json',
  marshal: 'marshal',
  script: 'script',
  scriptztag: 'script',
};

const runs = fixtureRuns('client-runs').filter((run) => !run.argv.includes('e-partialstat'));

describe('simulator', () => {
  it.each(runs.map((run) => [run.argv.join(' '), run] as const))('prints what the real client printed: %s', (_name, run) => {
    const events = recordedMessages[run.argv.at(-1) ?? ''];
    const mode = modes[run.mode] ?? 'plain';
    const simulated =
      events === undefined
        ? simulateClient(fixtureModel, { argv: run.argv, env, readText: () => null, readInput: () => '' })
        : renderEvents(events, mode);
    expect({
      stdout: Buffer.concat(simulated.stdout).toString('latin1'),
      stderr: Buffer.concat(simulated.stderr).toString('latin1'),
      exitCode: simulated.exitCode,
    }).toEqual({ stdout: run.stdout.toString('latin1'), stderr: run.stderr.toString('latin1'), exitCode: run.exitCode });
  });

  it('has all seven kinds of output in its fixtures', () => {
    expect(new Set(runs.map((run) => run.mode))).toEqual(new Set(Object.keys(modes)));
  });
});
