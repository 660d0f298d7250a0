import { isHeldSql } from '../shared/change-marks.js';

/**
 * A condition on `work_queue AS job` with one parameter, an instant: it ended before. One with a letter
 * that is not closed stays (ruling R18), and so does one of a held change (ruling R24). A completed job
 * has such a letter only where it was a replay; most were none, and cost no look-up.
 */
export const isExpiredJob = `job.finished_at IS NOT NULL AND job.finished_at < ? AND NOT ${isHeldSql('job.changelist_id')}
  AND ((job.status = 'completed' AND job.replay_of IS NULL)
    OR NOT EXISTS (SELECT 1 FROM dead_letters WHERE job_id = job.id AND status IN ('open', 'triaged', 'replaying')))`;
