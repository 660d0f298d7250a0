import { isHeldSql } from '../shared/change-marks.js';
import { span } from '../shared/instants.js';

/**
 * A condition on `work_queue AS w` with the parameter `$1`, milliseconds: it ended longer ago. A failed
 * job with an open letter stays (ruling R18), and so does one of a held change (ruling R24).
 * OFFSET 0 has PostgreSQL look up the letters of each failed job: else it may read every open letter
 * of the store first, for each page.
 */
export const isExpiredJob = `w.finished_at IS NOT NULL AND w.finished_at < {now} - ${span('$1::float8')} AND NOT ${isHeldSql('w.changelist_id')}
  AND (w.status = 'completed' OR (w.status = 'failed'
    AND NOT EXISTS (SELECT 1 FROM {schema}.dead_letters AS d WHERE d.job_id = w.id AND d.status IN ('open', 'triaged') OFFSET 0)))`;
