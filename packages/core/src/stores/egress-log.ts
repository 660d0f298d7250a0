import type { ContentLevel, DestinationKind } from '../foundation/outbound.js';
import type { Page, TimeSpan } from '../foundation/page.js';

/** What leaves the house, committed before a byte does (EGR-1). */
export interface NewEgressRecord {
  id: string;
  /** What kind of place the bytes go to. */
  destination: DestinationKind;
  /** How much of the review the bytes hold. */
  content: ContentLevel;
  /** Null for a message that belongs to no job. */
  jobId: string | null;
  changelistId: string;
  reviewVersion: number;
  /** Id of the part that sends: a provider, a mailer. */
  provider: string;
  /** Host and port the bytes go to. */
  host: string;
  /** Key of the outbox row, which names the recipient to nobody; null for what has no row there. */
  messageKey: string | null;
  /** Null for anything but a request to a model. */
  model: string | null;
  /** Of the prompt variant that the request was made by, and of the schema that it asks for; null as `model`. */
  promptVersion: string | null;
  schemaVersion: string | null;
  /** Redacted depot paths in the request. */
  paths: readonly string[];
  bytes: number;
  /** Of the exact body, hex. */
  bodySha256: string;
  /** By rule, over the texts in the request. */
  redactions: Readonly<Record<string, number>>;
  /** Of the redaction that the request's texts went through; null as `model`. */
  rulesVersion: string | null;
  policyHash: string | null;
}

/** One row of the egress log: a request that may have left, and under which rules. */
export interface EgressRecord extends NewEgressRecord {
  recordedAt: Date;
}

/** Which records a list gives; filters combine. */
export interface EgressFilter extends Page, TimeSpan {
  changelistId?: string | undefined;
  jobId?: string | undefined;
  /** Only what went to this kind of place. */
  destination?: DestinationKind | undefined;
}

/** Append only. A store that cannot append stops the request. */
export interface EgressLog<Tx> {
  readonly storeId: string;
  append(records: readonly NewEgressRecord[], options?: { tx?: Tx | undefined }): Promise<void>;
  /** Newest first, in the reverse order of `append`; `since` and `until` compare `recordedAt`. */
  list(filter: EgressFilter): Promise<readonly EgressRecord[]>;
}
