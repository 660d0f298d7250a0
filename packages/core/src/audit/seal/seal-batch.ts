import type { KeyObject } from 'node:crypto';
import type { Random } from '../../foundation/time/random.js';
import type { AuditSeal, AuditSealLeaf } from '../../stores/audit-seal-store.js';
import type { AuditEvent } from '../../stores/audit-store.js';
import { computeMerkleRoot } from './merkle-tree.js';
import { createLeaf, SALT_BYTES } from './seal-leaf.js';
import { NO_ROOT, signSeal } from './seal-statement.js';

/**
 * Seals events in the given order as the batch after `head`, null for the first. Throws `RangeError`
 * for no event.
 */
export function sealBatch(
  events: readonly AuditEvent[],
  {
    head,
    sealedAt,
    privateKey,
    random,
  }: { head: AuditSeal | null; sealedAt: Date; privateKey: KeyObject; random: Pick<Random, 'bytes'> },
): { seal: AuditSeal; leaves: readonly AuditSealLeaf[] } {
  const drawSalt = (): string => Buffer.from(random.bytes(SALT_BYTES)).toString('hex');
  const sealSeq = (head?.seq ?? 0) + 1;
  const leaves = events.map((event, leafIndex) => createLeaf(event, { sealSeq, leafIndex }, drawSalt));
  const merkleRoot = computeMerkleRoot(leaves.map(({ leafHash }) => Buffer.from(leafHash, 'hex'))).toString('hex');
  const previousRoot = head?.merkleRoot ?? NO_ROOT;
  return {
    seal: signSeal({ seq: sealSeq, count: leaves.length, merkleRoot, previousRoot, sealedAt }, privateKey),
    leaves,
  };
}
