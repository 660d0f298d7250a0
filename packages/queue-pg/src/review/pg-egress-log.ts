import { checkNewEgressRecord, type EgressRow, toEgressRecord } from '@criticizer/core/internal';
import type { EgressLog } from '@criticizer/core/ports';
import { instantColumns } from '../shared/instants.js';
import { listByPlace } from '../shared/list-rows.js';
import type { PgTx } from '../shared/pg-database.js';
import type { PgFacet } from '../shared/pg-facet.js';

const columns = `id, destination, content, message_key, job_id, changelist_id, review_version, provider, host, model, prompt_version, schema_version,
  paths::text AS paths, bytes, body_sha256, redactions::text AS redactions, rules_version, policy_hash, ${instantColumns('egress_log', ['recorded_at'])}`;

const append = `INSERT INTO {schema}.egress_log (id, destination, content, message_key, job_id, changelist_id, review_version, provider, host, model,
    prompt_version, schema_version, paths, bytes, body_sha256, redactions, rules_version, policy_hash, recorded_at)
  SELECT x.id, x.destination, x.content, x."messageKey", x."jobId", x."changelistId", x."reviewVersion", x.provider, x.host, x.model, x."promptVersion", x."schemaVersion",
    x.paths, x.bytes, x."bodySha256", x.redactions, x."rulesVersion", x."policyHash", {now}
  FROM ROWS FROM (json_to_recordset($1::json) AS (id text, destination text, content text, "messageKey" text, "jobId" text, "changelistId" text, "reviewVersion" int, provider text,
    host text, model text, "promptVersion" text, "schemaVersion" text, paths json, bytes bigint, "bodySha256" text, redactions json,
    "rulesVersion" text, "policyHash" text)) WITH ORDINALITY
    AS x(id, destination, content, "messageKey", "jobId", "changelistId", "reviewVersion", provider, host, model, "promptVersion", "schemaVersion", paths, bytes,
      "bodySha256", redactions, "rulesVersion", "policyHash", n)
  ORDER BY x.n`;

const placeOf = (column: string): string => `(SELECT p.${column} FROM {schema}.egress_log AS p WHERE p.id = ?)`;

const list = {
  select: `SELECT ${columns} FROM {schema}.egress_log`,
  // Qualified: alone the name means the column of the result, which no index has.
  orderBy: 'egress_log.recorded_at DESC, seq DESC',
  find: 'SELECT 1 FROM {schema}.egress_log WHERE id = $1',
  behind: `(egress_log.recorded_at, seq) < (${placeOf('recorded_at')}, ${placeOf('seq')})`,
  at: 'recorded_at',
};

/** What leaves the house, on PostgreSQL; a trigger refuses to change or delete a row (EGR-1). */
export function createPgEgressLog({ storeId, gate }: PgFacet): EgressLog<PgTx> {
  return {
    storeId,
    async append(records, options) {
      for (const [n, record] of records.entries()) checkNewEgressRecord(record, `records[${n}]`);
      if (records.length === 0) return;
      await gate.single(options?.tx, (session) => session.run(append, JSON.stringify(records)));
    },
    async list(filter) {
      const rows = await listByPlace<EgressRow>(gate, list, filter, [
        ['changelist_id = ?', filter.changelistId],
        ['job_id = ?', filter.jobId],
        ['destination = ?', filter.destination],
      ]);
      return rows.map(toEgressRecord);
    },
  };
}
