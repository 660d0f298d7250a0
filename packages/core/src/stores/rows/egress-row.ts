import type { EgressRecord } from '../egress-log.js';
import { type Instant, toDate } from './row-values.js';

/** A row of `egress_log`, JSON as text. A driver may give a bigint as text. */
export interface EgressRow {
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
  bytes: string | number;
  body_sha256: string;
  redactions: string;
  rules_version: string;
  policy_hash: string;
  recorded_at: Instant;
}

/** The record as the port shows it. */
export function toEgressRecord(row: EgressRow): EgressRecord {
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
    bytes: Number(row.bytes),
    bodySha256: row.body_sha256,
    redactions: JSON.parse(row.redactions) as Record<string, number>,
    rulesVersion: row.rules_version,
    policyHash: row.policy_hash,
    recordedAt: toDate(row.recorded_at),
  };
}
