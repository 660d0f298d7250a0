import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type Clock, type Logger, revealSecret, type Secret, type SecretSource } from '@criticizer/core/ports';
import type { P4CommandLimit } from '../client/command-limit.js';
import type { P4Command } from '../client/p4-command.js';
import type { LocalRunner } from '../client/p4-local-runner.js';
import type { AllowList } from '../policy/allow-list.js';
import { failureCode, type Refusal } from './runner-failures.js';
import {
  createFrameReader,
  encodeFrame,
  encodeParts,
  frameType,
  maxOperandBytes,
  protocolVersion,
} from './runner-frames.js';
import { judgeRequest, type RunnerLimits } from './runner-policy.js';
import { isSigned, operandsSchema, parseAs, type RunnerRequest, requestSchema, sha256 } from './runner-request.js';

/** A server that commands may be run on. */
export interface RunnerTarget {
  allowList: AllowList;
  ticket: { source: SecretSource; name: string } | undefined;
  runner: LocalRunner;
  /** Runs a task in its turn among the commands of this server. */
  inTurn: P4CommandLimit;
}

/** What every conversation needs. */
export interface RunnerParts {
  key: { source: SecretSource; name: string };
  targets: ReadonlyMap<string, RunnerTarget>;
  limits: RunnerLimits;
  maxWaitMs: number;
  logger: Logger;
  clock: Clock;
}

/** How long a client may take to send its request. */
const requestMs = 10_000;

interface ReceivedRequest {
  mac: string;
  json: string;
  operands: Buffer;
}

/**
 * Greets, takes one request, and runs it in its turn where the runner's own lists allow; who lacks
 * the key takes no turn. Resolves when it is over, whatever happened; never rejects.
 */
export async function holdConversation(socket: Socket, parts: RunnerParts, isBusy: boolean): Promise<void> {
  const gone = new AbortController();
  socket.on('error', () => undefined);
  socket.once('close', () => gone.abort(new Error('the client has gone')));
  try {
    if (isBusy) return void socket.write(busy);
    const nonce = randomBytes(32).toString('hex');
    const received = receiveRequest(socket, gone.signal, parts.clock);
    socket.write(encodeFrame(frameType.hello, JSON.stringify({ version: protocolVersion, nonce })));
    const judged = await judge(await received, nonce, parts);
    if (typeof judged === 'string') return void socket.write(encodeFrame(frameType.refused, judged));
    const { inTurn: run } = judged.target;
    await inTurn(() => runJudged(socket, judged, parts, gone.signal), gone.signal, { ...parts, run });
  } catch (error) {
    if (!gone.signal.aborted)
      socket.write(error === tooLate ? busy : encodeFrame(frameType.failed, failureCode(error)));
  }
}

const busy = encodeFrame(frameType.refused, 'busy' satisfies Refusal);
const tooLate = new Error('no turn came in time');

/** Waits for the command's turn; rejects with `tooLate` where none comes in time. */
async function inTurn(
  task: () => Promise<void>,
  gone: AbortSignal,
  { run, maxWaitMs, clock }: Pick<RunnerParts, 'clock' | 'maxWaitMs'> & { run: P4CommandLimit },
): Promise<void> {
  const waiting = new AbortController();
  const timer = new AbortController();
  const leave = (): void => waiting.abort(gone.reason);
  gone.addEventListener('abort', leave, { once: true });
  clock.sleep(maxWaitMs, timer.signal).then(
    () => waiting.abort(tooLate),
    () => undefined,
  );
  try {
    await run(() => {
      timer.abort();
      return task();
    }, waiting.signal);
  } finally {
    timer.abort();
    gone.removeEventListener('abort', leave);
  }
}

/** The frames of a request. Rejects where they do not come in time, or are not those of a request. */
async function receiveRequest(socket: Socket, gone: AbortSignal, clock: Clock): Promise<ReceivedRequest> {
  const timer = new AbortController();
  const late = clock.sleep(requestMs, timer.signal).then(
    () => Promise.reject(new Error('no request came in time')),
    () => new Promise<never>(() => undefined),
  );
  const left = once(gone, 'abort').then(() => Promise.reject(gone.reason));
  try {
    return await Promise.race([readFrames(socket), late, left]);
  } finally {
    timer.abort();
    socket.removeAllListeners('data');
    socket.resume(); // a second request on the connection is read and ignored
  }
}

function readFrames(socket: Socket): Promise<ReceivedRequest> {
  return new Promise((resolve, reject) => {
    let head: { mac: string; json: string; request: RunnerRequest | null } | null = null;
    const parts: Buffer[] = [];
    let bytes = 0;
    const reader = createFrameReader((type, payload) => {
      if (head === null) {
        if (type !== frameType.request) throw new Error('expected a request');
        const text = payload.toString('utf8');
        const json = text.slice(64);
        head = { mac: text.slice(0, 64), json, request: parseAs(requestSchema, json) };
      } else if (type === frameType.operands) {
        parts.push(payload);
        bytes += payload.length;
      } else throw new Error('expected operands');
      const wanted = head.request?.operandBytes ?? 0;
      if (bytes > maxOperandBytes || wanted > maxOperandBytes) throw new Error('too many operands');
      if (head.request === null || (parts.length > 0 && bytes >= wanted))
        resolve({ mac: head.mac, json: head.json, operands: Buffer.concat(parts) });
    });
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch (error) {
        reject(error);
      }
    });
  });
}

interface JudgedRequest {
  request: RunnerRequest;
  command: P4Command;
  target: RunnerTarget;
}

/** Who asks comes first: nothing of a request is looked at before its MAC. */
async function judge(received: ReceivedRequest, nonce: string, parts: RunnerParts): Promise<JudgedRequest | Refusal> {
  const { current, previous } = await parts.key.source.read(parts.key.name);
  const keys = previous === undefined ? [current] : [current, previous];
  const isKnown = (secret: Secret): boolean => isSigned(revealSecret(secret), nonce, received.json, received.mac);
  if (!keys.map(({ secret }) => isKnown(secret)).includes(true)) return 'authentication';
  const request = parseAs(requestSchema, received.json);
  if (request === null) return 'request';
  if (request.version !== protocolVersion) return 'version';
  const operands = parseAs(operandsSchema, received.operands.toString('utf8'));
  const isWhole =
    received.operands.length === request.operandBytes && sha256(received.operands) === request.operandsSha256;
  if (operands === null || !isWhole) return 'request';
  const target = parts.targets.get(request.serverId);
  if (target === undefined) return 'server';
  const command = judgeRequest(request, operands, { allowList: target.allowList, limits: parts.limits });
  return typeof command === 'string' ? command : { request, command, target };
}

/** Null for a server that asks for none; undefined where there is no such version. */
async function readTicketVersion(
  { ticket }: RunnerTarget,
  which: RunnerRequest['ticketVersion'],
  signal: AbortSignal,
): Promise<Secret | null | undefined> {
  if (ticket === undefined) return which === 'current' ? null : undefined;
  return (await ticket.source.read(ticket.name, { signal }))[which]?.secret;
}

async function runJudged(
  socket: Socket,
  { request, command, target }: JudgedRequest,
  { logger, clock }: RunnerParts,
  signal: AbortSignal,
): Promise<void> {
  const { charset, wallMs, maxOutputBytes } = request;
  const startedAt = clock.monotonicMs();
  const ticket = await readTicketVersion(target, request.ticketVersion, signal);
  if (ticket === undefined) return void socket.write(encodeFrame(frameType.refused, 'ticket' satisfies Refusal));
  const write = async (frames: readonly Buffer[]): Promise<void> => {
    const isFull = frames.map((frame) => socket.write(frame)).includes(false);
    if (isFull) await once(socket, 'drain', { signal }).catch(() => undefined);
  };
  const result = await target.runner.run({
    ...{ command, charset, wallMs, maxOutputBytes, signal, ticket },
    onOutput: (chunk) => write(encodeParts(frameType.stdout, chunk)),
  });
  const { exitCode, signal: endedBy, outputBytes, stderr } = result;
  await write([
    encodeFrame(frameType.stderr, stderr),
    encodeFrame(frameType.end, JSON.stringify({ exitCode, signal: endedBy, outputBytes })),
  ]);
  const { name, flags, operands } = command;
  const facts = { serverId: request.serverId, command: name, flags, operands: operands.length, outputBytes, exitCode };
  logger.info(
    { event: 'p4_runner.command', ...facts, durationMs: Math.round(clock.monotonicMs() - startedAt) },
    'p4 command ended',
  );
}
