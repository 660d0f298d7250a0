import { createHash, type KeyObject } from 'node:crypto';
import { canonicalJson } from '../../foundation/canonical-json.js';
import type { AuditSeal, SealedEvent } from '../../stores/audit-seal-store.js';
import type { AuditFinding, AuditFindingKind, AuditVerification } from './audit-finding.js';
import { computeMerkleRoot } from './merkle-tree.js';
import { NO_ROOT, toSealJson, verifySeal } from './seal-statement.js';
import { type ExplainedLoss, verifyLeaf } from './verify-leaf.js';

/** Findings that a verification keeps; the rest is counted. */
const MAX_FINDINGS = 100;

/** What a verification is given besides the trail. */
export interface ChainEvidence extends ExplainedLoss {
  /** By key id. */
  publicKeys: ReadonlyMap<string, KeyObject>;
  /** Digest of each seal of the checkpoint by its number, of `digestSeal`; null: no checkpoint. */
  checkpoint: ReadonlyMap<number, string> | null;
}

/** Digest of a whole seal, signature included: what a checkpoint is compared by. */
export function digestSeal(seal: AuditSeal): string {
  return createHash('sha256')
    .update(canonicalJson(toSealJson(seal)))
    .digest('hex');
}

function lastOf(checkpoint: ReadonlyMap<number, string>): number {
  let last = 0;
  for (const seq of checkpoint.keys()) if (seq > last) last = seq;
  return last;
}

/** Takes a trail seal by seal and says what is wrong with it. Holds one batch at a time. */
export interface ChainVerifier {
  /** The next seal and its leaves, both in the order of their numbers. */
  addSeal(seal: AuditSeal, leaves: readonly SealedEvent[]): void;
  report(finding: AuditFinding): void;
  /** After the last seal. */
  finish(unsealed: AuditVerification['unsealed']): AuditVerification;
}

const messages: Readonly<Partial<Record<AuditFindingKind, string>>> = {
  'signature-wrong': 'The signature of the seal is not by the key that it names.',
  'key-unknown': 'The seal names a key that was not given.',
  'leaf-changed': 'The leaf was changed, or stands at the place of another.',
  'event-edited': 'The event is not what was sealed.',
  'event-missing': 'The event is gone, and no prune explains it.',
  'erasure-unexplained': 'The event is blank, or its salts are gone, and no erasure in the trail names it.',
};

// long: the checks of one trail, each short, over the same counts
/** A verifier at the start of a trail. */
export function createChainVerifier({ publicKeys, checkpoint, ...explained }: ChainEvidence): ChainVerifier {
  const findings: AuditFinding[] = [];
  const counts = { seals: 0, events: 0, erased: 0, pruned: 0 };
  let findingCount = 0;
  let last: Pick<AuditSeal, 'seq' | 'merkleRoot'> = { seq: 0, merkleRoot: NO_ROOT };

  function report(finding: AuditFinding): void {
    findingCount += 1;
    if (findings.length < MAX_FINDINGS) findings.push(finding);
  }

  function reportSeal(kind: AuditFindingKind, { seq }: AuditSeal, message = messages[kind] ?? ''): void {
    report({ kind, sealSeq: seq, leafIndex: null, eventId: null, message });
  }

  function checkChain(seal: AuditSeal): void {
    if (seal.seq !== last.seq + 1)
      reportSeal('chain-broken', seal, `Seal ${seal.seq} follows seal ${last.seq}: one is missing or there twice.`);
    else if (seal.previousRoot !== last.merkleRoot)
      reportSeal('chain-broken', seal, 'The seal does not name the root of the seal before.');
    const signed = verifySeal(seal, publicKeys);
    if (signed !== 'signed') reportSeal(signed, seal);
    const kept = checkpoint?.get(seal.seq);
    if (kept !== undefined && kept !== digestSeal(seal))
      reportSeal('checkpoint-differs', seal, 'The checkpoint holds another seal of this number.');
    last = seal;
  }

  /** Leaves must stand at 0, 1, 2, … and give the signed root: with it every hash in the batch is proven. */
  function checkBatch(seal: AuditSeal, leaves: readonly SealedEvent[]): void {
    const found = leaves.findIndex(({ leaf }, at) => leaf.leafIndex !== at);
    const firstWrong = found === -1 ? Math.min(leaves.length, seal.count) : found;
    if (leaves.length !== seal.count || firstWrong < seal.count) {
      const message = `The seal holds ${seal.count} leaves; ${leaves.length} were found, in order up to ${firstWrong}.`;
      report({ kind: 'batch-changed', sealSeq: seal.seq, leafIndex: firstWrong, eventId: null, message });
      return;
    }
    const root = computeMerkleRoot(leaves.map(({ leaf }) => Buffer.from(leaf.leafHash, 'hex'))).toString('hex');
    if (root !== seal.merkleRoot) reportSeal('batch-changed', seal, 'The leaves do not give the signed root.');
  }

  function checkLeaf(sealed: SealedEvent): void {
    counts.events += 1;
    const state = verifyLeaf(sealed, explained);
    if (state === 'whole') return;
    if (state === 'erased' || state === 'pruned') {
      counts[state] += 1;
      return;
    }
    const { sealSeq, leafIndex, eventId } = sealed.leaf;
    report({ kind: state, sealSeq, leafIndex, eventId, message: messages[state] ?? '' });
  }

  function checkEnd(checkpointSeq: number | null): void {
    if (checkpointSeq === null || checkpointSeq <= last.seq) return;
    const message = `The trail ends at seal ${last.seq}; the checkpoint knows seal ${checkpointSeq}.`;
    report({ kind: 'trail-cut', sealSeq: last.seq + 1, leafIndex: null, eventId: null, message });
  }

  return {
    report,
    addSeal(seal, leaves) {
      counts.seals += 1;
      checkChain(seal);
      for (const sealed of leaves) checkLeaf(sealed);
      checkBatch(seal, leaves);
    },
    finish(unsealed) {
      const checkpointSeq = checkpoint && lastOf(checkpoint);
      checkEnd(checkpointSeq);
      return { isIntact: findingCount === 0, ...counts, unsealed, checkpointSeq, findings, findingCount };
    },
  };
}
