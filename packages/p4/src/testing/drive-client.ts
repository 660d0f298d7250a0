import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { type AttackedHost, type CheckedAttack, isCanary, type UncheckedAttack } from './attacked-host.js';
import { type ServerEvent, serverMessages } from './server-events.js';
import type { P4SimulatorAttack, P4SimulatorUpload } from './simulator-model.js';

/** What of the client's surroundings decides whether an attack gets through. */
export interface AttackedClient {
  /** A variable of the environment; empty where it is not set. */
  setting(key: string): string;
  /** True where standard input still holds something to answer a prompt with. */
  hasInput(): boolean;
  host: AttackedHost;
  /** Notes that the attack got through. */
  violate(what: string): void;
  /** Notes what the server got. */
  upload(uploads: readonly P4SimulatorUpload[]): void;
}

type DrivenClient = Generator<ServerEvent, 'goes on' | 'ends'>;

const defaultTarget = '/tmp/criticizer-planted';

/**
 * The server makes use of the client. As with the real one the environment forbids some of it, and
 * the rest only what the process can reach. Returns whether the command then goes on as if nothing
 * had been.
 */
export function* driveClient(
  { attack, target = defaultTarget }: { attack: P4SimulatorAttack; target?: string | undefined },
  client: AttackedClient,
): DrivenClient {
  switch (attack) {
    case 'prompt':
      yield { kind: 'raw', data: Buffer.from('Enter password: ') };
      if (client.hasInput()) client.violate('answered a prompt');
      yield serverMessages.endOfTerminal();
      return 'ends';
    case 'input-data':
      if (client.hasInput()) client.violate('sent its input');
      yield serverMessages.badInputData();
      return 'ends';
    case 'open-url':
      if (client.setting('P4USEBROWSER') !== 'false') client.violate('opened a URL');
      yield serverMessages.navigateTo('https://attacker.invalid/');
      return 'goes on';
    case 'run-editor':
    case 'run-sso':
    case 'run-alt-sync':
      return yield* runProgram(attack, client);
    case 'list-directory':
    case 'digest-file':
    case 'scan-directory':
    case 'compare-file':
    case 'match-file':
      return yield* touch(attack, target, client);
    default:
      return yield* touchChecked(attack, target, client);
  }
}

/** A program that a variable names. Only one in a canary directory is really started. */
function* runProgram(attack: 'run-editor' | 'run-sso' | 'run-alt-sync', client: AttackedClient): DrivenClient {
  const { setting } = client;
  const named = { 'run-editor': 'P4EDITOR', 'run-sso': 'P4LOGINSSO', 'run-alt-sync': 'P4ALTSYNC' } as const;
  const program = setting(named[attack]) || (attack === 'run-editor' ? setting('EDITOR') || 'vi' : '');
  const isSet = program !== '' && program !== '/bin/false';
  if (isSet && (!isCanary(program) || client.host.start(program))) client.violate(`ran ${program}`);
  if (attack === 'run-sso') yield serverMessages.noSignOn();
  else if (attack === 'run-alt-sync') yield serverMessages.unregistered('client-AltSync');
  else yield serverMessages.osFailed('open for write', join(temporary(setting), 'tmp.1.1'), 'ENOENT');
  return 'ends';
}

/** No setting of the client is looked at: what is not there is passed over in silence. */
function* touch(attack: CheckedAttack | UncheckedAttack, target: string, client: AttackedClient): DrivenClient {
  const deed = client.host.attack(attack, target);
  if (deed.done) {
    client.violate(`${attack} ${target}`);
    client.upload(deed.uploads);
    return 'goes on';
  }
  const isSilent = deed.code === 'ENOENT' && attack !== 'write-file' && attack !== 'read-file';
  if (isSilent) return 'goes on';
  yield serverMessages.osFailed(deed.operation, target, deed.code);
  return 'ends';
}

function* touchChecked(attack: CheckedAttack, target: string, client: AttackedClient): DrivenClient {
  if (mayTouch(target, client) && isCanary(target)) return yield* touch(attack, target, client);
  // Elsewhere an attack is only acted out.
  if (mayTouch(target, client)) client.violate(`${attack} ${target}`);
  yield serverMessages.outsideClientPath(target, client.setting('P4CLIENTPATH'));
  return 'ends';
}

function temporary(setting: AttackedClient['setting']): string {
  return setting('TEMP') || setting('TMP') || '/tmp';
}

/** The client keeps to P4CLIENTPATH where that is set, but always takes its directory for temporary files as well. */
function mayTouch(target: string, { setting }: AttackedClient): boolean {
  const permitted = [setting('P4CLIENTPATH'), temporary(setting)];
  return permitted[0] === '' || permitted.some((directory) => target.startsWith(`${directory}/`));
}
