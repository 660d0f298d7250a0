import { planned, take } from './0006-claim-functions.js';

/**
 * `claim_jobs` again, with one look at all there may be to do before any of it is done: most claims
 * find nothing, and each statement that only finds that costs more than the look. The whole order
 * is looked at only where there are no marks.
 */
export const sql = `
CREATE OR REPLACE FUNCTION {schema}.claim_jobs(at timestamptz, wanted_kinds text[], most integer, new_owner text, new_token text,
  lease_ms double precision, swept_at timestamptz, marked_priorities integer[], marked_instants timestamptz[])
RETURNS TABLE (now_at timestamptz, expires_at timestamptz, swept boolean, limited boolean, jobs text) ${planned} AS $$
DECLARE
  bound integer;
  is_due boolean := true;
  is_ready boolean := true;
  is_changed boolean := false;
  room integer := most;
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
  -- Under a limit a claim that finds nothing has mostly found no room.
  IF NOT limited THEN
    SELECT EXISTS (SELECT FROM {schema}.work_queue AS d WHERE d.status = 'queued' AND NOT d.ready AND d.run_at <= at),
        marks > 0 OR EXISTS (SELECT FROM {schema}.work_queue AS c WHERE c.ready AND c.kind = ANY (wanted_kinds))
      INTO is_due, is_ready;
  END IF;
  swept := limited OR swept_at IS NULL OR at - swept_at >= interval '500 milliseconds';
  IF limited AND current_setting('transaction_isolation') <> 'read committed' THEN
    swept := false;
    RETURN NEXT;
    RETURN;
  END IF;
  IF swept THEN
    PERFORM FROM {schema}.requeue_expired(at, NULL);
    is_changed := FOUND;
  END IF;
  IF is_due THEN
    is_changed := {schema}.promote_due(at) OR is_changed;
  END IF;
  IF limited THEN
    -- Sees what the holder of the lock before us committed. Expired rows that the sweep had to skip count.
    SELECT least(most, bound - count(*)) INTO room FROM {schema}.work_queue AS r WHERE r.status = 'running';
  END IF;
  LOOP
    IF marks > 0 AND NOT is_changed THEN
      FOR n IN 1..marks LOOP
        EXIT WHEN room <= 0;
        marked := marked_priorities[n];${take('c.priority <= highest AND c.priority > marked')}
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
`;
