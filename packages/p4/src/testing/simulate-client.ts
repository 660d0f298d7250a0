import { Buffer } from 'node:buffer';
import { type ClientCommandLine, parseClientArguments, type ReadText, readClientSettings } from './client-options.js';
import { createModelStore, type ModelStore } from './model-store.js';
import { type RenderedRun, renderEvents } from './render-events.js';
import { findUser, runServerCommand } from './server-commands.js';
import { type ServerEvent, serverMessages } from './server-events.js';
import { defaultPort, type P4SimulatorFault, type P4SimulatorModel } from './simulator-model.js';

export interface SimulatedInvocation {
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Files of the machine, as far as the client would look at them. */
  readText: ReadText;
  /** Standard input; asked for only with `-x -`. */
  readInput(): string;
}

export interface SimulatedRun extends RenderedRun {
  command: string;
  operands: readonly string[];
  /** What the client connected to. */
  port: string;
  /** Host files that took part, attacks that got through: must be empty where the client is contained. */
  violations: readonly string[];
  /** A fault that only a process can act out. */
  fault: Extract<P4SimulatorFault, { kind: 'silent' | 'hangs-with-child' | 'slow' }> | null;
}

/** One run of the client against the model, without touching the machine. */
export function simulateClient(model: P4SimulatorModel, invocation: SimulatedInvocation): SimulatedRun {
  const parsed = parseClientArguments(invocation.argv);
  if (!parsed.ok) return clientFailure('', '', [`p4 -h for usage.`, parsed.message]);
  const { line } = parsed;
  const settings = readClientSettings(invocation.env, invocation.readText);
  const setting = (key: string): string => settings.values.get(key) ?? '';
  const port = line.port ?? (setting('P4PORT') || 'perforce:1666');
  const user = line.user ?? (setting('P4USER') || 'nobody');
  const violations = settings.taken.map((path) => `read ${path}`);
  if (/^(?:rsh|jsh):/.test(port)) return { ...clientFailure(line.command, port, ['refused']), violations: [...violations, `ran ${port}`] };
  if (port !== (model.port ?? defaultPort)) {
    const says = ['Connect to server failed; check $P4PORT.', `TCP connect to ${port} failed.`, 'Connection refused'];
    return { ...clientFailure(line.command, port, says), violations };
  }
  const distrust = checkTrust(model, port, invocation.readText(setting('P4TRUST')) ?? '');
  if (distrust !== null) return { ...clientFailure(line.command, port, distrust), violations };
  const fault = model.fault !== undefined && (model.fault.command ?? line.command) === line.command ? model.fault : null;
  const session: Session = { model, store: createModelStore(model), line, user, setting, readText: invocation.readText, violations, fault };
  const batches = readBatches(line, invocation);
  const events = batches.flatMap((args) => [...serverEvents(session, args)]);
  const operands = batches.flat().filter((word) => !word.startsWith('-'));
  const run = applyFault(renderEvents(events, line.mode), fault);
  const processFault = fault?.kind === 'silent' || fault?.kind === 'hangs-with-child' || fault?.kind === 'slow' ? fault : null;
  return { ...run, command: line.command, operands, port, violations, fault: processFault };
}

interface Session {
  model: P4SimulatorModel;
  store: ModelStore;
  line: ClientCommandLine;
  user: string;
  setting(key: string): string;
  readText: ReadText;
  violations: string[];
  fault: P4SimulatorFault | null;
}

function* serverEvents(session: Session, args: readonly string[]): Generator<ServerEvent> {
  const { model, store, line, user, setting, fault } = session;
  const unicodeClient = !['', 'none'].includes(setting('P4CHARSET'));
  if (model.unicode === true && !unicodeClient) return yield serverMessages.clientNotUnicode();
  if (model.unicode !== true && unicodeClient) return yield serverMessages.serverNotUnicode();
  if (fault?.kind === 'message') return yield { kind: 'message', severity: fault.severity, generic: fault.generic, text: fault.text };
  const refusal = line.command === 'info' ? null : checkTicket(session);
  if (refusal !== null) return yield refusal;
  if (fault?.kind === 'drive-client') return yield driveClient(session, fault.attack);
  if (fault?.kind === 'foreign-file') {
    yield {
      kind: 'stat',
      fields: [
        ['depotFile', fault.path],
        ['rev', '1'],
        ['change', '1'],
      ],
    };
    yield { kind: 'text', data: Buffer.from('foreign\n') };
  }
  const client = line.client ?? (setting('P4CLIENT') || 'ws');
  yield* runServerCommand(line.command, args, { model, store, user, client, tagged: line.tagged });
}

/** The ticket file has a line `address=user:ticket` for each server. */
function checkTicket({ model, user, setting, readText }: Session): ServerEvent | null {
  const account = findUser(model, user);
  if (account?.ticket === undefined) return null;
  const held = setting('P4PASSWD') || ticketFor(readText(setting('P4TICKETS')) ?? '', model.port ?? defaultPort, user);
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
function checkTrust(model: P4SimulatorModel, port: string, trustFile: string): string[] | null {
  if (!port.startsWith('ssl')) return null;
  const pinned = trustFile.split('\n').find((line) => line.startsWith(`${withoutProtocol(port)}=**++**:`));
  const fingerprint = model.fingerprint ?? '';
  if (pinned === undefined) {
    const host = withoutProtocol(port);
    const says = [`The authenticity of '${host}' can't be established,`, 'this may be your first attempt to connect to this P4PORT.'];
    return [...says, 'The fingerprint for the key sent to your client is', fingerprint, "To allow connection use the 'p4 trust' command."];
  }
  if (pinned.endsWith(`:${fingerprint}`)) return null;
  const shown = ['The fingerprint for the mismatched key sent to your client is', fingerprint];
  return [
    '******* WARNING P4PORT IDENTIFICATION HAS CHANGED! *******',
    'It is possible that someone is intercepting your connection',
    ...shown,
  ];
}

/** The attack goes through unless the environment forbids it, as it does to the real client. */
function driveClient({ setting, violations }: Session, attack: 'write-file' | 'run-editor'): ServerEvent {
  const permitted = setting('P4CLIENTPATH');
  if (attack === 'run-editor' && setting('P4EDITOR') !== '/bin/false') violations.push('ran the editor');
  if (attack === 'write-file' && permitted !== '/nonexistent') violations.push('wrote a file');
  return serverMessages.outsideClientPath('/tmp/planted', permitted);
}

function readBatches(line: ClientCommandLine, invocation: SimulatedInvocation): string[][] {
  if (line.operandFile === null) return [[...line.args]];
  const text = line.operandFile === '-' ? invocation.readInput() : (invocation.readText(line.operandFile) ?? '');
  const operands = text.replace(/\n$/, '').split('\n');
  const batches: string[][] = [];
  for (let from = 0; from < operands.length; from += line.batch) batches.push([...line.args, ...operands.slice(from, from + line.batch)]);
  return batches;
}

function applyFault(run: RenderedRun, fault: P4SimulatorFault | null): RenderedRun {
  if (fault?.kind === 'garbage') return { ...run, stdout: [Buffer.from('Character set must be one of: none, utf8\n'), ...run.stdout] };
  if (fault?.kind !== 'drop') return run;
  const stdout = [Buffer.concat(run.stdout).subarray(0, fault.afterBytes)];
  return { stdout, stderr: [Buffer.from('Perforce client error:\n\tPartner exited unexpectedly.\n')], exitCode: 1 };
}

function clientFailure(command: string, port: string, lines: readonly string[]): SimulatedRun {
  const stderr = [Buffer.from(`Perforce client error:\n${lines.map((line) => `\t${line}\n`).join('')}`)];
  return { stdout: [], stderr, exitCode: 1, command, operands: [], port, violations: [], fault: null };
}

function withoutProtocol(port: string): string {
  return port.replace(/^(?:tcp|ssl)(?:4|6|46|64)?:/, '');
}
