import type { ContentLevel, DestinationKind } from '../../foundation/outbound.js';
import type { EgressRecord } from '../egress-log.js';
import { type Instant, toDate } from './row-values.js';

/** A row of `egress_log`, JSON as text. A driver may give a bigint as text. */
export interface EgressRow {
  id: string;
  destination: DestinationKind;
  content: ContentLevel;
  job_id: string | null;
  changelist_id: string;
  review_version: number;
  provider: string;
  host: string;
  message_key: string | null;
  model: string | null;
  prompt_version: string | null;
  schema_version: string | null;
  paths: string;
  bytes: string | number;
  body_sha256: string;
  redactions: string;
  rules_version: string | null;
  policy_hash: string | null;
  recorded_at: Instant;
}

/** The record as the port shows it. */
export function toEgressRecord(row: EgressRow): EgressRecord {
  return {
    id: row.id,
    destination: row.destination,
    content: row.content,
    jobId: row.job_id,
    changelistId: row.changelist_id,
    reviewVersion: row.review_version,
    provider: row.provider,
    host: row.host,
    messageKey: row.message_key,
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
