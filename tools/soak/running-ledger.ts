// Records how many jobs run under unexpired leases at every change of the queue, from inside the
// database, so that nothing falls between two looks.
//
// Why the recorded maximum is exact. Running rows with unexpired leases become more in two ways
// only: a claim commits, or the heartbeat of a lease that had expired and that nobody had taken
// commits. Either is a statement whose trigger below takes an exclusive lock that it holds until
// after its commit. So while such a statement counts, no other increase can be uncommitted or
// commit before it does; the count is a statement of its own, hence under READ COMMITTED a fresh
// snapshot, which sees every increase committed before and the trigger's own. Decreases that are
// not committed yet still count, as they must: until its commit a settlement has not ended
// anything. Therefore the number at the instant of each increase's commit is at most what was
// recorded for it, and between increases it can only fall: no instant has more than the recorded
// maximum. And the recorded number is never more than the truth just before a decrease that was
// still to commit.
//
// Why the lock hides no fault. It is taken after the statement that chose the rows, when the
// limit's count has been made; a claim that counted without the limit's lock has then decided
// already, on a stale count, and will add its rows as soon as it gets this one.
//
// Other changes (settlements, sweeps) are recorded without the lock: what they see is a state the database was in.

export const runningLedger = (schema: string): string => `
CREATE SCHEMA soak_limit;
CREATE TABLE soak_limit.counts (seq bigserial PRIMARY KEY, running int NOT NULL, added int NOT NULL);
CREATE FUNCTION soak_limit.record() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE grown int;
BEGIN
  SELECT count(*) INTO grown FROM new_rows n JOIN old_rows o ON o.id = n.id
    WHERE n.status = 'running' AND (o.status <> 'running' OR (o.lease_expires_at <= clock_timestamp() AND n.lease_expires_at > o.lease_expires_at));
  IF grown > 0 THEN PERFORM pg_advisory_xact_lock(20261122); END IF;
  INSERT INTO soak_limit.counts (running, added)
    SELECT count(*), grown FROM ${schema}.work_queue WHERE status = 'running' AND lease_expires_at > clock_timestamp();
  RETURN NULL;
END $$;
CREATE TRIGGER soak_limit AFTER UPDATE ON ${schema}.work_queue REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION soak_limit.record();
`;

export interface RunningCounts {
  /** The most that ever ran at one instant. */
  most: number;
  /** Changes recorded, and those of them that added running jobs. */
  changes: number;
  increases: number;
  /** Increases after which as many ran as may. */
  atLimit: number;
}

/** With the limit as `$1`. */
export const readCounts = `SELECT coalesce(max(running), 0) AS most, count(*)::int AS changes, (count(*) FILTER (WHERE added > 0))::int AS increases,
  (count(*) FILTER (WHERE added > 0 AND running = $1))::int AS "atLimit" FROM soak_limit.counts`;
