import { checkNewEgressRecord, type EgressRow, toEgressRecord } from '@criticizer/core/internal';
import type { EgressLog } from '@criticizer/core/ports';
import { listByPlace } from '../shared/list-rows.js';
import type { SqliteTx } from '../shared/sqlite-database.js';
import type { SqliteFacet } from '../shared/sqlite-facet.js';

const placeOf = (column: string): string => `(SELECT p.${column} FROM egress_log AS p WHERE p.id = ?)`;

const list = {
  select: 'SELECT * FROM egress_log',
  orderBy: 'recorded_at DESC, seq DESC',
  find: 'SELECT 1 FROM egress_log WHERE id = ?',
  behind: `(recorded_at, seq) < (${placeOf('recorded_at')}, ${placeOf('seq')})`,
  at: 'recorded_at',
};

/** What leaves the house, on SQLite; triggers refuse to change or delete a row (EGR-1). */
export function createSqliteEgressLog({ storeId, gate }: SqliteFacet): EgressLog<SqliteTx> {
  return {
    storeId,
    async append(records, options) {
      for (const [n, record] of records.entries()) checkNewEgressRecord(record, `records[${n}]`);
      if (records.length === 0) return;
      await gate.write(options?.tx, (session) => {
        for (const record of records) {
          session.run(
            `INSERT INTO egress_log (id, destination, content, message_key, job_id, changelist_id, review_version, provider, host, model, prompt_version,
              schema_version, paths, bytes, body_sha256, redactions, rules_version, policy_hash, recorded_at)
              VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
            record.id,
            record.destination,
            record.content,
            record.messageKey,
            record.jobId,
            record.changelistId,
            record.reviewVersion,
            record.provider,
            record.host,
            record.model,
            record.promptVersion,
            record.schemaVersion,
            JSON.stringify(record.paths),
            record.bytes,
            record.bodySha256,
            JSON.stringify(record.redactions),
            record.rulesVersion,
            record.policyHash,
            session.nowMs,
          );
        }
      });
    },
    list: (filter) =>
      gate.read(undefined, (session) =>
        listByPlace<EgressRow>(session, list, filter, [
          ['changelist_id = ?', filter.changelistId],
          ['job_id = ?', filter.jobId],
          ['destination = ?', filter.destination],
        ]).map(toEgressRecord),
      ),
  };
}
