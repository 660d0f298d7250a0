import { Buffer } from 'node:buffer';
import type { AttackedHost } from './attacked-host.js';
import { checkTicket, checkTrust } from './client-access.js';
import { type ClientCommandLine, parseClientArguments, type ReadText, readClientSettings } from './client-options.js';
import { runServerCommand } from './commands/server-commands.js';
import { driveClient } from './drive-client.js';
import { createModelStore, type ModelStore, type ReadBytes } from './model-store.js';
import { type ClientOutput, clientError, renderEvents } from './render-events.js';
import { type ServerEvent, serverMessages } from './server-events.js';
import {
  defaultPort,
  type P4SimulatorEvent,
  type P4SimulatorFault,
  type P4SimulatorModel,
  type P4SimulatorUpload,
} from './simulator-model.js';

export interface SimulatedInvocation {
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** Files of the machine, as far as the client would look at them. */
  readText: ReadText;
  readBytes: ReadBytes;
  /** The rest of standard input: asked for with `-x -`, and by a prompt. */
  readInput(): string;
  /** What attacks of the server reach. */
  host: AttackedHost;
  /** Host files that took part, attacks that got through: never called where the client is contained. */
  onViolation(what: string): void;
  /** What the server got of the machine. */
  onUpload(uploads: readonly P4SimulatorUpload[]): void;
}

export interface SimulatedRun {
  command: string;
  operands: readonly string[];
  /** What the client connected to. */
  port: string;
  output: ClientOutput;
  /** A fault that only a process can act out. */
  fault: Extract<P4SimulatorFault, { kind: 'silent' | 'hangs-with-child' | 'slow' }> | null;
}

/** One run of the client against the model, without touching the machine. The output is made as it is read. */
export function simulateClient(model: P4SimulatorModel, invocation: SimulatedInvocation): SimulatedRun {
  const parsed = parseClientArguments(invocation.argv);
  if (!parsed.ok) return clientFailure('', '', [`p4 -h for usage.`, parsed.message]);
  const { line } = parsed;
  if (line.showsVersion) return clientAnswer('', versionText);
  const settings = readClientSettings(invocation.env, invocation.readText);
  const setting = (key: string): string => settings.values.get(key) ?? invocation.env[key] ?? '';
  const port = line.port ?? (setting('P4PORT') || 'perforce:1666');
  const user = line.user ?? (setting('P4USER') || 'nobody');
  for (const violation of settings.violations) invocation.onViolation(violation);
  if (line.script !== null) invocation.onViolation(`ran ${line.script}`);
  if (/^(?:rsh|jsh):/.test(port)) {
    invocation.onViolation(`ran ${port}`);
    return clientFailure(line.command, port, ['refused']);
  }
  if (line.command === 'tickets') {
    invocation.onViolation('ran p4 tickets');
    return clientAnswer('tickets', listTickets(invocation.readText(setting('P4TICKETS')) ?? ''));
  }
  if (port !== (model.port ?? defaultPort))
    return clientFailure(line.command, port, [
      'Connect to server failed; check $P4PORT.',
      `TCP connect to ${port} failed.`,
      'Connection refused',
    ]);
  const distrust = checkTrust(model, port, invocation.readText(setting('P4TRUST')) ?? '');
  if (distrust !== null) return clientFailure(line.command, port, distrust);
  const fault =
    model.fault !== undefined && (model.fault.command ?? line.command) === line.command ? model.fault : null;
  const store = createModelStore(model, invocation.readBytes);
  const batches = readBatches(line, invocation);
  const events = sessionEvents({ model, store, line, user, setting, invocation, fault }, batches);
  const operands = batches.flat().filter((word) => !word.startsWith('-'));
  const processFault =
    fault?.kind === 'silent' || fault?.kind === 'hangs-with-child' || fault?.kind === 'slow' ? fault : null;
  return {
    command: line.command,
    operands,
    port,
    output: applyFault(renderEvents(events, line.mode), fault),
    fault: processFault,
  };
}

interface Session {
  model: P4SimulatorModel;
  store: ModelStore;
  line: ClientCommandLine;
  user: string;
  setting(key: string): string;
  invocation: SimulatedInvocation;
  fault: P4SimulatorFault | null;
}

/** The connection is refused, or each batch of operands is a command of its own. */
function* sessionEvents(session: Session, batches: readonly (readonly string[])[]): Generator<ServerEvent> {
  const { model, line, user, setting, invocation } = session;
  const unicodeClient = !['', 'none'].includes(setting('P4CHARSET'));
  if (model.unicode === true && !unicodeClient) return yield serverMessages.clientNotUnicode();
  if (model.unicode !== true && unicodeClient) return yield serverMessages.serverNotUnicode();
  for (const args of batches) {
    const ticketFile = invocation.readText(setting('P4TICKETS')) ?? '';
    const refusal =
      line.command === 'info' ? null : checkTicket(model, { user, ticketFile, password: setting('P4PASSWD') });
    yield* refusal === null ? commandEvents(session, args) : [refusal];
  }
}

function* commandEvents(session: Session, args: readonly string[]): Generator<ServerEvent> {
  const { model, store, line, user, setting, fault, invocation } = session;
  if (fault?.kind === 'answers-after' && line.maxWaitS !== null && line.maxWaitS < fault.seconds)
    return yield serverMessages.waitedTooLong(line.maxWaitS);
  if (fault?.kind === 'says')
    yield { kind: 'message', severity: fault.severity, generic: fault.generic, text: fault.text };
  if (fault?.kind === 'message')
    return yield { kind: 'message', severity: fault.severity, generic: fault.generic, text: fault.text };
  if (fault?.kind === 'drive-client') {
    const hasInput = (): boolean => invocation.readInput() !== '';
    const { host, onViolation: violate, onUpload: upload } = invocation;
    if ((yield* driveClient(fault, { setting, hasInput, host, violate, upload })) === 'ends') return;
  }
  if (fault?.kind === 'foreign-file') yield* foreignFile(fault.path);
  const words = [line.command, ...args];
  const answer = model.answers?.find(
    ({ command }) => command.length === words.length && command.every((word, at) => word === words[at]),
  );
  if (answer !== undefined) return yield* answer.tagged === true && !line.tagged ? [] : answer.events.map(modelEvent);
  const client = line.client ?? (setting('P4CLIENT') || 'ws');
  const violate = invocation.onViolation;
  yield* runServerCommand(line.command, args, { model, store, user, client, tagged: line.tagged, violate });
}

function modelEvent(event: P4SimulatorEvent): ServerEvent {
  if (!('data' in event)) return event;
  const bytes = typeof event.data === 'string' ? Buffer.from(event.data) : Buffer.from(event.data.base64, 'base64');
  return { kind: event.kind, data: bytes };
}

function* foreignFile(path: string): Generator<ServerEvent> {
  yield {
    kind: 'stat',
    fields: [
      ['depotFile', path],
      ['rev', '1'],
      ['change', '1'],
    ],
  };
  yield { kind: 'text', data: Buffer.from('foreign\n') };
}

function readBatches(line: ClientCommandLine, invocation: SimulatedInvocation): string[][] {
  if (line.operandFile === null) return [[...line.args]];
  const text = line.operandFile === '-' ? invocation.readInput() : (invocation.readText(line.operandFile) ?? '');
  const operands = text.replace(/\n$/, '').split('\n');
  const batches: string[][] = [];
  for (let from = 0; from < operands.length; from += line.batch)
    batches.push([...line.args, ...operands.slice(from, from + line.batch)]);
  return batches;
}

function* applyFault(output: ClientOutput, fault: P4SimulatorFault | null): ClientOutput {
  if (fault?.kind === 'garbage')
    yield { to: 'stdout', bytes: Buffer.from('Character set must be one of: none, utf8\n') };
  if (fault?.kind !== 'drop') return yield* output;
  let left = fault.afterBytes;
  for (const { to, bytes } of output) {
    if (to === 'stdout') yield { to, bytes: bytes.subarray(0, left) };
    if (to === 'stdout') left -= Math.min(left, bytes.length);
  }
  yield { to: 'stderr', bytes: clientError([serverMessages.dropped().text]) };
  return 1;
}

const versionText =
  'Perforce - The Fast Software Configuration Management System.\nRev. P4/SIMULATOR/2023.2/2535420 (2023/12/19).\n';

/** `address (user) ticket` a line, as the client shows what it keeps. */
function listTickets(file: string): string {
  return [...file.matchAll(/^(.*)=([^:\n]*):(.*)$/gm)]
    .map(([, address, user, ticket]) => `${address} (${user}) ${ticket}\n`)
    .join('');
}

/** What the client does by itself, without a server. */
function clientAnswer(command: string, text: string): SimulatedRun {
  return { command, operands: [], port: '', output: wholeOutput(Buffer.from(text)), fault: null };
}

function* wholeOutput(bytes: Buffer): ClientOutput {
  yield { to: 'stdout', bytes };
  return 0;
}

function clientFailure(command: string, port: string, lines: readonly string[]): SimulatedRun {
  return { command, operands: [], port, output: failedOutput(clientError(lines)), fault: null };
}

function* failedOutput(bytes: Buffer): ClientOutput {
  yield { to: 'stderr', bytes };
  return 1;
}
