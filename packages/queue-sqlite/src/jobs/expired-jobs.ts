import { isHeldSql } from '../shared/change-marks.js';

/**
 * A condition on `work_queue AS job` with one parameter, an instant: it ended before. A failed job with
 * an open letter stays (ruling R18), and so does one of a held change (ruling R24).
 */
export const isExpiredJob = `job.finished_at IS NOT NULL AND job.finished_at < ? AND NOT ${isHeldSql('job.changelist_id')}
  AND (job.status = 'completed' OR (job.status = 'failed'
    AND NOT EXISTS (SELECT 1 FROM dead_letters WHERE job_id = job.id AND status IN ('open', 'triaged'))))`;
