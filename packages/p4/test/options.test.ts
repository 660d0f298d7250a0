import { randomBytes } from 'node:crypto';
import { createMemoryStores, resolveSettings, Secret } from '@criticizer/core';
import { describe, expect, it } from 'vitest';
import { holdOptions } from '../../../tools/testing/hold-options.js';
import * as main from '../src/index.js';
import * as testing from '../src/testing/index.js';

const { cursors, jobs, transaction } = createMemoryStores();
const emit = (): void => undefined;
const source = {
  contract: 1 as const,
  read: async () => ({ current: { secret: new Secret(randomBytes(8).toString('hex')), version: '1' } }),
};
const secret = { source, name: 'SECRET' };
const reach = {
  executable: '/nonexistent/p4',
  port: 'localhost:1666',
  user: 'reviewer',
  timeouts: { commandMs: 1 },
  ticket: secret,
};
const client = { ...reach, securityEvents: { emit } };
const rules = { allow: ['//depot/main/...'] };
const scope = { serverId: 'main', fingerprintKey: randomBytes(32), allowList: main.createAllowList(rules) };
const criticizer = { settings: resolveSettings(), submit: async () => Promise.reject(new Error('unused')) };
const intake = { ...client, ...scope, criticizer, jobs };
const record = async () => ({ degraded: false }) as never;
const audited = {
  serverId: 'main',
  configured: rules,
  actor: { type: 'system', id: 'deploy' },
  stores: { cursors, transaction },
  audit: { storeId: 'test', record },
} as const;
const swarm = {
  origin: 'https://swarm.example.com',
  http: { exchange: record, close: async () => undefined },
  outbound: { check: record, highestContent: () => 'code' as const, pass: record },
  securityEvents: { emit },
  serverId: 'main',
  jobs,
};
const updateUrl = 'https://elsewhere.example.com/1';
const simulated = { changes: [] };
const { executable, port, user } = reach;
const target = { serverId: 'main', executable, port, user, allowList: scope.allowList };
const runner = { socketPath: '/nonexistent/p4', key: secret, targets: [target] };

describe('options', () => {
  holdOptions({
    folder: new URL('../', import.meta.url),
    entries: { '.': main, './testing': testing },
    calls: {
      createAllowList: (extra) => main.createAllowList({ ...rules, ...extra }),
      openAuditedAllowList: (extra) => main.openAuditedAllowList({ ...audited, ...extra }),
      'openAuditedAllowList configured': (extra) =>
        main.openAuditedAllowList({ ...audited, configured: { ...rules, ...extra } }),
      'openAuditedAllowList actor': (extra) =>
        main.openAuditedAllowList({ ...audited, actor: { ...audited.actor, ...extra } }),
      createP4ChangeFetcher: (extra) => main.createP4ChangeFetcher({ ...client, ...scope, ...extra }),
      'createP4ChangeFetcher timeouts': (extra) =>
        main.createP4ChangeFetcher({ ...client, ...scope, timeouts: { ...extra } }),
      'createP4ChangeFetcher ticket': (extra) =>
        main.createP4ChangeFetcher({ ...client, ...scope, ticket: { ...secret, ...extra } }),
      createP4ContextReader: (extra) => main.createP4ContextReader({ ...client, ...scope, ...extra }),
      createChangeIntake: (extra) => main.createChangeIntake({ ...intake, ...extra }),
      'createChangeIntake take': (extra) => main.createChangeIntake(intake).take([], { ...extra }),
      createChangeWatcher: (extra) => main.createChangeWatcher({ ...intake, cursors, ...extra }),
      'createChangeWatcher backoff': (extra) =>
        main.createChangeWatcher({ ...intake, cursors, backoff: { initialMs: 1, multiplier: 2, maxMs: 2, ...extra } }),
      'createChangeWatcher take': (extra) => main.createChangeWatcher({ ...intake, cursors }).take([], { ...extra }),
      'createChangeWatcher poll': (extra) =>
        main.createChangeWatcher({ ...intake, cursors }).poll({ signal: AbortSignal.abort(), ...extra }),
      createTicketWatch: (extra) => main.createTicketWatch({ ...client, serverId: 'main', ...extra }),
      checkP4Containment: (extra) =>
        main.checkP4Containment({ executable, port, containment: 'accept-none', securityEvents: { emit }, ...extra }),
      runP4Doctor: (extra) =>
        main.runP4Doctor({ ...reach, port: '', serverId: 'main', allowList: { allow: [] }, ...extra }),
      findNewestChanges: (extra) =>
        main.findNewestChanges({ ...client, allowList: scope.allowList, ...extra }, { max: 0 }),
      'findNewestChanges request': (extra) =>
        main.findNewestChanges({ ...client, allowList: scope.allowList }, { max: 0, ...extra }),
      createP4RunnerClient: (extra) =>
        main.createP4RunnerClient({ socketPath: '/nonexistent/p4', serverId: 'main', key: secret, ...extra }),
      createP4RunnerServer: (extra) => main.createP4RunnerServer({ ...runner, ...extra }),
      'createP4RunnerServer targets': (extra) =>
        main.createP4RunnerServer({ ...runner, targets: [{ ...target, ...extra }] }),
      createSwarmReports: (extra) => main.createSwarmReports({ ...swarm, ...extra }),
      'createSwarmReports request': (extra) =>
        main.createSwarmReports(swarm).request(updateUrl, { change: 1, reason: 'r', ...extra }),
      createSwarmTestEndpoint: (extra) =>
        main.createSwarmTestEndpoint({
          intake: main.createChangeIntake(intake),
          reports: main.createSwarmReports(swarm),
          secret,
          ...extra,
        }),
      createTriggerEndpoint: (extra) =>
        main.createTriggerEndpoint({ intake: main.createChangeIntake(intake), secret, ...extra }),
      'createTriggerEndpoint secret': (extra) =>
        main.createTriggerEndpoint({ intake: main.createChangeIntake(intake), secret: { ...secret, ...extra } }),
      createP4Simulator: (extra) => testing.createP4Simulator({ ...simulated, ...extra }).dispose(),
    },
    without: ['createP4CommandLimit', 'parseDepotPath', 'displayDepotPath', 'renderDoctorReport', 'runP4Simulator'],
  });

  it('names the deny rules that were misspelt instead of denying nothing', () => {
    const misspelt = { allow: ['//depot/main/...'], denny: ['//depot/main/keys/...'] };
    expect(() => main.createAllowList(misspelt)).toThrow(
      new TypeError('createAllowList: denny: unknown option; did you mean deny? known are allow, deny, caseHandling'),
    );
  });

  it('takes ports with members of their own', () => {
    class Events {
      readonly kept: unknown[] = [];
      emit(event: unknown): void {
        this.kept.push(event);
      }
    }
    expect(() => main.createP4ChangeFetcher({ ...client, ...scope, securityEvents: new Events() })).not.toThrow();
  });

  it.each(['rsh', 'jsh', 'RSH', 'tcp', 'ssl', 'ssl64', 'tcp:rsh', 'ssl:jsh', 'tcp6:tcp'])(
    'P4-7: refuses the port %s:1666, whose first word is a protocol to the client and no host',
    (protocol) => {
      const wrong = { ...client, ...scope, port: `${protocol}:1666` };
      expect(() => main.createP4ChangeFetcher(wrong)).toThrow(/^port: expected host:port/);
    },
  );

  it.each(['rsh.example.com:1666', 'tcp:rshd:1666', 'sslhost:1666'])('takes %s, which only begins like one', (port) => {
    expect(() => main.createP4ChangeFetcher({ ...client, ...scope, port })).not.toThrow();
  });
});
