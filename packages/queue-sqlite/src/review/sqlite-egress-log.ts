import { checkNewEgressRecord, pageLimit } from '@criticizer/core/internal';
import type { EgressLog, EgressRecord } from '@criticizer/core/ports';
import type { SqliteTx } from '../shared/sqlite-database.js';
import type { SqliteFacet } from '../shared/sqlite-facet.js';

interface EgressRow {
  id: string;
  job_id: string;
  changelist_id: string;
  review_version: number;
  provider: string;
  host: string;
  model: string;
  prompt_version: string;
  schema_version: string;
  paths: string;
  bytes: number;
  body_sha256: string;
  redactions: string;
  rules_version: string;
  policy_hash: string;
  recorded_at: number;
}

function toRecord(row: EgressRow): EgressRecord {
  return {
    id: row.id,
    jobId: row.job_id,
    changelistId: row.changelist_id,
    reviewVersion: row.review_version,
    provider: row.provider,
    host: row.host,
    model: row.model,
    promptVersion: row.prompt_version,
    schemaVersion: row.schema_version,
    paths: JSON.parse(row.paths) as string[],
    bytes: row.bytes,
    bodySha256: row.body_sha256,
    redactions: JSON.parse(row.redactions) as Record<string, number>,
    rulesVersion: row.rules_version,
    policyHash: row.policy_hash,
    recordedAt: new Date(row.recorded_at),
  };
}

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
            `INSERT INTO egress_log (id, job_id, changelist_id, review_version, provider, host, model, prompt_version,
              schema_version, paths, bytes, body_sha256, redactions, rules_version, policy_hash, recorded_at)
              VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
            record.id,
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
    async list({ changelistId = null, jobId = null, limit }) {
      const size = pageLimit(limit);
      return gate.read(undefined, (session) => {
        const rows = session.all<EgressRow>(
          'SELECT * FROM egress_log WHERE (? IS NULL OR changelist_id = ?) AND (? IS NULL OR job_id = ?) ORDER BY seq LIMIT ? + 0',
          ...[changelistId, changelistId, jobId, jobId, size],
        );
        return rows.map(toRecord);
      });
    },
  };
}
