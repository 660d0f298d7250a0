/** A change by its server and number. */
export interface ChangelistRef {
  serverId: string;
  number: number;
}

const FORM = /^([a-z0-9][a-z0-9.-]{0,62})\/([1-9][0-9]{0,9})$/;
const MAX_NUMBER = 2_147_483_647;

/**
 * Names a change in every row, key and record: `<serverId>/<number>` (INT-2). Takes what
 * `parseChangelistId` gives; checks nothing.
 */
export function buildChangelistId({ serverId, number }: ChangelistRef): string {
  return `${serverId}/${number}`;
}

/**
 * Server and number of a changelist id; null for any other text, such as the scope that a host's
 * own jobs or mails put in the same column.
 */
export function parseChangelistId(id: string): ChangelistRef | null {
  const [, serverId, digits] = FORM.exec(id) ?? [];
  const number = Number(digits);
  return serverId === undefined || number > MAX_NUMBER ? null : { serverId, number };
}
