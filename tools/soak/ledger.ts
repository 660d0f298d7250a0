// The ledger inside the queue's database, beside its tables and not of them: append-only, no unique
// key, so that it can show a double. Two sources write it, each in the transaction of the change it
// tells of: workers that settle through a transaction of their own, and triggers on the queue's
// table, which also see workers that settle the plain way.

/** One effect that committed. */
export interface EffectRow {
  /** `transition`: a change that may happen again and again, here for its token alone. */
  source: 'settlement' | 'database' | 'transition';
  n: number;
  /** The job's id: a key that was freed by a deletion may name another job later. */
  job: string;
  effect: string;
  token: string;
  worker: string;
}

export type SettlementEffect = Omit<EffectRow, 'source'>;

export const keyOf = (n: number): string => `soak-${n}`;

/** In a schema of its own. `schema` is the queue's. */
export const postgresLedger = (schema: string): string => `
CREATE SCHEMA soak_ledger;
CREATE TABLE soak_ledger.effects (seq bigserial, source text, n int, job text, effect text, token text, worker text);
CREATE FUNCTION soak_ledger.record() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE what text; again text;
BEGIN
  IF TG_OP = 'DELETE' THEN
    what := CASE WHEN OLD.status = 'running' THEN 'end:done' END;
  ELSE
    what := CASE WHEN NEW.status = 'completed' THEN 'end:done' WHEN NEW.status = 'failed' THEN 'end:dead-letter'
      WHEN OLD.status = 'running' AND NEW.status = 'running' AND NEW.stage <> OLD.stage THEN 'advance' END;
  END IF;
  IF TG_OP = 'UPDATE' AND OLD.status = 'running' THEN
    again := CASE WHEN NEW.status = 'queued' THEN 'requeue'
      WHEN NEW.status = 'running' AND NEW.stage = OLD.stage AND NEW.outputs::text <> OLD.outputs::text THEN 'checkpoint' END;
  END IF;
  IF again IS NOT NULL THEN
    INSERT INTO soak_ledger.effects (source, n, job, effect, token, worker)
      VALUES ('transition', substr(OLD.idempotency_key, 6)::int, OLD.id::text, again, coalesce(OLD.claim_token, ''), '');
  END IF;
  IF what IS NOT NULL THEN
    INSERT INTO soak_ledger.effects (source, n, job, effect, token, worker)
      VALUES ('database', substr(OLD.idempotency_key, 6)::int, OLD.id::text, what, coalesce(OLD.claim_token, ''), '');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER soak_ledger AFTER UPDATE OR DELETE ON ${schema}.work_queue FOR EACH ROW EXECUTE FUNCTION soak_ledger.record();
`;

const sqliteInsert = (what: string, source = 'database'): string =>
  `INSERT INTO soak_effects (source, n, job, effect, token, worker)
    VALUES ('${source}', CAST(substr(OLD.idempotency_key, 6) AS INTEGER), OLD.id, ${what}, coalesce(OLD.claim_token, ''), '');`;

export const sqliteLedger = `
CREATE TABLE soak_effects (seq INTEGER PRIMARY KEY, source TEXT, n INTEGER, job TEXT, effect TEXT, token TEXT, worker TEXT);
CREATE TRIGGER soak_ended AFTER UPDATE ON work_queue WHEN NEW.status IN ('completed', 'failed')
  BEGIN ${sqliteInsert(`CASE NEW.status WHEN 'completed' THEN 'end:done' ELSE 'end:dead-letter' END`)} END;
CREATE TRIGGER soak_advanced AFTER UPDATE ON work_queue WHEN OLD.status = 'running' AND NEW.status = 'running' AND NEW.stage <> OLD.stage
  BEGIN ${sqliteInsert(`'advance'`)} END;
CREATE TRIGGER soak_requeued AFTER UPDATE ON work_queue WHEN OLD.status = 'running' AND NEW.status = 'queued'
  BEGIN ${sqliteInsert(`'requeue'`, 'transition')} END;
CREATE TRIGGER soak_checkpointed AFTER UPDATE ON work_queue
  WHEN OLD.status = 'running' AND NEW.status = 'running' AND NEW.stage = OLD.stage AND NEW.outputs <> OLD.outputs
  BEGIN ${sqliteInsert(`'checkpoint'`, 'transition')} END;
CREATE TRIGGER soak_deleted AFTER DELETE ON work_queue WHEN OLD.status = 'running' BEGIN ${sqliteInsert(`'end:done'`)} END;
`;
