import type { Actor, ActorName } from '../foundation/actor.js';

/** Which reviews reach a person by mail: every one, those with a high or critical finding, or none. */
export const mailChoices = ['all', 'high', 'off'] as const;
/** One of `mailChoices`. */
export type MailChoice = (typeof mailChoices)[number];

/** What one person wants of review mails. Without one: `all`, as much as the policy allows. */
export interface RecipientPreference {
  mails: MailChoice;
  /** True: counts and the link, never findings or code, whatever the policy allows. */
  linkOnly: boolean;
}

/** A preference as it is stored. */
export interface StoredPreference extends RecipientPreference {
  /** Local part as is, domain in lower case and A-labels: as in outbox rows. */
  recipientKey: string;
  /** Who set it. */
  setBy: ActorName;
  updatedAt: Date;
}

/** Which preferences a list gives. */
export interface PreferenceFilter {
  mails?: MailChoice | undefined;
  /** Only keys that sort behind this one: the last of the page before. */
  after?: string | undefined;
  /** 1 to 1,000. Default 100. */
  limit?: number | undefined;
}

/** What persons want of review mails (NOT-10, ruling R22). A row holds an address and a choice, no word of a review. */
export interface PreferenceStore<Tx> {
  readonly storeId: string;
  /** The preferences of these recipients, 1 to 1,000 keys; one without a preference is left out. */
  find(recipientKeys: readonly string[]): Promise<readonly StoredPreference[]>;
  /** Replaces what was set. `unchanged`: it was set to the same, and who set it stays. */
  set(
    recipientKey: string,
    preference: RecipientPreference,
    actor: Actor,
    options?: { tx?: Tx | undefined },
  ): Promise<'set' | 'unchanged'>;
  /** In the order of the keys' bytes. */
  list(filter: PreferenceFilter): Promise<readonly StoredPreference[]>;
}
