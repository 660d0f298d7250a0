import { CriticizerError } from '@criticizer/core/ports';
import type { SqliteSession } from '../shared/sqlite-session.js';

/**
 * Artifacts from `pending` to `live`, those of one job only when `jobId` is given. One that a
 * sweeper has claimed is doomed: its bytes may be gone already, so publishing it, or one that is
 * not there, throws `ARTIFACT_NOT_PENDING` and undoes the caller's settlement.
 */
export function publishArtifacts(session: SqliteSession, ids: readonly string[], jobId: string | null): void {
  for (const id of ids) {
    const published = session.run(
      `UPDATE artifact_manifest SET status = 'live'
        WHERE id = ? AND status IN ('pending', 'live') AND sweep_token IS NULL AND (? IS NULL OR job_id = ?)`,
      id,
      jobId,
      jobId,
    );
    if (published === 0) {
      throw new CriticizerError(
        'ARTIFACT_NOT_PENDING',
        'An artifact to publish is not pending: swept, unknown, or of another job.',
        {
          category: 'conflict',
          details: { artifactId: id },
        },
      );
    }
  }
}
