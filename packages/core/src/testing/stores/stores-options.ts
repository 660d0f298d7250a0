import assert from 'node:assert/strict';
import type { Stores } from '../../stores/stores.js';
import { auditClaim } from './audit/audit-samples.js';
import {
  claimRequest,
  newArtifact,
  newAuditEvent,
  newEgressRecord,
  newJob,
  newOutboxRow,
  newSuppression,
  outboxClaim,
  person,
  running,
  sampleDeadLetter,
  sampleDeliveryFailure,
  sampleFailure,
} from './sample-rows.js';
import type { ContractCase } from './stores-harness.js';

/** A misspelt key: what every verb refuses, wherever it stands. */
const extra: object = { txx: undefined };
const lease = { jobId: 'j', owner: 'o', token: 't' };
const rowLease = { rowId: 'r', owner: 'o', token: 't' };
const deliveryLease = { deliveryId: 'd', owner: 'o', token: 't' };
const closing = { status: 'ignored', actor: person('op'), note: 'n' } as const;
const auditClosing = { status: 'ignored', actor: person('op'), note: 'n' } as const;
const replay = { deadLetterId: 'd', stage: 's', fromStart: false, actor: person('op'), evidence: 'e' };

/** Every verb that takes an object, each called with one key too many in one of its objects. */
export const misspeltCalls: Readonly<Record<string, <Tx>(stores: Stores<Tx>) => Promise<unknown>>> = {
  'jobs.enqueue: options': ({ jobs }) => jobs.enqueue([newJob()], extra),
  'jobs.enqueue: a job': ({ jobs }) => jobs.enqueue([{ ...newJob(), ...extra }]),
  'jobs.claim': ({ jobs }) => jobs.claim({ ...claimRequest(), ...extra }),
  'jobs.settle: options': ({ jobs }) => jobs.settle([], extra),
  'jobs.settle: a settlement': ({ jobs }) => jobs.settle([{ lease, kind: 'release', ...extra }]),
  'jobs.settle: effects': ({ jobs }) => jobs.settle([{ lease, kind: 'release', effects: { ...extra } }]),
  'jobs.settle: a failure': ({ jobs }) =>
    jobs.settle([{ lease, kind: 'retry', delayMs: 0, failure: { ...sampleFailure(), ...extra } }]),
  'jobs.settle: a dead letter': ({ jobs }) =>
    jobs.settle([{ lease, kind: 'dead-letter', deadLetter: { ...sampleDeadLetter(), ...extra } }]),
  'jobs.requeueExpired': ({ jobs }) => jobs.requeueExpired({ ...extra }),
  'jobs.cancel': ({ jobs }) => jobs.cancel([], 'r', extra),
  'jobs.setPriority: priority': ({ jobs }) => jobs.setPriority('j', { expected: 0, next: 1, ...extra }),
  'jobs.setPriority: options': ({ jobs }) => jobs.setPriority('j', { expected: 0, next: 1 }, extra),
  'jobs.get': ({ jobs }) => jobs.get([], extra),
  'jobs.list': ({ jobs }) => jobs.list({ ...extra }),
  'jobs.prune': ({ jobs }) => jobs.prune({ olderThanMs: 1, ...extra }),
  'deadLetters.list': ({ deadLetters }) => deadLetters.list({ ...extra }),
  'deadLetters.note: note': ({ deadLetters }) => deadLetters.note('d', { actor: person('op'), text: 't', ...extra }),
  'deadLetters.note: options': ({ deadLetters }) => deadLetters.note('d', { actor: person('op'), text: 't' }, extra),
  'deadLetters.replay: request': ({ deadLetters }) => deadLetters.replay({ ...replay, ...extra }),
  'deadLetters.replay: options': ({ deadLetters }) => deadLetters.replay(replay, extra),
  'deadLetters.close: closing': ({ deadLetters }) => deadLetters.close('d', { ...closing, ...extra }),
  'deadLetters.close: options': ({ deadLetters }) => deadLetters.close('d', closing, extra),
  'changes.list': ({ changes }) => changes.list({ ...extra }),
  'changes.setHold': ({ changes }) => changes.setHold('c/1', true, extra),
  'changes.beginPurge': ({ changes }) => changes.beginPurge('c/1', extra),
  'retention.prune': ({ retention }) => retention.prune('jobs', { olderThanMs: 1, limit: 1, ...extra }),
  'retention.countExpired': ({ retention }) => retention.countExpired('jobs', { olderThanMs: 1, ...extra }),
  'outbox.add: options': ({ outbox }) => outbox.add([newOutboxRow()], extra),
  'outbox.add: a row': ({ outbox }) => outbox.add([{ ...newOutboxRow(), ...extra }]),
  'outbox.claim': ({ outbox }) => outbox.claim({ ...outboxClaim(), ...extra }),
  'outbox.claim: purpose': ({ outbox }) =>
    outbox.claim(outboxClaim({ purpose: { reconcile: { olderThanMs: 0, ...extra } } })),
  'outbox.recordPhase': ({ outbox }) => outbox.recordPhase(rowLease, 'data', { ...extra }),
  'outbox.settle: a settlement': ({ outbox }) => outbox.settle([{ lease: rowLease, kind: 'verified', ...extra }]),
  'outbox.settle: a failure': ({ outbox }) =>
    outbox.settle([{ lease: rowLease, kind: 'failed', failure: { ...sampleDeliveryFailure(), ...extra } }]),
  'outbox.requeueExpired': ({ outbox }) => outbox.requeueExpired({ ...extra }),
  'outbox.list': ({ outbox }) => outbox.list({ ...extra }),
  'outbox.reopen': ({ outbox }) => outbox.reopen([], extra),
  'outbox.cancelOlder': ({ outbox }) => outbox.cancelOlder('c/1', 1, extra),
  'outbox.withdraw': ({ outbox }) => outbox.withdraw('a@example.com', extra),
  'messages.save: about': ({ messages }) =>
    messages.save(new Uint8Array(1), { changelistId: 'c', jobId: null, ...extra }),
  'messages.save: options': ({ messages }) =>
    messages.save(new Uint8Array(1), { changelistId: 'c', jobId: null }, extra),
  'messages.discard': ({ messages }) => messages.discard('m', extra),
  'messages.prune': ({ messages }) => messages.prune({ olderThanMs: 1, limit: 1, ...extra }),
  'preferences.set: preference': ({ preferences }) =>
    preferences.set('a@example.com', { mails: 'off', linkOnly: false, ...extra }, person('op')),
  'preferences.set: options': ({ preferences }) =>
    preferences.set('a@example.com', { mails: 'off', linkOnly: false }, person('op'), extra),
  'preferences.list': ({ preferences }) => preferences.list({ ...extra }),
  'audit.record: options': ({ audit }) => audit.record(newAuditEvent(), [], extra),
  'audit.record: an event': ({ audit }) => audit.record({ ...newAuditEvent(), ...extra }, []),
  'audit.list': ({ audit }) => audit.list({ ...extra }),
  'audit.claim': ({ audit }) => audit.claim({ ...auditClaim(), ...extra }),
  'audit.settle': ({ audit }) => audit.settle([{ lease: deliveryLease, kind: 'delivered', ...extra }]),
  'audit.requeueExpired': ({ audit }) => audit.requeueExpired({ ...extra }),
  'audit.listDeliveries': ({ audit }) => audit.listDeliveries({ ...extra }),
  'audit.listDeadLetters': ({ audit }) => audit.listDeadLetters({ ...extra }),
  'audit.requeue: by': ({ audit }) => audit.requeue('d', { actor: person('op'), note: 'n', ...extra }),
  'audit.requeue: options': ({ audit }) => audit.requeue('d', { actor: person('op'), note: 'n' }, extra),
  'audit.close: closing': ({ audit }) => audit.close('d', { ...auditClosing, ...extra }),
  'audit.close: options': ({ audit }) => audit.close('d', auditClosing, extra),
  'auditSeals.claim: request': (stores) =>
    stores.transaction((tx) => stores.auditSeals.claim({ limit: 1, since: null, ...extra }, { tx })),
  'auditSeals.claim: options': (stores) =>
    stores.transaction((tx) => stores.auditSeals.claim({ limit: 1, since: null }, { tx, ...extra })),
  'auditSeals.list': ({ auditSeals }) => auditSeals.list({ ...extra }),
  'auditSeals.listUnsealed': ({ auditSeals }) => auditSeals.listUnsealed({ ...extra }),
  'artifactManifest.reserve: options': ({ artifactManifest }) => artifactManifest.reserve([], extra),
  'artifactManifest.reserve: an artifact': ({ artifactManifest }) =>
    artifactManifest.reserve([{ ...newArtifact(), ...extra }]),
  'artifactManifest.publish': ({ artifactManifest }) => artifactManifest.publish([], extra),
  'artifactManifest.claimExpired': ({ artifactManifest }) =>
    artifactManifest.claimExpired({ owner: 'o', token: 't', leaseMs: 1, limit: 1, orphanMs: 1, ...extra }),
  'artifactManifest.keyTag': ({ artifactManifest }) => artifactManifest.keyTag(extra),
  'artifactManifest.expire': ({ artifactManifest }) => artifactManifest.expire([], extra),
  'egress.append: options': ({ egress }) => egress.append([], extra),
  'egress.append: a record': ({ egress }) => egress.append([{ ...newEgressRecord(), ...extra }]),
  'egress.list': ({ egress }) => egress.list({ ...extra }),
  'cursors.advance': ({ cursors }) => cursors.advance('c', null, '1', extra),
  'documents.write': ({ documents }) => documents.write('d', 0, null, extra),
  'samples.add: options': ({ samples }) => samples.add([], { bucketMs: 1, ...extra }),
  'samples.add: a sample': ({ samples }) =>
    samples.add([{ name: 'n', variant: 'v', counts: {}, ...extra }], { bucketMs: 1 }),
  'samples.read': ({ samples }) => samples.read('n', { sinceMs: 1, ...extra }),
  'suppressions.add: options': ({ suppressions }) => suppressions.add(newSuppression(), extra),
  'suppressions.add: a suppression': ({ suppressions }) => suppressions.add({ ...newSuppression(), ...extra }),
  'suppressions.list': ({ suppressions }) => suppressions.list({ ...extra }),
  'suppressions.withdraw': ({ suppressions }) => suppressions.withdraw('s', person('op'), extra),
  'limits.set': ({ limits }) => limits.set('l', 1, extra),
};

/** Options as a caller without types writes them. */
const misspelt = (tx: unknown): object => ({ txx: tx });

/** What every store owes a caller who misspelt: an error, never a write that does something else. */
export function optionCases<Tx>(it: ContractCase<Tx>): void {
  it('WQ-2: an unknown key is a TypeError that names it, in every object of every verb', async ({ stores }) => {
    for (const [place, call] of Object.entries(misspeltCalls)) {
      await assert.rejects(
        call(stores),
        (error) => error instanceof TypeError && /\.txx: unknown option; .*known are /.test(error.message),
        place,
      );
    }
    assert.deepEqual(await stores.jobs.list({}), []);
    assert.deepEqual(await stores.outbox.list({}), []);
  });

  it('WQ-2: a misspelt tx enqueues nothing outside the transaction', async ({ stores }) => {
    const work = stores.transaction(async (tx) => {
      await stores.jobs.enqueue([newJob()], { ...misspelt(tx) });
    });
    await assert.rejects(work, /options\.txx: unknown option; did you mean tx\?/);
    assert.deepEqual(await stores.jobs.list({}), []);
  });

  it('WQ-2: a misspelt delay is refused, and the job is not run at once', async ({ stores }) => {
    await assert.rejects(
      stores.jobs.enqueue([{ ...newJob(), ...{ delayMS: 60_000 } }]),
      /jobs\[0\]\.delayMS: unknown option; did you mean delayMs\?/,
    );
    assert.deepEqual(await stores.jobs.claim(claimRequest()), []);
  });

  it('WQ-2: a settlement with a misspelt key leaves the job claimed', async ({ stores }) => {
    const { lease: held } = await running(stores);
    const wrong = { lease: held, kind: 'done', result: {}, requireNotified: false, ...{ deleteRows: true } } as const;
    await assert.rejects(stores.jobs.settle([wrong]), TypeError);
    assert.deepEqual(await stores.jobs.heartbeat([held], 1_000), ['renewed']);
  });
}
