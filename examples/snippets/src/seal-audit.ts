// The audit trail sealed and verified: compiled, and shown by docs/how-to/seal-the-audit-trail.md.
// #region seal
import { createFileSecrets } from '@criticizer/core';
import { type AuditSealer, createAuditSealer } from '@criticizer/core/audit-delivery';
import type { Stores } from '@criticizer/core/ports';

/** A sealer over the stores; `start()` begins, `stop()` ends. `siem` is one of the trail's destinations. */
export function openSealer<Tx>(stores: Stores<Tx>, secretsDirectory: string, checkpointFile: string): AuditSealer {
  return createAuditSealer({
    stores,
    key: { source: createFileSecrets({ directory: secretsDirectory }), name: 'AUDIT_SEAL_KEY' },
    destinations: ['siem'],
    checkpointFile,
  });
}

// #endregion

// #region verify
import { type AuditVerification, readCheckpoint, verifyAuditTrail } from '@criticizer/core/audit-delivery';

/** Verifies every sealed event against public keys in PEM and a checkpoint that lies elsewhere. */
export function verifyTrail<Tx>(
  stores: Stores<Tx>,
  publicKeys: readonly string[],
  checkpointFile: string,
): Promise<AuditVerification> {
  return verifyAuditTrail({ stores, publicKeys, checkpoint: readCheckpoint(checkpointFile), maxUnsealedMs: 600_000 });
}
// #endregion
