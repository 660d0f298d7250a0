import { CriticizerError } from '@criticizer/core/ports';
import type { PgSession } from '../shared/pg-session.js';

/**
 * Artifacts from `pending` to `live`, those of one job only when `jobId` is given. One that a
 * sweeper has claimed is doomed: its bytes may be gone already, so publishing it, or one that is
 * not there, throws `ARTIFACT_NOT_PENDING` and undoes the caller's settlement.
 */
export async function publishArtifacts(
  session: PgSession,
  ids: readonly string[],
  jobId: string | null,
): Promise<void> {
  if (ids.length === 0) return;
  const rows = await session.all<{ id: string }>(
    `UPDATE {schema}.artifact_manifest SET status = 'live'
      WHERE id = ANY($1) AND status IN ('pending', 'live') AND sweep_token IS NULL AND ($2::text IS NULL OR job_id = $2) RETURNING id`,
    ids,
    jobId,
  );
  const published = new Set(rows.map((row) => row.id));
  const gone = ids.find((id) => !published.has(id));
  if (gone === undefined) return;
  throw new CriticizerError(
    'ARTIFACT_NOT_PENDING',
    'An artifact to publish is not pending: swept, unknown, or of another job.',
    {
      category: 'conflict',
      details: { artifactId: gone },
    },
  );
}
