import { checkOptions } from '../../foundation/check-options.js';
import { checkArray, checkedElsewhere, optional, withMethods } from '../../foundation/option-checks.js';
import { checkMs } from '../../foundation/store-input.js';
import type { AuditSeal } from '../../stores/audit-seal-store.js';
import type { AuditEvent } from '../../stores/audit-store.js';
import { refuseAbsentFacet } from '../../stores/modules.js';
import type { Stores } from '../../stores/stores.js';
import type { AuditVerification } from './audit-finding.js';
import { findExplainedLoss } from './explained-loss.js';
import { sealAction } from './seal-event.js';
import { readPublicKeys } from './seal-keys.js';
import { type ChainVerifier, createChainVerifier, digestSeal } from './verify-chain.js';

/** What is verified, and by what. */
export interface VerifyAuditTrailOptions<Tx> {
  /** With the module `audit`. */
  stores: Pick<Stores<Tx>, 'audit' | 'auditSeals' | 'now'>;
  /** Ed25519, in PEM or Base64: the current one, and during and after a rotation those before it. */
  publicKeys: readonly string[];
  /**
   * Seals kept outside of the database, of `readCheckpoint` or from a sink. Without it a cut at the
   * end of the trail, and a trail that the key's owner rewrote, show nowhere.
   */
  checkpoint?: AsyncIterable<AuditSeal> | Iterable<AuditSeal> | undefined;
  /** Milliseconds after which an event must be sealed; an older one is a finding. Default: no limit. */
  maxUnsealedMs?: number | undefined;
}

/** Bounds of a page: an event holds up to 64 KiB. */
const pageSize = 500;

async function readDigests(seals: VerifyAuditTrailOptions<never>['checkpoint']): Promise<Map<number, string> | null> {
  if (seals === undefined) return null;
  const digests = new Map<number, string>();
  for await (const seal of seals) digests.set(seal.seq, digestSeal(seal));
  return digests;
}

/** Pages of seals with all their leaves, one seal at a time in memory. */
async function addSeals(stores: Pick<Stores<never>, 'auditSeals'>, verifier: ChainVerifier): Promise<void> {
  let after = 0;
  for (let isMore = true; isMore; ) {
    const seals = await stores.auditSeals.list({ after, limit: pageSize });
    for (const seal of seals) verifier.addSeal(seal, await stores.auditSeals.listLeaves(seal.seq));
    after = seals.at(-1)?.seq ?? after;
    isMore = seals.length === pageSize;
  }
}

async function measureUnsealed(
  { auditSeals, now }: Pick<Stores<never>, 'auditSeals' | 'now'>,
  { report }: ChainVerifier,
  maxMs: number,
): Promise<AuditVerification['unsealed']> {
  const unsealed = { count: 0, oldestMs: 0 };
  const nowMs = (await now()).getTime();
  let after: AuditEvent | undefined;
  for (let isMore = true; isMore; ) {
    const page = await auditSeals.listUnsealed({ after, limit: pageSize });
    for (const { id, action, createdAt } of page) {
      if (action === sealAction) continue;
      const ageMs = nowMs - createdAt.getTime();
      unsealed.count += 1;
      unsealed.oldestMs = Math.max(unsealed.oldestMs, ageMs);
      const place = { sealSeq: null, leafIndex: null, eventId: id };
      if (ageMs > maxMs)
        report({ kind: 'unsealed-late', ...place, message: `No seal holds the event after ${ageMs} ms.` });
    }
    after = page.at(-1);
    isMore = page.length === pageSize;
  }
  return unsealed;
}

/**
 * Verifies the whole trail in the store: every edit, deletion, insertion, swap and cut of sealed rows
 * is found, those at the end against the checkpoint. Reads page by page while others write. Throws
 * `TypeError` for wrong options, `MODULE_ABSENT` for stores without the audit; rejects as the store does.
 */
export async function verifyAuditTrail<Tx>(options: VerifyAuditTrailOptions<Tx>): Promise<AuditVerification> {
  checkOptions<VerifyAuditTrailOptions<Tx>>('verifyAuditTrail', options, {
    stores: withMethods('now'),
    publicKeys: checkArray,
    checkpoint: checkedElsewhere,
    maxUnsealedMs: optional((option, value) => checkMs(option, value)),
  });
  const { stores, maxUnsealedMs = Number.POSITIVE_INFINITY } = options;
  refuseAbsentFacet('verifyAuditTrail: stores.auditSeals', stores.auditSeals);
  const publicKeys = readPublicKeys('verifyAuditTrail: publicKeys', options.publicKeys);
  const checkpoint = await readDigests(options.checkpoint);
  const verifier = createChainVerifier({ publicKeys, checkpoint, ...(await findExplainedLoss(stores.audit)) });
  await addSeals(stores, verifier);
  return verifier.finish(await measureUnsealed(stores, verifier, maxUnsealedMs));
}
