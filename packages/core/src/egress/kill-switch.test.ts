import { describe, expect, it } from 'vitest';
import { createAuditTrail } from '../audit/audit-trail.js';
import { CriticizerError } from '../foundation/errors.js';
import type { JsonValue } from '../foundation/json.js';
import { createMemoryStores } from '../memory/memory-stores.js';
import type { DocumentStore } from '../stores/document-store.js';
import { silentLogger } from '../telemetry/logger.js';
import type { SecurityEvent } from '../telemetry/security-events.js';
import { createSeededRandom } from '../testing/support/seeded-random.js';
import {
  createKillSwitch,
  type KillSwitchEvent,
  killSwitchEntry,
  readKillSwitchState,
  setKillSwitch,
} from './kill-switch.js';

const noRedactions = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };

/** The two verbs the switch uses, over one shared value. */
function sharedDocuments(value: JsonValue = null) {
  const shared = { value, version: value === null ? 0 : 1, reads: 0, fails: undefined as unknown, conflicts: 0 };
  const documents: DocumentStore<never> = {
    storeId: 'test',
    async read(name) {
      shared.reads++;
      if (shared.fails !== undefined) throw shared.fails;
      return {
        name,
        version: shared.version,
        value: name === killSwitchEntry ? shared.value : null,
        updatedAt: null,
      };
    },
    async write(_name, expectedVersion, next) {
      if (shared.conflicts-- > 0 || expectedVersion !== shared.version)
        return { outcome: 'conflict', version: shared.version };
      Object.assign(shared, { value: next, version: shared.version + 1 });
      return { outcome: 'written', version: shared.version };
    },
  };
  return { shared, documents };
}

const outcomeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'open',
    (error: unknown) => [(error as CriticizerError).code, (error as CriticizerError).parks],
  );

const by = { by: 'operator', reason: 'leak suspected' };

describe('createKillSwitch', () => {
  it('EGR-4: stops within cacheMs of the flip, in every process, and parks; lets go again', async () => {
    let now = 0;
    const { shared, documents } = sharedDocuments();
    const clock = { monotonicMs: () => now };
    const processes = [0, 1].map(() => createKillSwitch({ documents, clock }));
    for (const one of processes) expect(await outcomeOf(one.check('cloud'))).toBe('open');
    shared.value = { stopped: true };
    now = 1_999;
    for (const one of processes) expect(await outcomeOf(one.check('cloud'))).toBe('open');
    now = 2_000;
    for (const one of processes) expect(await outcomeOf(one.check('cloud'))).toEqual(['EGRESS_KILLED', true]);
    shared.value = { stopped: false };
    now = 4_000;
    for (const one of processes) expect(await outcomeOf(one.check('cloud'))).toBe('open');
  });

  it('EGR-4: a state is as old as the start of its read, so that a slow read cannot stretch it', async () => {
    let now = 0;
    const { shared, documents } = sharedDocuments();
    const slow: DocumentStore<never> = {
      ...documents,
      async read(name) {
        const entry = await documents.read(name);
        now += 1_500;
        return entry;
      },
    };
    const killSwitch = createKillSwitch({ documents: slow, clock: { monotonicMs: () => now } });
    await killSwitch.check('cloud');
    shared.value = { stopped: true };
    now += 500;
    expect(await outcomeOf(killSwitch.check('cloud'))).toEqual(['EGRESS_KILLED', true]);
  });

  it('EGR-4: stops the named providers alone', async () => {
    const { documents } = sharedDocuments({ stopped: true, providers: ['cloud'] });
    const killSwitch = createKillSwitch({ documents });
    expect(await outcomeOf(killSwitch.check('cloud'))).toEqual(['EGRESS_KILLED', true]);
    expect(await outcomeOf(killSwitch.check('house'))).toBe('open');
  });

  it('EGR-4: a state that cannot be read stops everything and parks', async () => {
    const { shared, documents } = sharedDocuments();
    shared.fails = new CriticizerError('NETWORK_RESET', 'store', { category: 'network' });
    expect(await outcomeOf(createKillSwitch({ documents }).check('cloud'))).toEqual([
      'EGRESS_KILL_SWITCH_UNREADABLE',
      true,
    ]);
    shared.fails = undefined;
    const killSwitch = createKillSwitch({ documents, cacheMs: 0 });
    expect(await outcomeOf(killSwitch.check('cloud'))).toBe('open');
    shared.fails = new Error('store');
    expect(await outcomeOf(killSwitch.check('cloud'))).toEqual(['EGRESS_KILL_SWITCH_UNREADABLE', true]);
  });

  it.each<[JsonValue]>([
    ['on'],
    [true],
    [{}],
    [{ stopped: 'no' }],
    [{ stopped: true, providers: 'cloud' }],
    [{ stopped: true, providers: [1] }],
    [[]],
  ])('EGR-4: the malformed value %j stops everything', (value) => {
    expect(readKillSwitchState(value)).toMatchObject({ stopped: true, providers: null });
  });

  it('requests that come together share one read, and a flip is announced once', async () => {
    const events: SecurityEvent[] = [];
    const { shared, documents } = sharedDocuments({ stopped: true });
    const killSwitch = createKillSwitch({ documents, securityEvents: { emit: (event) => void events.push(event) } });
    await Promise.allSettled(Array.from({ length: 10 }, () => killSwitch.check('cloud')));
    expect(shared.reads).toBe(1);
    expect(events.map((event) => event.type)).toEqual(['egress.killed']);
  });

  it('refuses a memory too long to stop in time', () => {
    for (const cacheMs of [-1, 4_001, 0.5])
      expect(() => createKillSwitch({ documents: sharedDocuments().documents, cacheMs })).toThrow(TypeError);
  });
});

describe('setKillSwitch', () => {
  it('EGR-4: records who and why, then writes what the switch reads', async () => {
    const { documents } = sharedDocuments();
    const recorded: unknown[] = [];
    const record = async (event: unknown) => void recorded.push(event);
    expect(await setKillSwitch({ documents, state: { stopped: true, providers: ['cloud'] }, ...by, record })).toEqual({
      version: 1,
      recorded: true,
    });
    expect(recorded).toEqual([
      {
        action: 'egress.kill_switch.set',
        actorType: 'admin_user',
        actorId: 'operator',
        targetType: 'kill_switch',
        targetId: killSwitchEntry,
        resultStatus: 'success',
        payload: { stopped: true, providers: ['cloud'], ...by },
      },
    ]);
    expect(await outcomeOf(createKillSwitch({ documents }).check('cloud'))).toEqual(['EGRESS_KILLED', true]);
  });

  it('EGR-4: without an audit row it stops requests all the same, and never starts them', async () => {
    const { shared, documents } = sharedDocuments();
    const record = async () => {
      throw new Error('audit is down');
    };
    expect(await setKillSwitch({ documents, state: { stopped: true }, ...by, record })).toEqual({
      version: 1,
      recorded: false,
    });
    for (const state of [{ stopped: false }, { stopped: true, providers: ['house'] }])
      await expect(setKillSwitch({ documents, state, ...by, record })).rejects.toMatchObject({
        code: 'KILL_SWITCH_UNRECORDED',
      });
    expect(shared.value).toMatchObject({ stopped: true });
    expect(shared.value).not.toHaveProperty('providers');
  });

  it('EGR-4: an audit trail whose store fails makes no flip a recorded one, and its fallback is logged', async () => {
    const { shared, documents } = sharedDocuments();
    const lines: unknown[] = [];
    const audit = createMemoryStores().audit;
    const trail = createAuditTrail({
      store: { ...audit, record: () => Promise.reject(new Error('disk full')) },
      redactor: { ruleVersion: '1', redact: (value) => ({ value: value as JsonValue, meta: noRedactions }) },
      destinations: [],
      random: createSeededRandom(1),
      logger: { ...silentLogger, error: (fields) => void lines.push(fields) },
    });
    expect(await setKillSwitch({ documents, state: { stopped: true }, ...by, record: trail.record })).toEqual({
      version: 1,
      recorded: false,
    });
    expect(lines).toMatchObject([{ action: 'egress.kill_switch.set' }]);
    await expect(
      setKillSwitch({ documents, state: { stopped: false }, ...by, record: trail.record }),
    ).rejects.toMatchObject({
      code: 'KILL_SWITCH_UNRECORDED',
    });
    expect(shared.value).toMatchObject({ stopped: true });
    expect(lines).toHaveLength(2);
  });

  it('EGR-4: a flip that was recorded and then not made is recorded as a failure', async () => {
    const { shared, documents } = sharedDocuments();
    shared.fails = new CriticizerError('NETWORK_RESET', 'store', { category: 'network' });
    const results: string[] = [];
    const record = async (event: KillSwitchEvent) => void results.push(event.resultStatus);
    await expect(setKillSwitch({ documents, state: { stopped: false }, ...by, record })).rejects.toMatchObject({
      code: 'NETWORK_RESET',
    });
    expect(results).toEqual(['success', 'failure']);
  });

  it('EGR-4: a record that throws at once keeps nothing from being stopped', async () => {
    const { documents } = sharedDocuments();
    const record = () => {
      throw new Error('no');
    };
    expect(await setKillSwitch({ documents, state: { stopped: true }, ...by, record })).toEqual({
      version: 1,
      recorded: false,
    });
  });

  it('writes over another operator, and gives up where that never ends', async () => {
    const { shared, documents } = sharedDocuments();
    const record = async () => undefined;
    shared.conflicts = 2;
    expect(await setKillSwitch({ documents, state: { stopped: true }, ...by, record })).toMatchObject({ version: 1 });
    shared.conflicts = 9;
    await expect(setKillSwitch({ documents, state: { stopped: true }, ...by, record })).rejects.toMatchObject({
      code: 'KILL_SWITCH_CONFLICT',
    });
    await expect(setKillSwitch({ documents, state: { stopped: true }, by: ' ', reason: 'r', record })).rejects.toThrow(
      TypeError,
    );
  });
});
