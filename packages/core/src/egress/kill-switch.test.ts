import { describe, expect, it } from 'vitest';
import { createAuditTrail } from '../audit/audit-trail.js';
import { CriticizerError } from '../foundation/errors.js';
import type { JsonValue } from '../foundation/json.js';
import { createMemoryStores } from '../memory/memory-stores.js';
import type { RolloutStore } from '../stores/rollout-store.js';
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
function sharedRollout(value: JsonValue = null) {
  const shared = { value, revision: value === null ? 0 : 1, reads: 0, fails: undefined as unknown, conflicts: 0 };
  const rollout: RolloutStore<never> = {
    storeId: 'test',
    async read(name) {
      shared.reads++;
      if (shared.fails !== undefined) throw shared.fails;
      return {
        name,
        revision: shared.revision,
        value: name === killSwitchEntry ? shared.value : null,
        updatedAt: null,
      };
    },
    async write(_name, expectedRevision, next) {
      if (shared.conflicts-- > 0 || expectedRevision !== shared.revision)
        return { outcome: 'conflict', revision: shared.revision };
      Object.assign(shared, { value: next, revision: shared.revision + 1 });
      return { outcome: 'written', revision: shared.revision };
    },
    async addSamples() {},
    readSamples: async () => [],
  };
  return { shared, rollout };
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
    const { shared, rollout } = sharedRollout();
    const clock = { monotonicMs: () => now };
    const processes = [0, 1].map(() => createKillSwitch({ rollout, clock }));
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
    const { shared, rollout } = sharedRollout();
    const slow: RolloutStore<never> = {
      ...rollout,
      async read(name) {
        const entry = await rollout.read(name);
        now += 1_500;
        return entry;
      },
    };
    const killSwitch = createKillSwitch({ rollout: slow, clock: { monotonicMs: () => now } });
    await killSwitch.check('cloud');
    shared.value = { stopped: true };
    now += 500;
    expect(await outcomeOf(killSwitch.check('cloud'))).toEqual(['EGRESS_KILLED', true]);
  });

  it('EGR-4: stops the named providers alone', async () => {
    const { rollout } = sharedRollout({ stopped: true, providers: ['cloud'] });
    const killSwitch = createKillSwitch({ rollout });
    expect(await outcomeOf(killSwitch.check('cloud'))).toEqual(['EGRESS_KILLED', true]);
    expect(await outcomeOf(killSwitch.check('house'))).toBe('open');
  });

  it('EGR-4: a state that cannot be read stops everything and parks', async () => {
    const { shared, rollout } = sharedRollout();
    shared.fails = new CriticizerError('NETWORK_RESET', 'store', { category: 'network' });
    expect(await outcomeOf(createKillSwitch({ rollout }).check('cloud'))).toEqual([
      'EGRESS_KILL_SWITCH_UNREADABLE',
      true,
    ]);
    shared.fails = undefined;
    const killSwitch = createKillSwitch({ rollout, cacheMs: 0 });
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
    const { shared, rollout } = sharedRollout({ stopped: true });
    const killSwitch = createKillSwitch({ rollout, securityEvents: { emit: (event) => void events.push(event) } });
    await Promise.allSettled(Array.from({ length: 10 }, () => killSwitch.check('cloud')));
    expect(shared.reads).toBe(1);
    expect(events.map((event) => event.type)).toEqual(['egress.killed']);
  });

  it('refuses a memory too long to stop in time', () => {
    for (const cacheMs of [-1, 4_001, 0.5])
      expect(() => createKillSwitch({ rollout: sharedRollout().rollout, cacheMs })).toThrow(TypeError);
  });
});

describe('setKillSwitch', () => {
  it('EGR-4: records who and why, then writes what the switch reads', async () => {
    const { rollout } = sharedRollout();
    const recorded: unknown[] = [];
    const record = async (event: unknown) => void recorded.push(event);
    expect(await setKillSwitch({ rollout, state: { stopped: true, providers: ['cloud'] }, ...by, record })).toEqual({
      revision: 1,
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
    expect(await outcomeOf(createKillSwitch({ rollout }).check('cloud'))).toEqual(['EGRESS_KILLED', true]);
  });

  it('EGR-4: without an audit row it stops requests all the same, and never starts them', async () => {
    const { shared, rollout } = sharedRollout();
    const record = async () => {
      throw new Error('audit is down');
    };
    expect(await setKillSwitch({ rollout, state: { stopped: true }, ...by, record })).toEqual({
      revision: 1,
      recorded: false,
    });
    for (const state of [{ stopped: false }, { stopped: true, providers: ['house'] }])
      await expect(setKillSwitch({ rollout, state, ...by, record })).rejects.toMatchObject({
        code: 'KILL_SWITCH_UNRECORDED',
      });
    expect(shared.value).toMatchObject({ stopped: true });
    expect(shared.value).not.toHaveProperty('providers');
  });

  it('EGR-4: an audit trail whose store fails makes no flip a recorded one, and its fallback is logged', async () => {
    const { shared, rollout } = sharedRollout();
    const lines: unknown[] = [];
    const audit = createMemoryStores().audit;
    const trail = createAuditTrail({
      store: { ...audit, record: () => Promise.reject(new Error('disk full')) },
      redactor: { ruleVersion: '1', redact: (value) => ({ value: value as JsonValue, meta: noRedactions }) },
      destinations: [],
      random: createSeededRandom(1),
      logger: { ...silentLogger, error: (fields) => void lines.push(fields) },
    });
    expect(await setKillSwitch({ rollout, state: { stopped: true }, ...by, record: trail.record })).toEqual({
      revision: 1,
      recorded: false,
    });
    expect(lines).toMatchObject([{ action: 'egress.kill_switch.set' }]);
    await expect(
      setKillSwitch({ rollout, state: { stopped: false }, ...by, record: trail.record }),
    ).rejects.toMatchObject({
      code: 'KILL_SWITCH_UNRECORDED',
    });
    expect(shared.value).toMatchObject({ stopped: true });
    expect(lines).toHaveLength(2);
  });

  it('EGR-4: a flip that was recorded and then not made is recorded as a failure', async () => {
    const { shared, rollout } = sharedRollout();
    shared.fails = new CriticizerError('NETWORK_RESET', 'store', { category: 'network' });
    const results: string[] = [];
    const record = async (event: KillSwitchEvent) => void results.push(event.resultStatus);
    await expect(setKillSwitch({ rollout, state: { stopped: false }, ...by, record })).rejects.toMatchObject({
      code: 'NETWORK_RESET',
    });
    expect(results).toEqual(['success', 'failure']);
  });

  it('EGR-4: a record that throws at once keeps nothing from being stopped', async () => {
    const { rollout } = sharedRollout();
    const record = () => {
      throw new Error('no');
    };
    expect(await setKillSwitch({ rollout, state: { stopped: true }, ...by, record })).toEqual({
      revision: 1,
      recorded: false,
    });
  });

  it('writes over another operator, and gives up where that never ends', async () => {
    const { shared, rollout } = sharedRollout();
    const record = async () => undefined;
    shared.conflicts = 2;
    expect(await setKillSwitch({ rollout, state: { stopped: true }, ...by, record })).toMatchObject({ revision: 1 });
    shared.conflicts = 9;
    await expect(setKillSwitch({ rollout, state: { stopped: true }, ...by, record })).rejects.toMatchObject({
      code: 'KILL_SWITCH_CONFLICT',
    });
    await expect(setKillSwitch({ rollout, state: { stopped: true }, by: ' ', reason: 'r', record })).rejects.toThrow(
      TypeError,
    );
  });
});
