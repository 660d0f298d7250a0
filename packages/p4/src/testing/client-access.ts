import { type ServerEvent, serverMessages } from './server-events.js';
import { defaultPort, findUser, type P4SimulatorModel } from './simulator-model.js';

/** What the ticket and trust checks look at. */
export interface ClientCredentials {
  user: string;
  ticketFile: string;
  /** P4PASSWD, where a ticket may stand as well. */
  password: string;
}

/** Null where the user may go on. The ticket file has a line `address=user:ticket` for each server. */
export function checkTicket(
  model: P4SimulatorModel,
  { user, ticketFile, password }: ClientCredentials,
): ServerEvent | null {
  const account = findUser(model, user);
  if (account?.ticket === undefined) return null;
  const held = password || ticketFor(ticketFile, model.port ?? defaultPort, user);
  if (held !== account.ticket) return serverMessages.passwordInvalid();
  return account.ticketExpired === true ? serverMessages.sessionExpired() : null;
}

function ticketFor(file: string, port: string, user: string): string | null {
  const address = withoutProtocol(port);
  for (const line of file.split('\n')) {
    const [, key = '', name = '', ticket = ''] = /^(.*)=([^:]*):(.*)$/.exec(line) ?? [];
    if (withoutProtocol(key) === address && name === user) return ticket;
  }
  return null;
}

/** The lines a client prints when it does not trust the server; null where it does. */
export function checkTrust(model: P4SimulatorModel, port: string, trustFile: string): string[] | null {
  if (!port.startsWith('ssl')) return null;
  const isFound = Number(model.clientVersion ?? '2023.2') >= 2021.2 || isAddress(withoutProtocol(port));
  const pins = isFound ? trustFile.split('\n') : [];
  const pinned = pins.find((line) => line.startsWith(`${withoutProtocol(port)}=**++**:`));
  const fingerprint = model.fingerprint ?? '';
  if (pinned === undefined) {
    const host = withoutProtocol(port);
    const says = [
      `The authenticity of '${host}' can't be established,`,
      'this may be your first attempt to connect to this P4PORT.',
    ];
    return [
      ...says,
      'The fingerprint for the key sent to your client is',
      fingerprint,
      "To allow connection use the 'p4 trust' command.",
    ];
  }
  if (pinned.endsWith(`:${fingerprint}`)) return null;
  const shown = ['The fingerprint for the mismatched key sent to your client is', fingerprint];
  return [
    '******* WARNING P4PORT IDENTIFICATION HAS CHANGED! *******',
    'It is possible that someone is intercepting your connection',
    ...shown,
  ];
}

/** Numbers, where others have a name. */
function isAddress(hostAndPort: string): boolean {
  return /^(?:[0-9.]+|\[[0-9A-Fa-f:.]+\]):/.test(hostAndPort);
}

function withoutProtocol(port: string): string {
  return port.replace(/^(?:tcp|ssl)(?:4|6|46|64)?:/, '');
}
