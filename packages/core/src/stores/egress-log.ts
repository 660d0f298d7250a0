import type { Page, TimeSpan } from '../foundation/page.js';

/** What leaves the house, committed before a byte does (EGR-1). */
export interface NewEgressRecord {
  id: string;
  jobId: string;
  changelistId: string;
  reviewVersion: number;
  provider: string;
  /** Host and port the bytes go to. */
  host: string;
  model: string;
  /** Of the prompt variant that the request was made by, and of the schema that it asks for. */
  promptVersion: string;
  schemaVersion: string;
  /** Redacted depot paths in the request. */
  paths: readonly string[];
  bytes: number;
  /** Of the exact body, hex. */
  bodySha256: string;
  /** By rule, over the texts in the request. */
  redactions: Readonly<Record<string, number>>;
  rulesVersion: string;
  policyHash: string;
}

/** One row of the egress log: a request that may have left, and under which rules. */
export interface EgressRecord extends NewEgressRecord {
  recordedAt: Date;
}

/** Which records a list gives; filters combine. */
export interface EgressFilter extends Page, TimeSpan {
  changelistId?: string | undefined;
  jobId?: string | undefined;
}

/** Append only. A store that cannot append stops the request. */
export interface EgressLog<Tx> {
  readonly storeId: string;
  append(records: readonly NewEgressRecord[], options?: { tx?: Tx | undefined }): Promise<void>;
  /** Newest first, in the reverse order of `append`; `since` and `until` compare `recordedAt`. */
  list(filter: EgressFilter): Promise<readonly EgressRecord[]>;
}
