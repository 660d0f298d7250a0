import { Buffer } from 'node:buffer';
import { type ServerEvent, serverMessages } from './server-events.js';
import type { P4SimulatorAttack } from './simulator-model.js';

/** What of the client's surroundings decides whether an attack gets through. */
export interface AttackedClient {
  /** A variable of the environment; empty where it is not set. */
  setting(key: string): string;
  /** True where standard input still holds something to answer a prompt with. */
  hasInput(): boolean;
  /** Notes that the attack got through. */
  violate(what: string): void;
}

const target = '/tmp/criticizer-planted';

/**
 * The server makes use of the client. As with the real one only the environment can forbid it;
 * nothing is really done.
 */
export function* driveClient(attack: P4SimulatorAttack, client: AttackedClient): Generator<ServerEvent> {
  if (attack === 'prompt') {
    yield { kind: 'raw', data: Buffer.from('Enter password: ') };
    if (client.hasInput()) client.violate('answered a prompt');
    yield serverMessages.endOfTerminal();
  } else if (attack === 'open-url') {
    if (client.setting('P4USEBROWSER') !== 'false') client.violate('opened a URL');
    yield { kind: 'info', level: 0, text: 'Navigate to URL: https://attacker.invalid/' };
  } else if (attack === 'run-sso') {
    if (client.setting('P4LOGINSSO') !== '') client.violate(`ran ${client.setting('P4LOGINSSO')}`);
    yield serverMessages.passwordInvalid();
  } else {
    const editor = client.setting('P4EDITOR') || client.setting('EDITOR') || 'vi';
    if (attack === 'run-editor' && editor !== '/bin/false') client.violate(`ran ${editor}`);
    if (mayTouch(client)) client.violate(`${attack} ${target}`);
    yield serverMessages.outsideClientPath(target, client.setting('P4CLIENTPATH'));
  }
}

/** The client keeps to P4CLIENTPATH where that is set, but always takes its directory for temporary files as well. */
function mayTouch({ setting }: AttackedClient): boolean {
  const permitted = [setting('P4CLIENTPATH'), setting('TEMP') || setting('TMP') || '/tmp'];
  return permitted[0] === '' || permitted.some((directory) => target.startsWith(`${directory}/`));
}
