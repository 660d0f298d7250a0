import { checkContract } from '../foundation/contract.js';
import { CriticizerError } from '../foundation/errors.js';
import type { Mailer } from './mailer.js';

/** The mailers of one process. */
export interface Mailers {
  /** Ids in the order given: what the process claims rows for. */
  readonly ids: readonly string[];
  /** Throws `TypeError` for an id that the process lacks: a claim never gives a row that goes by one. */
  get(id: string): Mailer;
  /**
   * The id of the mailer for a recipient: the named one, or the first where none is named. Throws
   * `MAILER_UNKNOWN` (validation) for a name that no mailer has.
   */
  resolve(via: string | undefined): string;
  /** Closes every mailer; idempotent as each `close` is. */
  close(): Promise<void>;
}

const maxMailers = 100;
const isId = (id: unknown): id is string => typeof id === 'string' && id.length > 0 && id.length <= 64;

/** One mailer or a list, checked. Throws `TypeError` naming `name` and what was expected. */
export function listMailers(name: string, given: Mailer | readonly Mailer[]): Mailers {
  const list = Array.isArray(given) ? (given as readonly Mailer[]) : [given as Mailer];
  const isUsable = list.every((mailer) => typeof mailer?.send === 'function');
  if (list.length === 0 || list.length > maxMailers || !isUsable)
    throw new TypeError(
      `${name}: expected 1 to ${maxMailers} mailers such as createSmtpMailer of @criticizer/notify/smtp`,
    );
  const byId = new Map<string, Mailer>();
  for (const mailer of list) {
    checkContract(`${name}: "${mailer.id}"`, mailer);
    if (!isId(mailer.id)) throw new TypeError(`${name}: expected mailers with an id of 1 to 64 characters`);
    if (byId.has(mailer.id)) throw new TypeError(`${name}: two mailers have the id "${mailer.id}"`);
    byId.set(mailer.id, mailer);
  }
  const ids = [...byId.keys()];
  return {
    ids,
    get(id) {
      const mailer = byId.get(id);
      if (mailer === undefined) throw new TypeError(`mailers: none has the id "${id}"; there are ${ids.join(', ')}`);
      return mailer;
    },
    resolve(via = ids[0] as string) {
      if (byId.has(via)) return via;
      throw new CriticizerError('MAILER_UNKNOWN', 'A recipient names a mailer that this process does not have.', {
        category: 'validation',
        details: { via: via.slice(0, 64), mailers: ids },
      });
    },
    async close() {
      await Promise.all(list.map((mailer) => mailer.close?.()));
    },
  };
}
