import { reopenLetterSql } from '../../shared/reopen-letter.js';

// The claim is a function so that it is one round trip, under a global limit too: each of its
// statements sees what the one before waited for. And all of these are functions so that their
// plans are the same whatever the statistics say, or do not say yet: in the order of the index, row
// by row in the order of the ids given, no sort, no scan of the table or of all that runs.
const planned = `LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET jit = off SET plan_cache_mode = force_generic_plan`;

// As a CASE, which no index serves: the index of what runs would be read whole, and with it every
// entry that an old snapshot keeps there.
const isRunning = `CASE w.status WHEN 'running' THEN true END`;

const ms = (column: string): string => `round(date_part('epoch', ${column}) * 1000)`;

/**
 * Bytes of payloads in one such text, about: what is claimed together may be more than a driver can
 * hold as one string.
 */
const mostBytes = 8 * 1024 * 1024;

/** Attempts with one more of the row's stage. */
const counted = (row: string): string =>
  `${row}.attempts || jsonb_build_object(${row}.stage, coalesce((${row}.attempts ->> ${row}.stage)::int, 0) + 1)`;

/**
 * As the claim leaves it, of a row `c` before it: what is not known of every job on its first move
 * that was due when it came; null for those.
 */
const more = `CASE WHEN c.transition_no <> 1 OR c.run_at <> c.created_at OR c.updated_at > at OR c.changelist_id IS NOT NULL
                OR c.traceparent IS NOT NULL THEN json_build_object(
                'runAt', ${ms('c.run_at')}, 'updatedAt', ${ms('greatest(c.updated_at, at)')}, 'attempts', ${counted('c')},
                'lostLeases', c.lost_leases, 'outputs', c.outputs, 'transitionNo', c.transition_no + 1,
                'changelistId', c.changelist_id, 'reviewVersion', c.review_version,
                'firstFailureAt', ${ms('c.first_failure_at')}, 'lastFailureAt', ${ms('c.last_failure_at')}, 'lastFailure', c.last_failure,
                'replayOf', c.replay_of, 'replayOfClass', c.replay_of_class, 'traceparent', c.traceparent) END`;

/**
 * Jobs of one claim as one JSON text, a list for each column: a driver reads it at a third of the
 * cost of so many rows.
 */
const asLists = `json_build_object('id', json_agg(id), 'kind', json_agg(kind), 'payload', json_agg(payload), 'stage', json_agg(stage),
            'priority', json_agg(priority), 'createdAt', json_agg(${ms('created_at')}), 'idempotencyKey', json_agg(idempotency_key),
            'more', json_agg(more))::text`;

// A row's content is read as it is locked, so the statement that changes it gives nothing back and
// finds its rows by place in the order of the pages. Most rows of a claim have no attempts yet and
// are at the same stage: theirs are made once.
const take = (where: string): string => `
      LOOP
        SELECT count(*), array_agg(place), sum(size), min(stage), ${asLists}
          INTO taken_now, places, bytes, one_stage, jobs
          FROM (SELECT *, sum(size) OVER (ROWS UNBOUNDED PRECEDING) - size AS before FROM (
            SELECT c.ctid AS place, octet_length(c.payload::text) AS size, c.id, c.kind, c.payload, c.stage, c.priority, c.created_at,
              c.idempotency_key, ${more} AS more
            FROM {schema}.work_queue AS c WHERE c.ready AND c.kind = ANY (wanted_kinds) AND ${where}
            ORDER BY c.priority DESC, c.created_at, c.id LIMIT room FOR UPDATE SKIP LOCKED) AS locked) AS candidate WHERE before < ${mostBytes};
        EXIT WHEN taken_now = 0;
        first_attempt := jsonb_build_object(one_stage, 1);
        UPDATE {schema}.work_queue AS w SET status = 'running', ready = false, claimed_by = new_owner, claim_token = new_token,
            lease_expires_at = expires_at, started_at = at, waiting_for = NULL,
            transition_no = w.transition_no + 1, updated_at = greatest(w.updated_at, at),
            attempts = CASE WHEN w.attempts = '{}' AND w.stage = one_stage THEN first_attempt ELSE ${counted('w')} END
          WHERE w.ctid = ANY (places);
        RETURN NEXT;
        room := room - taken_now;
        taken_all := taken_all + taken_now;
        EXIT WHEN room <= 0 OR bytes < ${mostBytes};
      END LOOP;`;

const between = 'c.priority <= highest AND c.priority > marked';

/**
 * - `requeue_expired`: expired leases back to `queued`, counted (WQ-8), and on to `failed` where a cancel
 *   was asked for (ruling R24). SKIP LOCKED: a row that its
 *   owner is renewing or settling is not expired to us.
 * - `promote_due`: up to 1,000 scheduled rows that are due into the ready index, oldest first; gives
 *   whether there were any.
 * - `claim_jobs`: takes due rows in the order of `work_queue_ready` (WQ-2, WQ-3, WQ-4, WQ-10). One
 *   statement locks and reads them, a second writes them, which leaves less to do for each row than
 *   one for both. Expired leases are looked for where `swept_at`, the last look, is half a second
 *   old, under a limit, and before nothing is given. Marks are where the last claim stopped in each
 *   priority, highest first: the scan of a priority begins there, behind the entries of rows that
 *   are gone but that an old snapshot keeps in the index. It gives one row for each text of jobs;
 *   without any, one with null `jobs`. Under a limit and another isolation than READ COMMITTED it
 *   takes nothing: `limited`, not `swept`. Its JSON holds instants as numbers, which keep their
 *   digits whatever a role says of floats.
 * - `renew_leases`, `complete_jobs`, `delete_jobs`: of the ids, owners and tokens given those that
 *   still fit (INV-3); they give the ids that did. Given sorted, the ids are locked in the one order
 *   of all verbs, so that two calls cannot deadlock.
 * - `delete_runs`: as `delete_jobs`, for ids of which many neighbours are of one claim: `ends` are
 *   where each such run ends, `owners` and `tokens` have one of each a run. The ids of a run are
 *   found in one walk of the index.
 */
export const claimFunctions = `
CREATE FUNCTION {schema}.requeue_expired(at timestamptz, most integer)
RETURNS TABLE (id uuid, kind text, lost_leases integer) ${planned} AS $$
BEGIN
  RETURN QUERY WITH expired AS (
      SELECT e.id FROM {schema}.work_queue AS e WHERE e.status = 'running' AND e.lease_expires_at <= at
      ORDER BY e.id LIMIT most FOR UPDATE SKIP LOCKED),
    swept AS (UPDATE {schema}.work_queue AS w SET status = CASE WHEN w.cancel_reason IS NULL THEN 'queued' ELSE 'failed' END,
      ready = w.cancel_reason IS NULL, claimed_by = NULL, claim_token = NULL, lease_expires_at = NULL, lost_leases = w.lost_leases + 1,
      transition_no = w.transition_no + CASE WHEN w.cancel_reason IS NULL THEN 1 ELSE 2 END, updated_at = greatest(w.updated_at, at),
      finished_at = CASE WHEN w.cancel_reason IS NULL THEN w.finished_at ELSE at END, cancel_reason = NULL,
      result = CASE WHEN w.cancel_reason IS NULL THEN w.result ELSE json_build_object('cancelled', true, 'reason', w.cancel_reason) END
    FROM expired WHERE w.id = expired.id RETURNING w.id, w.kind, w.lost_leases, w.status, w.replay_of, w.result),
    reopened AS (UPDATE {schema}.dead_letters AS d SET ${reopenLetterSql("(s.result ->> 'reason')", 'at')}
      FROM swept AS s WHERE s.status = 'failed' AND d.id = s.replay_of AND d.status = 'replaying')
    SELECT s.id, s.kind, s.lost_leases FROM swept AS s;
END $$;

CREATE FUNCTION {schema}.promote_due(at timestamptz) RETURNS boolean ${planned} AS $$
BEGIN
  WITH due AS (
      SELECT d.id FROM {schema}.work_queue AS d WHERE d.status = 'queued' AND NOT d.ready AND d.run_at <= at
      ORDER BY d.run_at LIMIT 1000 FOR UPDATE SKIP LOCKED)
    UPDATE {schema}.work_queue AS w SET ready = true FROM due WHERE w.id = due.id;
  RETURN FOUND;
END $$;

CREATE FUNCTION {schema}.claim_jobs(at timestamptz, wanted_kinds text[], most integer, new_owner text, new_token text,
  lease_ms double precision, swept_at timestamptz, marked_priorities integer[], marked_instants timestamptz[])
RETURNS TABLE (now_at timestamptz, expires_at timestamptz, swept boolean, limited boolean, jobs text) ${planned} SET extra_float_digits = 0 AS $$
DECLARE
  bound integer;
  is_expired boolean;
  is_due boolean;
  is_ready boolean := true;
  is_changed boolean := false;
  room integer := most;
  requeued integer;
  places tid[];
  one_stage text;
  first_attempt jsonb;
  taken_now integer := 0;
  bytes bigint;
  taken_all integer := 0;
  marks integer := cardinality(marked_priorities);
  highest bigint := 2147483647;
  marked integer;
BEGIN
  now_at := at;
  expires_at := at + lease_ms * interval '1 millisecond';
  -- The limit's row stays locked to the end of the transaction, so that claims of all processes count one after the other; without a limit
  -- there is no row and no lock.
  SELECT l.value INTO bound FROM {schema}.queue_limits AS l WHERE l.name = 'running' FOR UPDATE;
  limited := FOUND;
  swept := limited OR swept_at IS NULL OR at - swept_at >= interval '500 milliseconds';
  IF limited AND current_setting('transaction_isolation') <> 'read committed' THEN
    swept := false;
    RETURN NEXT;
    RETURN;
  END IF;
  IF limited THEN
    -- Sees what the holder of the lock before us committed. Expired rows that the sweep has to skip count.
    SELECT least(most, bound - count(*)), coalesce(bool_or(r.lease_expires_at <= at), false),
        EXISTS (SELECT FROM {schema}.work_queue AS d WHERE d.status = 'queued' AND NOT d.ready AND d.run_at <= at)
      INTO room, is_expired, is_due FROM {schema}.work_queue AS r WHERE r.status = 'running';
  ELSE
    is_expired := swept;
    SELECT EXISTS (SELECT FROM {schema}.work_queue AS d WHERE d.status = 'queued' AND NOT d.ready AND d.run_at <= at),
        marks > 0 OR EXISTS (SELECT FROM {schema}.work_queue AS c WHERE c.ready AND c.kind = ANY (wanted_kinds))
      INTO is_due, is_ready;
  END IF;
  IF is_expired THEN
    PERFORM FROM {schema}.requeue_expired(at, NULL);
    GET DIAGNOSTICS requeued = ROW_COUNT;
    is_changed := requeued > 0;
    IF limited THEN
      room := least(most, room + requeued);
    END IF;
  END IF;
  IF is_due THEN
    is_changed := {schema}.promote_due(at) OR is_changed;
  END IF;
  LOOP
    IF marks > 0 AND NOT is_changed THEN
      FOR n IN 1..marks LOOP
        EXIT WHEN room <= 0;
        marked := marked_priorities[n];
        -- Mostly nothing is between two marks, and a look costs less than a statement that takes.
        IF EXISTS (SELECT FROM {schema}.work_queue AS c
            WHERE c.ready AND c.kind = ANY (wanted_kinds) AND ${between}) THEN${take(between)}
        END IF;
        EXIT WHEN room <= 0;${take('c.priority = marked AND c.created_at >= marked_instants[n]')}
        highest := marked::bigint - 1;
      END LOOP;
    END IF;
    IF room > 0 AND (is_ready OR is_changed) THEN${take('true')}
    END IF;
    EXIT WHEN taken_all > 0 OR swept;
    -- Before nothing is given, what has just expired is looked for.
    swept := true;
    PERFORM FROM {schema}.requeue_expired(at, NULL);
    is_changed := FOUND;
    EXIT WHEN NOT is_changed;
  END LOOP;
  IF taken_all = 0 THEN
    jobs := NULL;
    RETURN NEXT;
  END IF;
END $$;

CREATE FUNCTION {schema}.renew_leases(at timestamptz, ids uuid[], owners text[], tokens text[], lease_ms double precision)
RETURNS TABLE (id uuid, owner text, token text, is_cancelled boolean) ${planned} AS $$
BEGIN
  RETURN QUERY UPDATE {schema}.work_queue AS w SET lease_expires_at = at + lease_ms * interval '1 millisecond',
      updated_at = greatest(w.updated_at, at)
    FROM unnest(ids, owners, tokens) AS x(id, owner, token)
    WHERE w.id = x.id AND w.claimed_by = x.owner AND w.claim_token = x.token AND ${isRunning} RETURNING w.id, w.claimed_by, w.claim_token, w.cancel_reason IS NOT NULL;
END $$;

-- Not a job that replays a dead letter: its settlement moves the letter, too.
CREATE FUNCTION {schema}.complete_jobs(at timestamptz, ids uuid[], owners text[], tokens text[], results text[], settlement uuid)
RETURNS SETOF uuid ${planned} AS $$
BEGIN
  RETURN QUERY UPDATE {schema}.work_queue AS w SET status = 'completed', finished_at = at, result = x.result::json, claimed_by = NULL,
      claim_token = NULL, lease_expires_at = NULL, lost_leases = 0, first_failure_at = NULL, last_failure_at = NULL, last_failure = NULL, cancel_reason = NULL,
      last_settlement = settlement, transition_no = w.transition_no + 1, updated_at = greatest(w.updated_at, at)
    FROM unnest(ids, owners, tokens, results) AS x(id, owner, token, result)
    WHERE w.id = x.id AND w.claimed_by = x.owner AND w.claim_token = x.token AND ${isRunning} AND w.replay_of IS NULL
    RETURNING w.id;
END $$;

-- A job that replays a dead letter is kept for whoever closes it.
CREATE FUNCTION {schema}.delete_jobs(ids uuid[], owners text[], tokens text[]) RETURNS SETOF uuid ${planned} AS $$
BEGIN
  RETURN QUERY DELETE FROM {schema}.work_queue AS w USING unnest(ids, owners, tokens) AS x(id, owner, token)
    WHERE w.id = x.id AND w.claimed_by = x.owner AND w.claim_token = x.token AND ${isRunning} AND w.replay_of IS NULL
    RETURNING w.id;
END $$;

CREATE FUNCTION {schema}.delete_runs(ids uuid[], ends integer[], owners text[], tokens text[]) RETURNS uuid[] ${planned} AS $$
DECLARE
  deleted uuid[];
  all_deleted uuid[] := '{}';
BEGIN
  FOR n IN 1..cardinality(ends) LOOP
    WITH gone AS (
        DELETE FROM {schema}.work_queue AS w WHERE w.id = ANY (ids[coalesce(ends[n - 1], 0) + 1:ends[n]])
          AND w.claimed_by = owners[n] AND w.claim_token = tokens[n] AND ${isRunning} AND w.replay_of IS NULL
        RETURNING w.id)
      SELECT array_agg(id) FROM gone INTO deleted;
    all_deleted := all_deleted || deleted;
  END LOOP;
  RETURN all_deleted;
END $$;
`;
