import { checkHex } from '../../foundation/store-input.js';
import { checkRequest, type Operated, type OperatorParts, type OperatorRequest } from '../operation.js';
import { setMailPreference } from './set-mail-preference.js';

/** The mail by whose link its recipient stops all of them. */
export interface StopMails extends OperatorRequest {
  /** Of the outbox row: 32 hex digits. */
  mailKey: string;
}

/**
 * Sets the recipient of one mail to `off`, as the unsubscribe link in it does. `not-found`: there is no
 * mail with this key any more. Whether the person wants counts alone stays as it was.
 */
export async function stopMails<Tx>(
  parts: OperatorParts<Tx>,
  request: StopMails,
): Promise<Operated<'set' | 'unchanged' | 'not-found'>> {
  checkRequest<StopMails>('stopMails', request, { mailKey: (option, value) => checkHex(option, value, 32) });
  const { mailKey, actor, reason } = request;
  const [row] = await parts.stores.outbox.list({ key: mailKey, limit: 1 });
  if (row === undefined) return { outcome: 'not-found', audit: 'none' };
  const [known] = await parts.stores.preferences.find([row.recipientKey]);
  const linkOnly = known?.linkOnly ?? false;
  return setMailPreference(parts, { address: row.recipientKey, mails: 'off', linkOnly, actor, reason });
}
