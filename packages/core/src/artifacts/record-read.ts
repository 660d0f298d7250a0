import type { AdminActionName } from '../audit/admin-actions.js';
import type { AuditTrail } from '../audit/audit-trail.js';
import { type Actor, isPipeline } from '../foundation/actor.js';
import { CriticizerError } from '../foundation/errors.js';
import type { ArtifactRow } from '../stores/artifact-manifest.js';
import { attribute, metric } from '../telemetry/names.js';
import type { Telemetry } from '../telemetry/telemetry.js';

/** One read of an artifact, before its contents are given out. */
export interface ArtifactRead {
  actor: Actor;
  /** Why, in the reader's words; the event holds it. */
  reason: string | undefined;
  row: ArtifactRow;
  outcome: 'allowed' | 'denied' | 'expired';
}

/** Where reads are recorded and counted. */
export interface ReadRecorderOptions {
  audit: Pick<AuditTrail<unknown>, 'record'> | undefined;
  telemetry: Telemetry | undefined;
}

function unrecorded(artifactId: string): CriticizerError {
  return new CriticizerError('AUDIT_NOT_STORED', 'The read of a raw artifact was not recorded, so it is refused.', {
    category: 'conflict',
    details: { artifactId },
  });
}

/**
 * Makes the function that records one read and counts it (ART-4, ruling R12). The pipeline's own reads
 * are counted only. A raw artifact fails closed: unless the event of an allowed read is stored, the
 * call rejects with `AUDIT_NOT_STORED`. Everything else degrades: the platform log then has the
 * event's fingerprint.
 */
export function createReadRecorder({ audit, telemetry }: ReadRecorderOptions): (read: ArtifactRead) => Promise<void> {
  return async ({ actor, reason, row, outcome }) => {
    const { id, namespace, purpose, changelistId, jobId } = row;
    const own = isPipeline(actor);
    const labels = { [attribute.namespace]: namespace, [attribute.reader]: own ? 'pipeline' : 'other' };
    telemetry?.count(metric.artifactReads, 1, { ...labels, [attribute.outcome]: outcome });
    if (own || audit === undefined) return;
    const mustBeStored = namespace === 'raw' && outcome === 'allowed';
    const action: AdminActionName = namespace === 'raw' ? 'artifact.read_raw' : 'artifact.read_redacted';
    const recorded = await audit.record(
      {
        ...{ actorType: actor.type, actorId: actor.id, action },
        ...{ targetType: 'artifact', targetId: id },
        resultStatus: outcome === 'allowed' ? 'success' : 'failure',
        payload: { outcome, purpose, changelistId, jobId, ...(reason === undefined ? {} : { reason }) },
      },
      { onFailure: mustBeStored ? 'throw' : 'degrade' },
    );
    if (recorded.outcome === 'degraded') recorded.logFallback();
    if (mustBeStored && recorded.outcome !== 'recorded') throw unrecorded(id);
  };
}
