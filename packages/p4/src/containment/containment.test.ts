import type { SecurityEvent } from '@criticizer/core';
import { describe, expect, it } from 'vitest';
import { type ContainmentMode, createContainment } from './containment.js';
import type { ContainmentHost, Entrance } from './containment-host.js';
import type { Rung, RungName } from './rungs.js';
import type { RejectedRung, Selection } from './select-rung.js';

const client = { client: '/opt/p4', trust: '' };
const none: Selection = { rung: null, rejected: [], obstacle: null };
const refused = (rung: RungName, obstacle: RejectedRung['obstacle']): RejectedRung => ({ rung, obstacle, says: 'x' });
const full: Rung = { name: 'namespaces', kind: 'root', enter: (root, argv) => ({ file: root, argv }) };
const partial: Rung = { name: 'landlock', kind: 'rules', restrict: (files, argv) => ({ file: files.client, argv }) };

/** A host that found this, and what its owner received. */
function setUp(mode: ContainmentMode, selection: Selection) {
  const events: SecurityEvent[] = [];
  const logged: string[] = [];
  let asked = 0;
  const entrance = { kind: 'root', rung: 'namespaces' } as Entrance;
  const host: ContainmentHost = {
    select: async () => {
      asked += 1;
      return selection;
    },
    enter: async () => entrance,
  };
  const log = (_fields: object, message: string): void => void logged.push(message);
  const logger = { debug: log, info: log, warn: log, error: log };
  const securityEvents = { emit: (event: SecurityEvent) => void events.push(event) };
  const containment = createContainment(mode, host, { securityEvents, logger });
  return { containment, events, logged, entrance, asked: () => asked, observers: { securityEvents, logger }, host };
}

describe('createContainment', () => {
  it('P4-7: auto takes what is there, and raises no event for a full rung', async () => {
    const { containment, events, logged, entrance } = setUp('auto', { ...none, rung: full });
    expect(await containment.enter(client)).toBe(entrance);
    expect(await containment.enter(client)).toBe(entrance);
    expect([events, logged]).toEqual([[], ['p4 runs contained']]);
  });

  it('P4-7: auto without a rung runs, and raises one event that names the setting', async () => {
    const rejected = [refused('bubblewrap', 'tools-missing'), refused('namespaces', 'apparmor')];
    const { containment, events, observers, host } = setUp('auto', { ...none, rejected });
    expect(await containment.enter(client)).toBeNull();
    await containment.enter(client);
    // Another part of the same service has the same observer.
    await createContainment('auto', host, observers).enter(client);
    expect(events).toEqual([
      {
        type: 'p4.uncontained',
        reason: expect.stringContaining('kernel.apparmor_restrict_unprivileged_userns'),
        details: { containment: 'none', strength: 'none', obstacle: 'apparmor' },
      },
    ]);
  });

  it('P4-7: a partial rung is used and named partial', async () => {
    const rejected = [refused('namespaces', 'user-namespaces-limit')];
    const { containment, events, entrance } = setUp('auto', { ...none, rung: partial, rejected });
    expect(await containment.enter(client)).toBe(entrance);
    expect(events).toMatchObject([{ details: { containment: 'landlock', strength: 'partial' } }]);
    expect(await containment.status(client)).toMatchObject({ strength: 'partial', obstacle: 'user-namespaces-limit' });
  });

  it.each<[string, Selection]>([
    ['none', { ...none, obstacle: 'script' }],
    ['a partial one', { ...none, rung: partial, rejected: [refused('namespaces', 'unknown')] }],
  ])('P4-7: required refuses every run where the host has %s', async (_what, selection) => {
    const { containment } = setUp('required', selection);
    for (let run = 0; run < 2; run += 1)
      await expect(containment.enter(client)).rejects.toMatchObject({
        code: 'P4_CONTAINMENT_UNAVAILABLE',
        parks: true,
        details: { obstacle: selection.obstacle ?? 'unknown' },
      });
  });

  it('P4-7: required runs under a full rung', async () => {
    const { containment, entrance } = setUp('required', { ...none, rung: full });
    expect(await containment.enter(client)).toBe(entrance);
  });

  it('P4-7: accept-none tries nothing, and says so once', async () => {
    const { containment, events, logged, asked } = setUp('accept-none', { ...none, rung: full });
    expect([await containment.enter(client), await containment.enter(client)]).toEqual([null, null]);
    expect(await containment.status(client)).toMatchObject({ rung: 'none', mode: 'accept-none', todo: null });
    expect([events, logged, asked()]).toEqual([[], ['p4 runs without containment, as accepted'], 0]);
  });
});
