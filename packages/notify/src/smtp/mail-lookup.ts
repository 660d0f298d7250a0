import type { LookupOutcome, Mailer } from '@criticizer/core/ports';

/** What a look-up is asked; as `Mailer.lookup`. */
export type MailLookupQuery = Parameters<NonNullable<Mailer['lookup']>>[0];

/** A place that knows which mails the server took: a journal folder, a mailbox. SMTP itself has none. */
export interface MailLookup {
  /** How long after the data phase a mail may still turn up here. */
  readonly settleMs: number;
  /** How far back it sees. */
  readonly retentionMs: number;
  /** `absent` is conclusive only once settled, inside the retention, and where the place can be trusted to be whole. */
  find(query: MailLookupQuery): Promise<LookupOutcome>;
}
