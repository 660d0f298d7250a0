import { instantColumns } from '../shared/instants.js';

const instants = [
  'run_at',
  'created_at',
  'updated_at',
  'started_at',
  'finished_at',
  'lease_expires_at',
  'first_failure_at',
  'last_failure_at',
];

/** What to select for a `JobRow` from `work_queue` under the alias `w`. */
export const jobColumns = `w.id::text AS id, w.kind, w.payload::text AS payload, w.status, w.stage, w.priority, w.idempotency_key,
  w.changelist_id, w.review_version, w.claimed_by, w.claim_token, w.attempts::text AS attempts, w.lost_leases, w.outputs::text AS outputs,
  w.transition_no, ${instantColumns('w', instants)}, w.last_failure::text AS last_failure, w.waiting_for, w.cancel_reason, w.result::text AS result, w.replay_of::text AS replay_of, w.replay_of_class, w.traceparent`;
