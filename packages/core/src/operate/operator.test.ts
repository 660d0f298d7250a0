import { describe, expect, it } from 'vitest';
import { type AuditTrail, createAuditTrail } from '../audit/audit-trail.js';
import { createKillSwitch, killSwitchDocument } from '../egress/kill-switch.js';
import { listStandingStops } from '../egress/standing-stops.js';
import type { JsonValue } from '../foundation/json.js';
import { createMemoryStores } from '../memory/memory-stores.js';
import { silentLogger } from '../telemetry/logger.js';
import { deadLettered } from '../testing/stores/audit/audit-samples.js';
import { addDeadLetter, by, operatorVerbs } from '../testing/stores/operate/operator-verbs.js';
import { newAuditEvent, newJob, one } from '../testing/stores/sample-rows.js';
import { createManualClock } from '../testing/support/manual-clock.js';
import { createSeededRandom } from '../testing/support/seeded-random.js';
import { createOperator } from './operator.js';

const noRedactions = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
const random = createSeededRandom(1);
const redactor = {
  ruleVersion: '1',
  redact: (value: unknown) => ({ value: value as JsonValue, meta: noRedactions }),
};

/** Stores with an operator whose audit trail is on them, on other stores, or broken. */
function parts(where: 'same' | 'other' | 'broken' = 'same') {
  const stores = createMemoryStores();
  const trailStores = where === 'other' ? createMemoryStores() : stores;
  const lines: unknown[] = [];
  const broken = { record: () => Promise.reject(new Error('disk full')) };
  const audit = createAuditTrail({
    store: where === 'broken' ? { ...stores.audit, ...broken } : trailStores.audit,
    ...{ redactor, destinations: [], random },
    logger: { ...silentLogger, error: (fields) => void lines.push(fields) },
  });
  const woken: string[] = [];
  const wake = { wakeJobs: () => woken.push('jobs'), wakeMail: () => woken.push('mail') };
  const operator = createOperator({ stores, audit, ...wake });
  const events = async () =>
    (await trailStores.audit.list({})).map(
      ({ action, resultStatus, actorId }) => `${action} ${resultStatus} ${actorId}`,
    );
  return { stores, audit, operator, events, lines, woken };
}

/** These change the trail itself, and are not done without their event. */
const trailVerbs: readonly string[] = ['audit.events.prune', 'audit.subject.erase'];

describe.each(
  operatorVerbs.filter(({ action }) => !trailVerbs.includes(action)).map((verb) => ({ title: verb.action, ...verb })),
)('$title', ({ action, add, call: callVerb }) => {
  const prepare = async (p: ReturnType<typeof parts>) => {
    const id = await add(p.stores);
    return () => callVerb(p.operator, id);
  };
  const own = async (p: ReturnType<typeof parts>) => (await p.events()).filter((line) => line.startsWith(action));

  it('OPS-1: on another database the event comes first, and a second one where nothing was changed', async () => {
    const p = parts('other');
    const call = await prepare(p);
    expect((await call()).audit).toBe('recorded');
    expect(await own(p)).toEqual([`${action} success ada`]);
    await call();
    if (action === 'dead_letter.replay') return void expect(await own(p)).toHaveLength(1); // its checks come first
    expect((await own(p)).sort()).toEqual([`${action} failure ada`, `${action} success ada`, `${action} success ada`]);
  });

  it('AUD-3: where the event cannot be stored the change is made, and the platform log says so', async () => {
    const p = parts('broken');
    if (action.startsWith('audit.')) return void expect(await own(p)).toEqual([]);
    const call = await prepare(p);
    expect((await call()).audit).toBe('degraded');
    expect(p.lines).toMatchObject([{ action }]);
    expect((await call()).audit).toBe('none');
  });
});

describe('createOperator', () => {
  it('OPS-1: a request without an actor or a reason is a TypeError, and nothing is changed', async () => {
    const p = parts();
    const deadLetterId = await addDeadLetter(p.stores);
    for (const wrong of [{ actor: undefined }, { actor: 'ada' }, { reason: '' }, { reason: ' \n' }, { by: 'ada' }])
      await expect(p.operator.replayDeadLetter({ deadLetterId, ...by, ...(wrong as object) })).rejects.toThrow(
        TypeError,
      );
    expect(await p.stores.deadLetters.list({ status: 'open' })).toHaveLength(1);
    expect(await p.events()).toEqual([]);
  });

  it('ERR-9: a replay starts at the stage that failed, keeps its evidence as a note, and wakes the workers', async () => {
    const p = parts();
    const deadLetterId = await addDeadLetter(p.stores);
    const before = await p.stores.deadLetters.get(deadLetterId);
    await p.operator.triageDeadLetter({ deadLetterId, actor: by.actor, reason: 'looked at it' });
    await p.operator.noteDeadLetter({ deadLetterId, actor: by.actor, reason: 'updated the gateway', kind: 'evidence' });
    await p.operator.replayDeadLetter({ deadLetterId, ...by });
    const letter = await p.stores.deadLetters.get(deadLetterId);
    const [job] = await p.stores.jobs.get([letter?.jobId ?? '']);
    expect(job).toMatchObject({ status: 'queued', stage: before?.stage });
    expect(letter?.notes.map(({ kind, text }) => [kind, text])).toEqual([
      ['triage', 'looked at it'],
      ['evidence', 'updated the gateway'],
      ['replay', by.reason],
    ]);
    expect(p.woken).toEqual(['jobs']);
    const unknown = await p.operator.replayDeadLetter({ ...by, deadLetterId: '00000000-0000-4000-8000-000000000000' });
    expect(unknown).toEqual({ outcome: 'not-found', audit: 'none', report: null });
  });
});

describe('verbs of jobs', () => {
  it('OPS-1 NOT-2: a rerun queues the next version as the submit was, but for its delay, and wakes the workers', async () => {
    const p = parts();
    const { add } = one(operatorVerbs.filter(({ action }) => action === 'job.rerun'));
    const jobId = await add(p.stores);
    const done = await p.operator.rerunJob({ jobId, ...by });
    expect(done).toMatchObject({ outcome: 'queued', audit: 'recorded' });
    expect(await p.stores.jobs.latestVersion('p4main/1001')).toEqual(done.job);
    expect(done.job).toMatchObject({
      ...{ kind: 'review', stage: 'fetch', reviewVersion: 2, priority: 3, status: 'queued' },
      payload: { serverId: 'p4main', number: 1001, recipients: [] },
    });
    expect(p.woken).toEqual(['jobs']);
    expect(await p.operator.rerunJob({ jobId, ...by })).toEqual({ outcome: 'not-newest', audit: 'none', job: null });
    const { job } = one(await p.stores.jobs.enqueue([newJob({ kind: 'mail' })]));
    const others = [job.id, '00000000-0000-4000-8000-000000000000'];
    const outcomes = await Promise.all(others.map((id) => p.operator.rerunJob({ jobId: id, ...by })));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['not-a-review', 'not-found']);
    expect(await p.events()).toEqual(['job.rerun success ada']);
  });
});

describe('setKillSwitch', () => {
  const stoppedFor = async (p: ReturnType<typeof parts>, provider: string): Promise<unknown> =>
    createKillSwitch({ documents: p.stores.documents })
      .check(provider)
      .then(
        () => 'open',
        (error: unknown) => (error as { code?: string }).code,
      );

  it('EGR-4: records who and why with the new state, in one transaction', async () => {
    const p = parts();
    const stop = { stopped: true, providers: ['cloud'] };
    expect(await p.operator.setKillSwitch({ ...stop, ...by })).toEqual({
      outcome: 'set',
      audit: 'recorded',
      version: 1,
      stops: ['cloud'],
    });
    const event = one(await p.stores.audit.list({}));
    expect(event).toMatchObject({ actorType: 'admin_user', actorId: 'ada', targetId: killSwitchDocument });
    expect(event.payload).toMatchObject({ ...stop, reason: by.reason });
    const document = await p.stores.documents.read(killSwitchDocument);
    expect(document.value).toEqual({ ...stop, actor: { type: 'admin_user', id: 'ada' }, reason: by.reason });
    expect([await stoppedFor(p, 'cloud'), await stoppedFor(p, 'house')]).toEqual(['EGRESS_KILLED', 'open']);
  });

  it('EGR-4: without an audit event it stops requests all the same, and never starts them', async () => {
    const p = parts('broken');
    expect(await p.operator.setKillSwitch({ stopped: true, ...by })).toMatchObject({ audit: 'degraded', version: 1 });
    await expect(p.operator.setKillSwitch({ stopped: false, ...by })).rejects.toMatchObject({
      code: 'KILL_SWITCH_UNRECORDED',
    });
    expect(await stoppedFor(p, 'house')).toBe('EGRESS_KILLED');
    expect(p.lines).toHaveLength(2);
  });

  it('EGR-4: a stop never narrows one that stands: names add up, and everything stays everything', async () => {
    const p = parts();
    const stop = async (...providers: string[]) =>
      (await p.operator.setKillSwitch({ stopped: true, ...(providers.length === 0 ? {} : { providers }), ...by }))
        .stops;
    const states = () => Promise.all(['cloud', 'house', 'mail:smtp'].map((name) => stoppedFor(p, name)));
    expect(await stop('cloud')).toEqual(['cloud']);
    expect(await stop('house', 'cloud')).toEqual(['cloud', 'house']);
    expect(await states()).toEqual(['EGRESS_KILLED', 'EGRESS_KILLED', 'open']);
    expect([await stop(), await stop('cloud')]).toEqual(['all', 'all']);
    expect(await states()).toEqual(['EGRESS_KILLED', 'EGRESS_KILLED', 'EGRESS_KILLED']);
    expect((await p.operator.setKillSwitch({ stopped: false, ...by })).stops).toEqual([]);
    expect(await states()).toEqual(['open', 'open', 'open']);
  });

  it('EGR-4: a later stop leaves what stood stopped since its own instant; a release forgets it', async () => {
    const clock = createManualClock(0);
    const stores = createMemoryStores({ clock });
    const operator = createOperator({
      stores,
      audit: createAuditTrail({ store: stores.audit, redactor, destinations: [], random, logger: silentLogger }),
    });
    const stop = async (...providers: string[]) => {
      await operator.setKillSwitch({ stopped: true, ...(providers.length === 0 ? {} : { providers }), ...by });
      clock.freeze(1_000);
      const stops = await listStandingStops(stores.documents);
      return stops.map(({ since, destinations }) => [since.getTime(), destinations]);
    };
    await stop('b');
    await stop('a', 'b');
    expect(await stop('c', 'a')).toEqual([
      [0, ['b']],
      [1_000, ['a']],
      [2_000, ['c']],
    ]);
    expect([await stop(), await stop('d')]).toEqual([[[3_000, null]], [[3_000, null]]]);
    await operator.setKillSwitch({ stopped: false, ...by });
    expect(await listStandingStops(stores.documents)).toEqual([]);
    expect(await stop('a')).toEqual([[5_000, ['a']]]);
  });

  it('EGR-4: a stop of nothing, a name that is none and a release with names are TypeErrors', async () => {
    const p = parts();
    for (const state of [
      { stopped: true, providers: [] },
      { stopped: true, providers: [''] },
      { stopped: false, providers: ['cloud'] },
    ])
      await expect(p.operator.setKillSwitch({ ...state, ...by })).rejects.toThrow(/setKillSwitch: providers/);
    expect(await p.events()).toEqual([]);
  });

  it('EGR-4: an audit trail that rejects, or ruins the transaction, keeps nothing from being stopped', async () => {
    for (const storeId of ['elsewhere', undefined]) {
      const p = parts();
      const audit: AuditTrail<never> = {
        storeId: storeId ?? p.stores.storeId,
        record: () => Promise.reject(new Error('no')),
      };
      const operator = createOperator({ stores: p.stores as never, audit });
      expect(await operator.setKillSwitch({ stopped: true, ...by })).toMatchObject({ audit: 'degraded', version: 1 });
    }
    const p = parts();
    const stores = { ...p.stores, transaction: () => Promise.reject(new Error('serialization')) };
    const operator = createOperator({ stores, audit: p.audit });
    expect(await operator.setKillSwitch({ stopped: true, ...by })).toMatchObject({ audit: 'degraded', version: 1 });
    await expect(operator.setKillSwitch({ stopped: false, ...by })).rejects.toThrow('serialization');
    expect(await stoppedFor(p, 'cloud')).toBe('EGRESS_KILLED');
  });

  it('EGR-4: writes over another operator, and gives up where that never ends', async () => {
    const p = parts();
    let conflicts = 2;
    const { documents } = p.stores;
    const contended: typeof documents = {
      ...documents,
      write: async (...args) => (conflicts-- > 0 ? { outcome: 'conflict', version: 0 } : documents.write(...args)),
    };
    const operator = createOperator({ stores: { ...p.stores, documents: contended }, audit: p.audit });
    expect(await operator.setKillSwitch({ stopped: true, ...by })).toMatchObject({ outcome: 'set' });
    conflicts = 9;
    await expect(operator.setKillSwitch({ stopped: true, ...by })).rejects.toMatchObject({
      code: 'KILL_SWITCH_CONFLICT',
    });
    expect(await p.events()).toEqual(['egress.kill_switch.set success ada']);
  });
});

describe('closeAuditDeadLetter', () => {
  it('AUD-16: a loss is accepted only by a reason that begins with a ticket', async () => {
    const { stores, operator } = parts();
    await stores.audit.record(newAuditEvent(), ['siem']);
    const { id: auditDeadLetterId } = await deadLettered(stores);
    const ignore = (reason: string) =>
      operator.closeAuditDeadLetter({ auditDeadLetterId, status: 'ignored', ...by, reason });
    for (const reason of ['never mind', 'ops-12 accepted', 'see OPS-12', 'OPS-', '#', 'http://tracker.test/12', '#12x'])
      await expect(ignore(reason), reason).rejects.toThrow(/reason: expected to begin with a ticket/);
    expect(await stores.audit.listDeadLetters({ operatorStatus: 'open' })).toHaveLength(1);
    expect((await ignore('OPS-12 the receiver is gone')).outcome).toBe('closed');
    for (const reason of ['#12 gone', 'studio/ops#12', 'https://tracker.test/12 gone', 'OPS-12'])
      expect((await ignore(reason)).outcome, reason).toBe('not-open');
  });

  it('AUD-16: a requeued delivery is claimed at once', async () => {
    const p = parts();
    const woken: string[] = [];
    const operator = createOperator({ stores: p.stores, audit: p.audit, wakeAudit: () => woken.push('audit') });
    await p.stores.audit.record(newAuditEvent(), ['siem']);
    const { id: auditDeadLetterId } = await deadLettered(p.stores);
    await operator.requeueAuditDelivery({ auditDeadLetterId, ...by });
    await operator.requeueAuditDelivery({ auditDeadLetterId, ...by });
    expect(woken).toEqual(['audit']);
  });
});
