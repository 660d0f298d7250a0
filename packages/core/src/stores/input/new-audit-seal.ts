import { checkDate, checkHex, checkText, checkWhole } from '../../foundation/store-input.js';
import type { AuditSeal, AuditSealLeaf } from '../audit-seal-store.js';

/** Events of one claim, and leaves of one seal. */
export const maxSealLeaves = 10_000;

function checkRoots(seal: AuditSeal): void {
  checkHex('seal.merkleRoot', seal.merkleRoot, 64);
  checkHex('seal.previousRoot', seal.previousRoot, 64);
  checkHex('seal.keyId', seal.keyId, 16);
  checkText('seal.signature', seal.signature, 128);
}

const salts = ['actorSalt', 'targetSalt', 'payloadSalt'] as const;
const digests = ['actorDigest', 'targetDigest', 'payloadDigest', 'clearDigest', 'leafHash'] as const;

function checkLeaf(at: string, leaf: AuditSealLeaf): void {
  checkText(`${at}.eventId`, leaf.eventId);
  checkDate(`${at}.occurredAt`, leaf.occurredAt);
  for (const salt of salts) checkHex(`${at}.${salt}`, leaf[salt], 32);
  for (const digest of digests) checkHex(`${at}.${digest}`, leaf[digest], 64);
}

/** What every store checks before it adds a seal. Throws `TypeError` naming the option. */
export function checkNewSeal(seal: AuditSeal, leaves: readonly AuditSealLeaf[]): void {
  checkWhole('seal.seq', seal.seq, 1);
  checkWhole('seal.count', seal.count, 1, maxSealLeaves);
  checkDate('seal.sealedAt', seal.sealedAt);
  checkRoots(seal);
  if (leaves.length !== seal.count) throw new TypeError(`leaves: expected as many as the seal counts, ${seal.count}`);
  for (const [at, leaf] of leaves.entries()) {
    if (leaf.sealSeq !== seal.seq || leaf.leafIndex !== at)
      throw new TypeError(`leaves[${at}]: expected the seal's number and its own place`);
    checkLeaf(`leaves[${at}]`, leaf);
  }
}

/** What every store checks before it claims. Throws `TypeError` naming the option. */
export function checkSealClaim(request: { limit: number; since: Date | null }): void {
  checkWhole('request.limit', request.limit, 1, maxSealLeaves);
  if (request.since !== null) checkDate('request.since', request.since);
}
