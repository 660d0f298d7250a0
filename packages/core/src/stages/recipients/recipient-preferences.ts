import { compareSeverity, type Severity } from '../../review/review-result.js';
import type { KeyedRecipient } from './merge-recipients.js';

/** What a person wants of review mails, as the notify stage reads it. */
export interface PreferredMails {
  recipientKey: string;
  /** Every review, those with a high or critical finding, or none. */
  mails: 'all' | 'high' | 'off';
  /** True: counts and the link alone. */
  linkOnly: boolean;
}

/**
 * Where the wishes of persons lie: `Stores.preferences`, or a directory of the host's. Who is not in
 * the answer gets every review.
 */
export interface RecipientPreferences {
  /**
   * For 1 to 500 keys, local part as is, domain in lower case. A rejection is not taken for "all": the
   * stage is tried again.
   */
  find(recipientKeys: readonly string[]): Promise<readonly PreferredMails[]>;
}

/** A recipient, and whether the mail holds counts alone because the person wants it so. */
export interface WillingRecipient extends KeyedRecipient {
  linkOnly: boolean;
}

/** Who gets the mail, and how many do not because they do not want it. */
export interface Willing {
  recipients: readonly WillingRecipient[];
  leftOut: number;
}

/**
 * Leaves out who wants no mail, or none of a review without a high or critical finding, whoever named
 * them and as required as they were (ruling R22). In the given order.
 */
export function applyPreferences(
  recipients: readonly KeyedRecipient[],
  preferences: readonly PreferredMails[],
  counts: Readonly<Record<Severity, number>>,
): Willing {
  const byKey = new Map(preferences.map((one) => [one.recipientKey, one]));
  const isGrave = (Object.keys(counts) as Severity[]).some(
    (severity) => counts[severity] > 0 && compareSeverity(severity, 'high') <= 0,
  );
  const willing = recipients.flatMap((recipient): WillingRecipient[] => {
    const { mails = 'all', linkOnly = false } = byKey.get(recipient.recipientKey) ?? {};
    return mails === 'off' || (mails === 'high' && !isGrave) ? [] : [{ ...recipient, linkOnly }];
  });
  return { recipients: willing, leftOut: recipients.length - willing.length };
}
