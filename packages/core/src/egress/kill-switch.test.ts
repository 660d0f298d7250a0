import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../foundation/errors.js';
import type { JsonValue } from '../foundation/json.js';
import type { DocumentStore } from '../stores/document-store.js';
import type { SecurityEvent } from '../telemetry/security-events.js';
import { createKillSwitch, killSwitchDocument, readKillSwitchState } from './kill-switch.js';

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
        value: name === killSwitchDocument ? shared.value : null,
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
