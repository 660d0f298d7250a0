import type { ActorType } from '../../foundation/actor.js';
import type { MailChoice, StoredPreference } from '../preference-store.js';
import { type Instant, isTrue, type Truth, toDate } from './row-values.js';

/** A row of `recipient_preferences`. */
export interface PreferenceRow {
  recipient_key: string;
  mails: MailChoice;
  link_only: Truth;
  actor_type: ActorType;
  actor_id: string;
  updated_at: Instant;
}

/** The preference as the port shows it. */
export function toPreference(row: PreferenceRow): StoredPreference {
  return {
    recipientKey: row.recipient_key,
    mails: row.mails,
    linkOnly: isTrue(row.link_only),
    setBy: { type: row.actor_type, id: row.actor_id },
    updatedAt: toDate(row.updated_at),
  };
}
