/** A condition: the change of a row is under a legal hold, which beats every age (ruling R24). */
export const isHeldSql = (changelistId: string): string =>
  `EXISTS (SELECT FROM {schema}.change_marks AS mark WHERE mark.changelist_id = ${changelistId} AND mark.is_held)`;

/**
 * Lets one transaction at a time decide about these changes: about their versions, and whether they
 * are being purged. Sorted, so that two batches cannot deadlock.
 */
export const lockChangesSql = `SELECT pg_advisory_xact_lock(k) FROM (
    SELECT DISTINCT hashtextextended('{schema}/' || change, 0) AS k FROM unnest($1::text[]) AS change ORDER BY k) AS locks`;
