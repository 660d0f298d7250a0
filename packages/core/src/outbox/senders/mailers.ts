import { checkContract } from '../../foundation/contract.js';
import { CriticizerError } from '../../foundation/errors.js';
import type { Mailer } from './mailer.js';
import { mailSender } from './sender.js';
import { createSenders, type Senders } from './senders.js';

/** The mailers of one process. */
export interface Mailers extends Senders {
  /**
   * The id of the mailer for a recipient: the named one, or the first where none is named. Throws
   * `MAILER_UNKNOWN` (validation) for a name that no mailer has, and where there is no mailer.
   */
  resolve(via: string | undefined): string;
}

const maxMailers = 100;
const isId = (id: unknown): id is string => typeof id === 'string' && id.length > 0 && id.length <= 64;

/** The mailers of a process that has channels alone. */
export const noMailers: Mailers = toMailers([]);

/** One mailer or a list, checked. Throws `TypeError` naming `name` and what was expected. */
export function listMailers(name: string, given: Mailer | readonly Mailer[]): Mailers {
  const list = Array.isArray(given) ? (given as readonly Mailer[]) : [given as Mailer];
  const isUsable = list.every((mailer) => typeof mailer?.send === 'function');
  if (list.length === 0 || list.length > maxMailers || !isUsable)
    throw new TypeError(
      `${name}: expected 1 to ${maxMailers} mailers such as createSmtpMailer of @criticizer/notify/smtp`,
    );
  const ids = new Set<string>();
  for (const mailer of list) {
    checkContract(`${name}: "${mailer.id}"`, mailer);
    if (!isId(mailer.id)) throw new TypeError(`${name}: expected mailers with an id of 1 to 64 characters`);
    if (ids.has(mailer.id)) throw new TypeError(`${name}: two mailers have the id "${mailer.id}"`);
    ids.add(mailer.id);
  }
  return toMailers(list);
}

function toMailers(list: readonly Mailer[]): Mailers {
  const senders = createSenders(list.map(mailSender));
  return {
    ...senders,
    resolve(via = senders.ids[0]) {
      if (via !== undefined && senders.ids.includes(via)) return via;
      throw new CriticizerError('MAILER_UNKNOWN', 'A recipient names a mailer that this process does not have.', {
        category: 'validation',
        details: { via: via?.slice(0, 64) ?? null, mailers: senders.ids },
      });
    },
  };
}
