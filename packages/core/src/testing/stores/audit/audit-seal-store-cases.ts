import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import type { AuditSeal, AuditSealLeaf, SealClaim } from '../../../stores/audit-seal-store.js';
import type { AuditEvent } from '../../../stores/audit-store.js';
import type { Stores } from '../../../stores/stores.js';
import { newAuditEvent, rolledBack } from '../sample-rows.js';
import type { ContractCase } from '../stores-harness.js';
import { recorded } from './audit-samples.js';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

const salt = (text: string): string => digest(`salt ${text}`).slice(0, 32);

/** A seal over these events; the store does not look at its digests. */
function newSeal(seq: number, events: readonly AuditEvent[], now: Date): { seal: AuditSeal; leaves: AuditSealLeaf[] } {
  const leaves = events.map((event, leafIndex) => ({
    ...{ sealSeq: seq, leafIndex, eventId: event.id, occurredAt: event.occurredAt },
    ...{ actorSalt: salt(`actor ${event.id}`), targetSalt: salt(event.id), payloadSalt: salt(`payload ${event.id}`) },
    actorDigest: digest(`actor ${event.id}`),
    targetDigest: digest(`target ${event.id}`),
    payloadDigest: digest(`payload ${event.id}`),
    clearDigest: digest(`clear ${event.id}`),
    leafHash: digest(`leaf ${event.id}`),
  }));
  const roots = { merkleRoot: digest(`root ${seq}`), previousRoot: digest(`root ${seq - 1}`) };
  const keyed = { keyId: digest('key').slice(0, 16), signature: `signature ${seq}` };
  return { seal: { seq, count: leaves.length, ...roots, sealedAt: now, ...keyed }, leaves };
}

/** Seals what a claim of at most `limit` gives. */
async function sealed<Tx>(stores: Stores<Tx>, limit = 10, since: Date | null = null): Promise<SealClaim> {
  return stores.transaction(async (tx) => {
    const claim = await stores.auditSeals.claim({ limit, since }, { tx });
    assert.ok(claim !== null, 'another transaction holds the chain');
    if (claim.events.length === 0) return claim;
    const { seal, leaves } = newSeal((claim.head?.seq ?? 0) + 1, claim.events, claim.now);
    await stores.auditSeals.append(seal, leaves, { tx });
    return claim;
  });
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

// long: the verbs of the facet, one case after the other
/** `auditSeals`: what a sealer reads and writes. */
export function auditSealCases<Tx>(it: ContractCase<Tx>): void {
  it('AUD-1: a claim gives the oldest events that no seal holds; sealed ones and those before since never', async ({
    stores,
    clock,
  }) => {
    const events: AuditEvent[] = [];
    for (let n = 0; n < 4; n++) {
      events.push(await recorded(stores, []));
      await clock.advance(1_000);
    }
    assert.deepEqual(idsOf(await stores.auditSeals.listUnsealed({})), idsOf(events));
    assert.deepEqual(await sealed(stores, 2), { head: null, events: events.slice(0, 2), now: await stores.now() });
    const late = await sealed(stores, 10, events[3]?.createdAt ?? null);
    assert.deepEqual([late.head?.seq, idsOf(late.events)], [1, idsOf(events.slice(3))]);
    assert.deepEqual(idsOf((await sealed(stores)).events), idsOf(events.slice(2, 3)));
    assert.deepEqual((await sealed(stores)).events, []);
    assert.deepEqual(await stores.auditSeals.listUnsealed({}), []);
  });

  it('AUD-1: seals and leaves are given as they were written, in their order', async ({ stores }) => {
    const events = [await recorded(stores, []), await recorded(stores, []), await recorded(stores, [])];
    const { seal, leaves } = newSeal(1, events, await stores.now());
    assert.equal(await stores.auditSeals.head(), null);
    await stores.transaction((tx) => stores.auditSeals.append(seal, leaves, { tx }));
    const next = newSeal(2, [await recorded(stores, [])], await stores.now());
    await stores.transaction((tx) => stores.auditSeals.append(next.seal, next.leaves, { tx }));
    assert.deepEqual(await stores.auditSeals.list({}), [seal, next.seal]);
    assert.deepEqual(await stores.auditSeals.list({ limit: 1 }), [seal]);
    assert.deepEqual(await stores.auditSeals.list({ after: 1 }), [next.seal]);
    assert.deepEqual(await stores.auditSeals.head(), next.seal);
    assert.deepEqual(
      await stores.auditSeals.listLeaves(1),
      leaves.map((leaf, at) => ({ leaf, event: events[at] })),
    );
    assert.deepEqual(await stores.auditSeals.listLeaves(3), []);
  });

  it('AUD-1: neither a number nor an event is sealed twice', async ({ stores }) => {
    const [one, two] = [await recorded(stores, []), await recorded(stores, [])];
    await sealed(stores, 1);
    const [first] = await stores.auditSeals.list({});
    const rest = first?.seq === 1 ? await stores.auditSeals.listUnsealed({}) : [one, two];
    const now = await stores.now();
    const append = async (seq: number, events: readonly AuditEvent[]) => {
      const { seal, leaves } = newSeal(seq, events, now);
      await stores.transaction((tx) => stores.auditSeals.append(seal, leaves, { tx }));
    };
    await assert.rejects(append(1, rest));
    await assert.rejects(append(2, [one, two]));
    assert.deepEqual(await stores.auditSeals.list({}), [first]);
    await append(2, rest);
    assert.equal((await stores.auditSeals.list({})).length, 2);
  });

  it('AUD-1: a seal that rolls back leaves nothing, and its events are claimed again', async ({ stores }) => {
    const event = await recorded(stores, []);
    await rolledBack(stores, async (tx) => {
      const claim = await stores.auditSeals.claim({ limit: 10, since: null }, { tx });
      const { seal, leaves } = newSeal(1, claim?.events ?? [], await stores.now());
      await stores.auditSeals.append(seal, leaves, { tx });
    });
    assert.deepEqual([await stores.auditSeals.head(), await stores.auditSeals.listLeaves(1)], [null, []]);
    assert.deepEqual(idsOf((await sealed(stores)).events), [event.id]);
  });

  it('AUD-1: unsealed events are listed by page', async ({ stores, clock }) => {
    const events: AuditEvent[] = [];
    for (let n = 0; n < 5; n++) {
      events.push(await recorded(stores, []));
      if (n % 2 === 0) await clock.advance(1);
    }
    const listed: AuditEvent[] = [];
    for (let isMore = true; isMore; ) {
      const page = await stores.auditSeals.listUnsealed({ after: listed.at(-1), limit: 2 });
      listed.push(...page);
      isMore = page.length === 2;
    }
    assert.deepEqual(idsOf(listed).sort(), idsOf(events).sort());
    assert.ok(listed.every(({ createdAt }, at) => at === 0 || createdAt >= (listed[at - 1]?.createdAt ?? createdAt)));
    const gone = { id: randomUUID(), createdAt: events[2]?.createdAt ?? new Date(0) };
    const rest = await stores.auditSeals.listUnsealed({ after: gone });
    assert.ok(rest.every(({ createdAt }) => createdAt >= gone.createdAt));
    assert.ok(idsOf(events.slice(3)).every((id) => idsOf(rest).includes(id)));
  });

  it('AUD-1: of transactions that seal at once one has the chain, and none leaves a gap or a double leaf', async ({
    stores,
    another,
  }) => {
    const events = new Set<string>();
    for (let n = 0; n < 6; n++) events.add((await recorded(stores, [])).id);
    const both = [stores, another?.() ?? stores];
    const seal = async (through: Stores<Tx>): Promise<boolean> =>
      through.transaction(async (tx) => {
        const claim = await through.auditSeals.claim({ limit: 2, since: null }, { tx });
        if (claim === null || claim.events.length === 0) return false;
        const made = newSeal((claim.head?.seq ?? 0) + 1, claim.events, claim.now);
        await through.auditSeals.append(made.seal, made.leaves, { tx });
        return true;
      });
    for (let round = 0; round < 6; round++) await Promise.all(both.map(seal));
    const seals = await stores.auditSeals.list({});
    assert.deepEqual(
      seals.map(({ seq }) => seq),
      [1, 2, 3],
    );
    const leaves = await Promise.all(seals.map(({ seq }) => stores.auditSeals.listLeaves(seq)));
    const found = leaves.flat().map(({ leaf }) => leaf.eventId);
    assert.deepEqual([found.length, new Set(found)], [6, events]);
  });

  it('AUD-1: an erasure deletes the salts of what it blanked, and no other', async ({ stores }) => {
    const person = { sourceIp: '192.0.2.7', userAgent: 'ua', targetId: 'bob' };
    const acted = await stores.audit.record(newAuditEvent({ ...person, actorId: 'ada' }), []);
    const suffered = await stores.audit.record(newAuditEvent({ ...person, actorId: 'eve', targetId: 'ada' }), []);
    const other = await stores.audit.record(newAuditEvent({ ...person, actorId: 'eve' }), []);
    await sealed(stores);
    const before = new Map((await stores.auditSeals.listLeaves(1)).map((one) => [one.leaf.eventId, one.leaf]));
    const blank = { payload: { _erasure_meta: {} }, payloadSha256: 'e'.repeat(64) };
    const erasure = { subjectId: 'ada', targetTypes: null, ...blank, limit: 10 };
    await rolledBack(stores, async (tx) => {
      await stores.audit.eraseSubject(erasure, { tx });
    });
    assert.ok((await stores.auditSeals.listLeaves(1)).every(({ leaf }) => leaf.payloadSalt !== null));
    await stores.audit.eraseSubject(erasure);
    const after = new Map((await stores.auditSeals.listLeaves(1)).map((one) => [one.leaf.eventId, one.leaf]));
    const noSalts = { payloadSalt: null };
    assert.deepEqual(after.get(acted.id), { ...before.get(acted.id), ...noSalts, actorSalt: null });
    assert.deepEqual(after.get(suffered.id), { ...before.get(suffered.id), ...noSalts, targetSalt: null });
    assert.deepEqual(after.get(other.id), before.get(other.id));
  });

  it('AUD-1: a malformed seal is a TypeError', async ({ stores }) => {
    const event = await recorded(stores, []);
    const { seal, leaves } = newSeal(1, [event], await stores.now());
    const append = (wrong: Partial<AuditSeal>, given = leaves) =>
      stores.transaction((tx) => stores.auditSeals.append({ ...seal, ...wrong }, given, { tx }));
    await assert.rejects(append({ seq: 0 }), TypeError);
    await assert.rejects(append({ merkleRoot: 'AB' }), TypeError);
    await assert.rejects(append({}, []), TypeError);
    await assert.rejects(append({ seq: 2 }), TypeError);
    const claim = { limit: 0, since: null };
    await assert.rejects(
      stores.transaction((tx) => stores.auditSeals.claim(claim, { tx })),
      TypeError,
    );
    assert.deepEqual(await stores.auditSeals.list({}), []);
  });
}
