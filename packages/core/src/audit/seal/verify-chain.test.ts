import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditSeal, AuditSealLeaf, SealedEvent } from '../../stores/audit-seal-store.js';
import type { AuditEvent } from '../../stores/audit-store.js';
import { newAuditEvent } from '../../testing/stores/sample-rows.js';
import { createSeededRandom } from '../../testing/support/seeded-random.js';
import type { AuditVerification } from './audit-finding.js';
import { sealBatch } from './seal-batch.js';
import { computeLeafHash, createLeaf, digestPart } from './seal-leaf.js';
import { keyIdOf, readSealJson, signSeal, toSealJson, verifySeal } from './seal-statement.js';
import { type ChainEvidence, createChainVerifier, digestSeal } from './verify-chain.js';

const keys = generateKeyPairSync('ed25519');
const laterKeys = generateKeyPairSync('ed25519');
const random = createSeededRandom(28);
const publicKeys = new Map([keys, laterKeys].map(({ publicKey }) => [keyIdOf(publicKey), publicKey]));
const startMs = Date.UTC(2026, 10, 27);

type Batch = { seal: AuditSeal; leaves: SealedEvent[] };

function recordedEvent(at: number): AuditEvent {
  const createdAt = new Date(startMs + at * 1_000);
  return { ...newAuditEvent({ payload: { n: at } }), id: random.uuid(), occurredAt: createdAt, createdAt };
}

/** A trail of batches of these sizes; the second half is signed by the later key. */
function sealedTrail(sizes: readonly number[]): Batch[] {
  const batches: Batch[] = [];
  for (const [at, size] of sizes.entries()) {
    const events = Array.from({ length: size }, (_, n) => recordedEvent(at * 100 + n));
    const { privateKey } = at * 2 < sizes.length ? keys : laterKeys;
    const sealedAt = new Date(startMs + at * 100_000 + 99_000);
    const { seal, leaves } = sealBatch(events, { head: batches.at(-1)?.seal ?? null, sealedAt, privateKey, random });
    batches.push({ seal, leaves: leaves.map((leaf, n) => ({ leaf, event: events[n] ?? null })) });
  }
  return batches;
}

function verify(batches: readonly Batch[], evidence: Partial<ChainEvidence> = {}): AuditVerification {
  const none = { publicKeys, checkpoint: null, prunedUntil: null, erasedIds: new Set<string>() };
  const verifier = createChainVerifier({ ...none, ...evidence });
  for (const { seal, leaves } of batches) verifier.addSeal(seal, leaves);
  return verifier.finish({ count: 0, oldestMs: 0 });
}

/** One leaf with its event, which is there. */
function rowAt(trail: readonly Batch[], at: number, leafAt: number): { leaf: AuditSealLeaf; event: AuditEvent } {
  const row = trail[at]?.leaves[leafAt];
  if (row === undefined || row.event === null) throw new RangeError(`no row ${leafAt} in batch ${at}`);
  return { leaf: row.leaf, event: row.event };
}

const checkpointOf = (batches: readonly Batch[]) => new Map(batches.map(({ seal }) => [seal.seq, digestSeal(seal)]));
const withHash = (leaf: AuditSealLeaf): AuditSealLeaf => ({ ...leaf, leafHash: computeLeafHash(leaf) });

/** The same trail with one batch's leaves, or one leaf, replaced. */
const withLeaves = (trail: readonly Batch[], at: number, change: (leaves: SealedEvent[]) => SealedEvent[]): Batch[] =>
  trail.map((batch, n) => (n === at ? { ...batch, leaves: change([...batch.leaves]) } : batch));
const withEvent = (trail: readonly Batch[], at: number, leafAt: number, event: AuditEvent | null): Batch[] =>
  withLeaves(trail, at, (leaves) => leaves.map((one, n) => (n === leafAt ? { ...one, event } : one)));

/** Every column but the id, each with another value. */
const edits: { [Column in Exclude<keyof AuditEvent, 'id'>]: AuditEvent[Column] } = {
  occurredAt: new Date(0),
  createdAt: new Date(0),
  actorType: 'system',
  actorId: 'somebody-else',
  tenantId: 'other',
  traceId: 'other',
  requestId: 'other',
  action: 'other.action',
  targetType: 'other',
  targetId: 'other',
  resultStatus: 'failure',
  httpStatus: 500,
  sourceIp: '192.0.2.1',
  userAgent: 'other',
  payload: { n: -1 },
  payloadSha256: createHash('sha256').update('other').digest('hex'),
  schemaVersion: 2,
};

/** Sealed once: what a property draws is where it tampers. */
const pool = [[1], [6], [2, 1, 3], [5, 4, 6, 1], [1, 1, 1, 1, 1]].map(sealedTrail);
const trails = fc.tuple(fc.constantFrom(...pool), fc.nat(), fc.nat()).map(([trail, atPick, leafPick]) => {
  const at = atPick % trail.length;
  return { trail, at, leafAt: leafPick % (trail[at]?.leaves.length ?? 1) };
});

describe('chain verifier', () => {
  it('AUD-1: a trail as it was sealed is intact, under two keys in overlap', () => {
    for (const trail of pool) {
      const found = verify(trail, { checkpoint: checkpointOf(trail) });
      const events = trail.reduce((sum, { leaves }) => sum + leaves.length, 0);
      expect(found).toMatchObject({ isIntact: true, seals: trail.length, events, checkpointSeq: trail.length });
    }
  });

  it('AUD-1: an edit of any column of any event is found at its row', () => {
    const columns = fc.constantFrom(...(Object.keys(edits) as (keyof typeof edits)[]));
    fc.assert(
      fc.property(trails, columns, ({ trail, at, leafAt }, column) => {
        const { leaf, event } = rowAt(trail, at, leafAt);
        const edited = verify(withEvent(trail, at, leafAt, { ...event, [column]: edits[column] }));
        const place = { sealSeq: at + 1, leafIndex: leafAt, eventId: leaf.eventId };
        expect(edited.findings).toMatchObject([{ kind: 'event-edited', ...place }]);
        const gone = verify(withEvent(trail, at, leafAt, null));
        expect(gone.findings).toMatchObject([{ kind: 'event-missing', ...place }]);
      }),
      { numRuns: 50 },
    );
  });

  it('AUD-1: an edit that also writes the leaf anew is found at its batch', () => {
    fc.assert(
      fc.property(trails, ({ trail, at, leafAt }) => {
        const { leaf, event } = rowAt(trail, at, leafAt);
        const edited = { ...event, actorId: 'somebody-else' };
        const forged = createLeaf(edited, leaf, () => leaf.actorSalt ?? '');
        const found = verify(withLeaves(trail, at, (all) => all.with(leafAt, { leaf: forged, event: edited })));
        expect(found.findings).toMatchObject([{ kind: 'batch-changed', sealSeq: at + 1, leafIndex: null }]);
      }),
      { numRuns: 20 },
    );
  });

  it('AUD-1: a leaf deleted, inserted or moved is found, and where the order first breaks', () => {
    fc.assert(
      fc.property(trails, ({ trail, at, leafAt }) => {
        const cut = verify(withLeaves(trail, at, (all) => all.toSpliced(leafAt, 1)));
        expect(cut.findings).toMatchObject([{ kind: 'batch-changed', sealSeq: at + 1, leafIndex: leafAt }]);
        const event = recordedEvent(at * 100 + leafAt);
        const planted = {
          leaf: createLeaf(event, { sealSeq: at + 1, leafIndex: leafAt }, () => 'ab'.repeat(16)),
          event,
        };
        const inserted = verify(withLeaves(trail, at, (all) => all.toSpliced(leafAt, 0, planted)));
        expect(inserted.findings).toMatchObject([{ kind: 'batch-changed', sealSeq: at + 1, leafIndex: leafAt + 1 }]);
      }),
      { numRuns: 20 },
    );
  });

  it('AUD-1: two events or two leaves that changed places are found at the first of them', () => {
    const [first, ...rest] = sealedTrail([4, 2]) as [Batch, Batch];
    const [a, b, c, d] = first.leaves as [SealedEvent, SealedEvent, SealedEvent, SealedEvent];
    const events = [a, { ...b, event: d.event }, c, { ...d, event: b.event }];
    expect(verify([{ ...first, leaves: events }, ...rest]).findings).toMatchObject([
      { kind: 'event-edited', sealSeq: 1, leafIndex: 1 },
      { kind: 'event-edited', sealSeq: 1, leafIndex: 3 },
    ]);
    const moved = [a, { ...d, leaf: { ...d.leaf, leafIndex: 1 } }, c, { ...b, leaf: { ...b.leaf, leafIndex: 3 } }];
    expect(verify([{ ...first, leaves: moved }, ...rest]).findings[0]).toMatchObject({
      kind: 'leaf-changed',
      sealSeq: 1,
      leafIndex: 1,
      eventId: d.leaf.eventId,
    });
    const hashed = moved.map(({ leaf, event }) => ({ leaf: withHash(leaf), event }));
    expect(verify([{ ...first, leaves: hashed }, ...rest]).findings).toMatchObject([{ kind: 'batch-changed' }]);
  });

  it('AUD-1: seals dropped, doubled or changed are found; without a checkpoint a cut at the end is not', () => {
    const trail = sealedTrail([2, 1, 3, 2]);
    const kindsOf = (batches: readonly Batch[], evidence: Partial<ChainEvidence> = {}) =>
      verify(batches, evidence).findings.map(({ kind, sealSeq }) => [kind, sealSeq]);
    const checkpoint = checkpointOf(trail);
    expect(kindsOf(trail.toSpliced(1, 1))).toEqual([['chain-broken', 3]]);
    expect(kindsOf([...trail.slice(0, 2), ...trail.slice(1)])).toEqual([['chain-broken', 2]]);
    const [, foreign] = sealedTrail([2, 1, 3, 2]);
    expect(kindsOf(foreign === undefined ? [] : trail.with(1, foreign))).toEqual([
      ['chain-broken', 2],
      ['chain-broken', 3],
    ]);
    expect(kindsOf(trail.slice(0, 3))).toEqual([]);
    expect(kindsOf(trail.slice(0, 3), { checkpoint })).toEqual([['trail-cut', 4]]);
    expect(kindsOf([], { checkpoint })).toEqual([['trail-cut', 1]]);
    const later = new Date(startMs + 1e9);
    const restamped = trail.map((batch, n) =>
      n === 1 ? { ...batch, seal: { ...batch.seal, sealedAt: later } } : batch,
    );
    expect(kindsOf(restamped)).toEqual([['signature-wrong', 2]]);
  });

  it('AUD-1: a trail written anew by the owner of the key differs from its checkpoint', () => {
    const trail = sealedTrail([2, 2]);
    const checkpoint = checkpointOf(trail);
    const rewritten = sealedTrail([2, 2]);
    expect(verify(rewritten).isIntact).toBe(true);
    const found = verify(rewritten, { checkpoint });
    expect(found.findings.map(({ kind }) => kind)).toEqual(['checkpoint-differs', 'checkpoint-differs']);
  });

  it('AUD-1: an erased event verifies by the digest that is kept; blanked beside its salt it was edited', () => {
    const trail = sealedTrail([3]);
    const [a, b, c] = [rowAt(trail, 0, 0), rowAt(trail, 0, 1), rowAt(trail, 0, 2)];
    const blank = { ...b.event, actorId: null, sourceIp: null, userAgent: null, payload: { _erasure_meta: {} } };
    const erased = { leaf: { ...b.leaf, actorSalt: null, payloadSalt: null }, event: blank };
    const erasedIds = new Set([b.leaf.eventId]);
    const withB = (one: SealedEvent) => [{ ...(trail[0] as Batch), leaves: [a, one, c] }];
    expect(verify(withB(erased), { erasedIds })).toMatchObject({ isIntact: true, erased: 1, events: 3 });
    expect(verify(withB(erased)).findings).toMatchObject([{ kind: 'erasure-unexplained' }]);
    const kindOf = (one: SealedEvent) => verify(withB(one), { erasedIds }).findings.map(({ kind }) => kind);
    expect(kindOf({ ...erased, leaf: b.leaf })).toEqual(['event-edited']);
    expect(kindOf({ ...erased, event: b.event })).toEqual(['event-edited']);
    for (const edit of [{ action: 'other.action' }, { targetId: 'other' }, { actorId: 'other' }, { payload: {} }])
      expect(kindOf({ ...erased, event: { ...blank, ...edit } })).toEqual(['event-edited']);
    const forged = { ...erased.leaf, actorDigest: digestPart(a.event, 'actor', 'ab'.repeat(16)) };
    expect(kindOf({ leaf: forged, event: blank })).toEqual(['leaf-changed']);
    expect(kindOf({ leaf: withHash(forged), event: blank })).toEqual(['batch-changed']);
  });

  it('AUD-1: an event that is gone is pruned only where a prune reaches up to it', () => {
    const trail = sealedTrail([2, 2]);
    const oldest = rowAt(trail, 0, 0);
    const gone = withEvent(trail, 0, 0, null);
    const { occurredAt } = oldest.leaf;
    expect(verify(gone, { prunedUntil: occurredAt })).toMatchObject({ isIntact: true, pruned: 1 });
    const kinds = verify(gone, { prunedUntil: new Date(occurredAt.getTime() - 1) }).findings.map(({ kind }) => kind);
    expect(kinds).toEqual(['event-missing']);
  });
});

describe('seal statement', () => {
  const statement = {
    seq: 1,
    count: 2,
    merkleRoot: 'a'.repeat(64),
    previousRoot: '0'.repeat(64),
    sealedAt: new Date(startMs),
  };
  const only = ({ publicKey }: { publicKey: KeyObject }) => new Map([[keyIdOf(publicKey), publicKey]]);

  it('AUD-1: is signed by the key that it names, and no member of it can change', () => {
    const seal = signSeal(statement, keys.privateKey);
    expect(verifySeal(seal, only(keys))).toBe('signed');
    expect(verifySeal(seal, only(laterKeys))).toBe('key-unknown');
    const others = {
      seq: 2,
      count: 3,
      merkleRoot: 'b'.repeat(64),
      previousRoot: 'b'.repeat(64),
      sealedAt: new Date(0),
    };
    for (const [member, value] of Object.entries(others))
      expect(verifySeal({ ...seal, [member]: value }, only(keys))).toBe('signature-wrong');
    const { signature } = signSeal(statement, laterKeys.privateKey);
    expect(verifySeal({ ...seal, signature }, publicKeys)).toBe('signature-wrong');
  });

  it('AUD-1: survives JSON, and what is no seal is read as none', () => {
    const seal = signSeal(statement, keys.privateKey);
    const json = toSealJson(seal);
    expect(readSealJson(JSON.parse(JSON.stringify(json)))).toEqual(seal);
    for (const member of Object.keys(json)) expect(readSealJson({ ...json, [member]: null })).toBeNull();
    for (const value of [null, [], 'seal', { ...json, seq: 0 }, { ...json, sealed_at: '2026-13-01T00:00:00.000Z' }])
      expect(readSealJson(value)).toBeNull();
  });
});
