import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createAuditSealer } from '../../../audit/seal/audit-sealer.js';
import { sealAction } from '../../../audit/seal/seal-event.js';
import { verifyAuditTrail } from '../../../audit/seal/verify-trail.js';
import { Secret } from '../../../secrets/secret.js';
import type { SecretSource } from '../../../secrets/secret-source.js';
import type { Stores } from '../../../stores/stores.js';
import { newAuditEvent, one, rolledBack } from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';
import { claimedDelivery, recorded } from './audit-samples.js';

/** A source of one key that a test may change. */
export function keySource(): { source: SecretSource; publicKeys: string[]; rotate(): void } {
  const publicKeys: string[] = [];
  let privateKey: KeyObject;
  const rotate = (): void => {
    privateKey = generateKeyPairSync('ed25519').privateKey;
    publicKeys.push(createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString());
  };
  rotate();
  const read = async () => ({
    current: { secret: new Secret(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()), version: '1' },
  });
  return { source: { contract: 1, read }, publicKeys, rotate };
}

const sealerOn = <Tx>(stores: Stores<Tx>, source: SecretSource, batchSize = 3) =>
  createAuditSealer({ stores, key: { source, name: 'seal' }, destinations: ['siem'], batchSize });

/** A sealer over the store: what it seals, delivers and verifies. */
export function auditSealingCases<Tx>(it: ContractCase<Tx>): void {
  it('AUD-1: every event is sealed once, in batches that name the one before, and verifies', async ({
    stores,
    clock,
  }) => {
    const { source, publicKeys, rotate } = keySource();
    for (let n = 0; n < 5; n++) await recorded(stores, []);
    assert.deepEqual(await sealerOn(stores, source).runDue(), { seals: 2, events: 6 }); // one is the first seal's own
    assert.deepEqual(await sealerOn(stores, source).runDue(), { seals: 0, events: 0 });
    const first = await verifyAuditTrail({ stores, publicKeys });
    assert.deepEqual([first.isIntact, first.seals, first.events, first.unsealed.count], [true, 2, 6, 0]);
    await recorded(stores, []);
    await clock.advance(4_000);
    const waiting = await verifyAuditTrail({ stores, publicKeys, maxUnsealedMs: 3_000 });
    assert.deepEqual([waiting.unsealed, waiting.findings[0]?.kind], [{ count: 1, oldestMs: 4_000 }, 'unsealed-late']);
    rotate();
    assert.deepEqual(await sealerOn(stores, source).runDue(), { seals: 1, events: 2 });
    const both = await verifyAuditTrail({ stores, publicKeys, checkpoint: await stores.auditSeals.list({}) });
    assert.deepEqual([both.isIntact, both.seals, both.checkpointSeq], [true, 3, 3]);
    const newest = await verifyAuditTrail({ stores, publicKeys: publicKeys.slice(1) });
    assert.deepEqual([newest.isIntact, newest.findings[0]?.kind], [false, 'key-unknown']);
  });

  it('AUD-1: a root is delivered like any event', async ({ stores }) => {
    const { source } = keySource();
    await recorded(stores, []);
    await sealerOn(stores, source).runDue();
    const seal = one(await stores.auditSeals.list({}));
    const { event } = await claimedDelivery(stores);
    assert.deepEqual([event.action, event.targetId], [sealAction, '1']);
    const { merkleRoot: merkle_root, previousRoot: previous_root, keyId: key_id, sealedAt, ...same } = seal;
    const json = { ...same, merkle_root, previous_root, key_id, sealed_at: sealedAt.toISOString() };
    assert.deepEqual(event.payload['seal'], json);
    assert.ok('_redaction_meta' in event.payload && '_truncation_meta' in event.payload);
  });

  it('AUD-1: a sealer killed before any of its steps has done all or nothing, and the next goes on', async ({
    stores,
  }) => {
    const { source, publicKeys } = keySource();
    for (let n = 0; n < 3; n++) await recorded(stores, []);
    const killed = async (): Promise<never> => {
      throw new Error('killed');
    };
    const { audit, auditSeals } = stores;
    const dying: Stores<Tx>[] = [
      { ...stores, auditSeals: { ...auditSeals, claim: killed } },
      { ...stores, auditSeals: { ...auditSeals, append: killed } },
      { ...stores, audit: { ...audit, record: killed } },
      { ...stores, transaction: (work) => stores.transaction((tx) => work(tx).then(killed)) },
    ];
    for (const at of dying) {
      await assert.rejects(sealerOn(at, source).runDue(), /killed/);
      assert.deepEqual([await auditSeals.head(), await auditSeals.listLeaves(1)], [null, []]);
    }
    // After the commit, before the answer: the seal is stored, and is not made again.
    const committed = {
      ...stores,
      transaction: <T>(work: (tx: Tx) => Promise<T>): Promise<T> => stores.transaction(work).then(killed),
    };
    await assert.rejects(sealerOn(committed, source).runDue(), /killed/);
    assert.equal((await auditSeals.head())?.seq, 1);
    assert.deepEqual(await sealerOn(stores, source).runDue(), { seals: 0, events: 0 });
    const { isIntact, events } = await verifyAuditTrail({ stores, publicKeys });
    assert.deepEqual([isIntact, events], [true, 3]);
  });

  it('AUD-1: two sealers at once write one chain', async ({ stores, another }) => {
    const { source, publicKeys } = keySource();
    for (let n = 0; n < 9; n++) await recorded(stores, []);
    const sealers = [sealerOn(stores, source, 2), sealerOn(another?.() ?? stores, source, 2)];
    for (let round = 0; round < 3; round++) await Promise.all(sealers.map((sealer) => sealer.runDue()));
    const { isIntact, unsealed } = await verifyAuditTrail({ stores, publicKeys });
    assert.deepEqual([isIntact, unsealed.count], [true, 0]);
  });

  it('AUD-1: an erased person’s events verify, and so does what was not erased of them', async ({ stores }) => {
    const { source, publicKeys } = keySource();
    const event = await stores.audit.record(newAuditEvent({ actorId: 'ada', targetId: 'bob' }), []);
    await sealerOn(stores, source).runDue();
    const blank = { payload: { _erasure_meta: {} }, payloadSha256: 'e'.repeat(64) };
    await stores.audit.eraseSubject({ subjectId: 'ada', targetTypes: null, ...blank, limit: 10 });
    const unexplained = await verifyAuditTrail({ stores, publicKeys });
    const at = { sealSeq: 1, leafIndex: 0, eventId: event.id };
    assert.deepEqual({ ...unexplained.findings[0], message: '' }, { kind: 'erasure-unexplained', ...at, message: '' });
    const eventIds = [event.id.replaceAll('-', '')];
    await stores.audit.record(newAuditEvent({ action: 'audit.subject.erase', payload: { eventIds } }), []);
    const { isIntact, erased } = await verifyAuditTrail({ stores, publicKeys });
    assert.deepEqual([isIntact, erased], [true, 1]);
  });

  it('AUD-1: a prune deletes the salts of the leaves it empties, and these verify by the prune alone', async ({
    stores,
  }) => {
    const { source, publicKeys } = keySource();
    const hours = (count: number, at: Date) => new Date(at.getTime() - count * 3_600_000);
    const occurredAt = hours(48, await stores.now());
    const old = await stores.audit.record(newAuditEvent({ occurredAt, actorId: 'ada', targetId: 'bob' }), []);
    const young = await recorded(stores, []);
    await sealerOn(stores, source).runDue();
    const saltsOf = async (id: string): Promise<(string | null)[]> => {
      const leaves = await stores.auditSeals.listLeaves(1);
      const { leaf } = one(leaves.filter(({ leaf: { eventId } }) => eventId === id));
      return [leaf.actorSalt, leaf.targetSalt, leaf.payloadSalt];
    };
    const sealedSalts = [await saltsOf(old.id), await saltsOf(young.id)];
    assert.ok(sealedSalts.flat().every((salt) => salt !== null));
    const pruning = { olderThanMs: 24 * 3_600_000, includeDeadLetters: false, limit: 10, after: null };
    await rolledBack(stores, async (tx) => {
      assert.equal((await stores.audit.prune(pruning, { tx })).events, 1);
    });
    assert.deepEqual([await saltsOf(old.id), await saltsOf(young.id)], sealedSalts);
    assert.equal((await stores.audit.prune(pruning)).events, 1);
    assert.deepEqual([await saltsOf(old.id), await saltsOf(young.id)], [[null, null, null], sealedSalts[1]]);
    const unexplained = await verifyAuditTrail({ stores, publicKeys });
    const found = unexplained.findings.map(({ kind, eventId }) => [kind, eventId]);
    assert.deepEqual(found, [['event-missing', old.id]]);
    const payload = { occurredUntil: occurredAt.toISOString() };
    await stores.audit.record(newAuditEvent({ action: 'audit.events.prune', payload }), []);
    const { isIntact, pruned, findings } = await verifyAuditTrail({ stores, publicKeys });
    assert.deepEqual([isIntact, pruned, findings], [true, 1, []]);
  });
}
