// The claim is a function so that it is one round trip, under a global limit too: each of its
// statements sees what the one before waited for. And all of these are functions so that their
// plans are the same whatever the statistics say, or do not say yet: in the order of the index, row
// by row in the order of the ids given, no sort, no scan of the table or of all that runs.
export const planned = `LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET jit = off SET plan_cache_mode = force_generic_plan`;

// As a CASE, which no index serves: the index of what runs would be read whole, and with it every
// entry that an old snapshot keeps there.
export const isRunning = `CASE w.status WHEN 'running' THEN true END`;

export const ms = (column: string): string => `round(date_part('epoch', ${column}) * 1000)`;

/** What is not known of every job on its first move that was due when it came; null for those. */
const more = `CASE WHEN w.transition_no <> 2 OR w.run_at <> w.created_at OR w.updated_at <> at OR w.changelist_id IS NOT NULL THEN json_build_object(
              'runAt', ${ms('w.run_at')}, 'updatedAt', ${ms('w.updated_at')}, 'attempts', w.attempts, 'lostLeases', w.lost_leases,
              'outputs', w.outputs, 'transitionNo', w.transition_no, 'changelistId', w.changelist_id, 'reviewVersion', w.review_version,
              'firstFailureAt', ${ms('w.first_failure_at')}, 'lastFailureAt', ${ms('w.last_failure_at')}, 'lastFailure', w.last_failure,
              'replayOf', w.replay_of, 'replayOfClass', w.replay_of_class) END`;

/**
 * Jobs of one claim as one JSON text, a list for each column: a driver reads it at a third of the
 * cost of so many rows.
 */
const asLists = `json_build_object('id', json_agg(t.id), 'kind', json_agg(t.kind), 'payload', json_agg(t.payload), 'stage', json_agg(t.stage),
            'priority', json_agg(t.priority), 'createdAt', json_agg(${ms('t.created_at')}), 'idempotencyKey', json_agg(t.idempotency_key),
            'more', json_agg(t.more))::text`;

/**
 * Bytes of payloads in one such text, about: what is claimed together may be more than a driver can
 * hold as one string.
 */
export const mostBytes = 8 * 1024 * 1024;

// The rows are locked, so their ctid holds. One text a turn; what went beyond its bytes stays locked for the next.
export const take = (where: string): string => `
      LOOP
        WITH found AS (
            SELECT c.ctid AS place, octet_length(c.payload::text) AS size FROM {schema}.work_queue AS c
            WHERE c.ready AND c.kind = ANY (wanted_kinds) AND ${where}
            ORDER BY c.priority DESC, c.created_at, c.id LIMIT room FOR UPDATE SKIP LOCKED),
          candidate AS (SELECT place, sum(size) OVER (ROWS UNBOUNDED PRECEDING) - size AS before FROM found),
          t AS (
            UPDATE {schema}.work_queue AS w SET status = 'running', ready = false, claimed_by = new_owner, claim_token = new_token,
              lease_expires_at = expires_at, started_at = at, waiting_for = NULL,
              transition_no = w.transition_no + 1, updated_at = greatest(w.updated_at, at),
              attempts = w.attempts || jsonb_build_object(w.stage, coalesce((w.attempts ->> w.stage)::int, 0) + 1)
            FROM candidate WHERE w.ctid = candidate.place AND candidate.before < ${mostBytes}
            RETURNING w.id, w.kind, w.payload, w.stage, w.priority, w.created_at, w.idempotency_key, ${more} AS more)
          SELECT count(*), ${asLists}, (SELECT max(before) FROM candidate) FROM t INTO taken_now, jobs, bytes;
        EXIT WHEN taken_now = 0;
        RETURN NEXT;
        room := room - taken_now;
        taken_all := taken_all + taken_now;
        EXIT WHEN room <= 0 OR bytes < ${mostBytes};
      END LOOP;`;

/**
 * - `requeue_expired`: expired leases back to `queued`, counted (WQ-8). SKIP LOCKED: a row that its
 *   owner is renewing or settling is not expired
 *   to us.
 * - `promote_due`: up to 1,000 scheduled rows that are due into the ready index, oldest first;
 *   tells whether there were any.
 * - `claim_jobs`: takes due rows in the order of `work_queue_ready` (WQ-2, WQ-3, WQ-4, WQ-10).
 *   Expired leases are looked for where `swept_at`, the
 * last look, is half a second old, under a limit, and before nothing is given. `marks` are where
 * the last claim stopped in each priority,
 * highest first: the scan of a priority begins there, behind the entries of rows that are gone but
 * that an old snapshot keeps in the index.
 * One row for each text of jobs; without any, one with null `jobs`. Under a limit and another
 * isolation than READ COMMITTED it takes nothing: `limited`, not `swept`.
 * - `renew_leases`, `complete_jobs`, `delete_jobs`: of the ids, owners and tokens given those that
 *   still fit (INV-3); they give the ids that did.
 *   Given sorted, the ids are locked in the one order of all verbs, so that two calls cannot deadlock.
 */
export const sql = `
CREATE FUNCTION {schema}.requeue_expired(at timestamptz, most integer)
RETURNS TABLE (id uuid, kind text, lost_leases integer) ${planned} AS $$
BEGIN
  RETURN QUERY WITH expired AS (
      SELECT e.id FROM {schema}.work_queue AS e WHERE e.status = 'running' AND e.lease_expires_at <= at
      ORDER BY e.id LIMIT most FOR UPDATE SKIP LOCKED)
    UPDATE {schema}.work_queue AS w SET status = 'queued', ready = true, claimed_by = NULL, claim_token = NULL, lease_expires_at = NULL,
      lost_leases = w.lost_leases + 1, transition_no = w.transition_no + 1, updated_at = greatest(w.updated_at, at)
    FROM expired WHERE w.id = expired.id RETURNING w.id, w.kind, w.lost_leases;
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
RETURNS TABLE (now_at timestamptz, expires_at timestamptz, swept boolean, limited boolean, jobs text) ${planned} AS $$
DECLARE
  bound integer;
  is_changed boolean := false;
  room integer := most;
  taken_now integer := 0;
  bytes bigint;
  taken_all integer := 0;
  marks integer := cardinality(marked_priorities);
  highest bigint;
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
  LOOP
    highest := 2147483647;
    IF swept THEN
      PERFORM FROM {schema}.requeue_expired(at, NULL);
      is_changed := FOUND;
    END IF;
    is_changed := {schema}.promote_due(at) OR is_changed;
    IF limited THEN
      -- Sees what the holder of the lock before us committed. Expired rows that the sweep had to skip count.
      SELECT least(most, bound - count(*)) INTO room FROM {schema}.work_queue AS r WHERE r.status = 'running';
    END IF;
    IF marks > 0 AND NOT is_changed THEN
      FOR n IN 1..marks LOOP
        EXIT WHEN room <= 0;
        marked := marked_priorities[n];${take('c.priority <= highest AND c.priority > marked')}
        EXIT WHEN room <= 0;${take('c.priority = marked AND c.created_at >= marked_instants[n]')}
        highest := marked::bigint - 1;
      END LOOP;
    END IF;
    IF room > 0 THEN${take('true')}
    END IF;
    -- Before nothing is given, what has just expired is looked for.
    EXIT WHEN taken_all > 0 OR swept;
    swept := true;
  END LOOP;
  IF taken_all = 0 THEN
    jobs := NULL;
    RETURN NEXT;
  END IF;
END $$;

CREATE FUNCTION {schema}.renew_leases(at timestamptz, ids uuid[], owners text[], tokens text[], lease_ms double precision)
RETURNS TABLE (id uuid, owner text, token text) ${planned} AS $$
BEGIN
  RETURN QUERY UPDATE {schema}.work_queue AS w SET lease_expires_at = at + lease_ms * interval '1 millisecond',
      updated_at = greatest(w.updated_at, at)
    FROM unnest(ids, owners, tokens) AS x(id, owner, token)
    WHERE w.id = x.id AND w.claimed_by = x.owner AND w.claim_token = x.token AND ${isRunning} RETURNING w.id, w.claimed_by, w.claim_token;
END $$;

CREATE FUNCTION {schema}.complete_jobs(at timestamptz, ids uuid[], owners text[], tokens text[], results text[], settlement uuid)
RETURNS SETOF uuid ${planned} AS $$
BEGIN
  RETURN QUERY UPDATE {schema}.work_queue AS w SET status = 'completed', finished_at = at, result = x.result::json, claimed_by = NULL,
      claim_token = NULL, lease_expires_at = NULL, lost_leases = 0, first_failure_at = NULL, last_failure_at = NULL, last_failure = NULL,
      last_settlement = settlement, transition_no = w.transition_no + 1, updated_at = greatest(w.updated_at, at)
    FROM unnest(ids, owners, tokens, results) AS x(id, owner, token, result)
    WHERE w.id = x.id AND w.claimed_by = x.owner AND w.claim_token = x.token AND ${isRunning} RETURNING w.id;
END $$;

-- A job that replays a dead letter is kept for whoever closes it.
CREATE FUNCTION {schema}.delete_jobs(ids uuid[], owners text[], tokens text[]) RETURNS SETOF uuid ${planned} AS $$
BEGIN
  RETURN QUERY DELETE FROM {schema}.work_queue AS w USING unnest(ids, owners, tokens) AS x(id, owner, token)
    WHERE w.id = x.id AND w.claimed_by = x.owner AND w.claim_token = x.token AND ${isRunning} AND w.replay_of IS NULL
    RETURNING w.id;
END $$;
`;
