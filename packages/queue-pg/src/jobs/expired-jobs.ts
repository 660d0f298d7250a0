import { isHeldSql } from '../shared/change-marks.js';
import { span } from '../shared/instants.js';

/**
 * A condition on `work_queue AS w` with the parameter `$1`, milliseconds: it ended longer ago. One
 * with a letter that is not closed stays (ruling R18), and so does one of a held change (ruling R24). A
 * completed job has such a letter only where it was a replay; most were none, and cost no look-up.
 * OFFSET 0 has PostgreSQL look up the letters of each other job: else it may read every open letter
 * of the store first, for each page.
 */
export const isExpiredJob = `w.finished_at IS NOT NULL AND w.finished_at < {now} - ${span('$1::float8')} AND NOT ${isHeldSql('w.changelist_id')}
  AND ((w.status = 'completed' AND w.replay_of IS NULL)
    OR NOT EXISTS (SELECT 1 FROM {schema}.dead_letters AS d
      WHERE d.job_id = w.id AND d.status IN ('open', 'triaged', 'replaying') OFFSET 0))`;
