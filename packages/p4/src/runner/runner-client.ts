import { randomBytes } from 'node:crypto';
import { createConnection, type Socket } from 'node:net';
import { isAbsolute } from 'node:path';
import { checkedElsewhere, checkName, checkOptions, type OptionShape, observerShape } from '@criticizer/core/internal';
import {
  type Clock,
  type CriticizerError,
  isCriticizerError,
  revealSecret,
  type SecretSource,
  type SecretVersion,
  systemClock,
} from '@criticizer/core/ports';
import type { P4ProcessResult } from '../client/p4-process.js';
import type { P4Runner, P4RunRequest } from '../client/p4-runner.js';
import { namedSecret } from '../policy/option-shapes.js';
import { reportedFailure, runnerRefused, runnerUnavailable } from './runner-failures.js';
import {
  createFrameReader,
  encodeFrame,
  encodeParts,
  frameType,
  malformedFrame,
  protocolVersion,
} from './runner-frames.js';
import { endSchema, helloSchema, parseAs, type RunnerRequest, sha256, signRequest } from './runner-request.js';

/** Where the runner listens, and for which of its servers commands are meant. */
export interface P4RunnerClientOptions {
  /** Absolute path of the runner's Unix socket. */
  socketPath: string;
  /** The runner's name for the server. */
  serverId: string;
  /** The key that both sides have, read before each command; 32 bytes or more. */
  key: { source: SecretSource; name: string };
  clock?: Clock | undefined;
}

const optionShape: OptionShape<P4RunnerClientOptions> = {
  socketPath: checkedElsewhere,
  serverId: checkName,
  key: namedSecret,
  clock: observerShape.clock,
};

/** How much longer than the process itself a conversation may take. */
const conversationMs = 10_000;
/** How long a turn may be waited for: more than the runner lets anybody wait. */
const turnMs = 60_000;

/**
 * The other side of `createP4RunnerServer`, for the option `runner` of fetchers and watchers: one
 * connection a command, and closing it ends the command. Output that was not followed by the end
 * of the process is never taken for all of it. Where the runner does not have the current key yet, the
 * one before it is tried (SEC-5). Throws a TypeError that names the option.
 */
export function createP4RunnerClient(options: P4RunnerClientOptions): P4Runner {
  checkOptions('createP4RunnerClient', options, optionShape);
  if (typeof options.socketPath !== 'string' || !isAbsolute(options.socketPath))
    throw new TypeError('createP4RunnerClient: socketPath: expected an absolute path');
  const { socketPath, key, clock = systemClock } = options;
  return {
    async run(request) {
      request.signal.throwIfAborted();
      const runWith = ({ secret }: SecretVersion): Promise<P4ProcessResult> => {
        const message = encodeRequest(options.serverId, request, revealSecret(secret));
        return converse(createConnection(socketPath), request, message, clock);
      };
      const { current, previous } = await key.source.read(key.name, { signal: request.signal });
      try {
        return await runWith(current);
      } catch (error) {
        if (previous === undefined || !isDeniedKey(error)) throw error;
        return runWith(previous);
      }
    },
  };
}

/** True where the runner does not have the key: nothing was run. */
function isDeniedKey(error: unknown): boolean {
  return isCriticizerError(error) && error.code === 'P4_RUNNER_REFUSED' && error.details['part'] === 'authentication';
}

/** Everything of a request but its MAC, which needs the runner's nonce. */
function encodeRequest(serverId: string, request: P4RunRequest, key: string): (helloNonce: string) => Buffer[] {
  const { name, flags, operands, operandsPerBatch } = request.command;
  const { charset, ticketVersion, wallMs, maxOutputBytes } = request;
  const list = Buffer.from(JSON.stringify(operands), 'utf8');
  const fields: RunnerRequest = {
    ...{ version: protocolVersion, nonce: randomBytes(32).toString('hex'), serverId },
    ...{ name, flags: [...flags], operandsPerBatch: operandsPerBatch ?? null },
    ...{ operandBytes: list.length, operandsSha256: sha256(list), charset, ticketVersion, wallMs, maxOutputBytes },
  };
  const json = JSON.stringify(fields);
  return (helloNonce) => [
    encodeFrame(frameType.request, `${signRequest(key, helloNonce, json)}${json}`),
    ...encodeParts(frameType.operands, list),
  ];
}

function converse(
  socket: Socket,
  request: P4RunRequest,
  message: (helloNonce: string) => Buffer[],
  clock: Clock,
): Promise<P4ProcessResult> {
  return new Promise((resolve, reject) => {
    const timer = new AbortController();
    let stderr = '';
    let isOver = false;
    const finish = (settle: () => void): void => {
      if (isOver) return;
      isOver = true;
      timer.abort();
      request.signal.removeEventListener('abort', onAbort);
      socket.destroy();
      settle();
    };
    const fail = (error: unknown): void => finish(() => reject(error));
    const onAbort = (): void => fail(request.signal.reason);
    const onFrame = (type: number, payload: Buffer): void => {
      if (isOver) return;
      const text = type === frameType.stdout ? '' : payload.toString('utf8');
      if (type === frameType.stdout) request.onOutput(payload);
      else if (type === frameType.hello) sendRequest(socket, text, message);
      else if (type === frameType.stderr) stderr = text;
      else if (type === frameType.end) finish(() => readEnd(text, stderr, resolve, reject));
      else if (type === frameType.refused) fail(runnerRefused(text));
      else if (type === frameType.failed) fail(reportedFailure(text));
      else throw malformedFrame('a frame that only a client sends');
    };
    const reader = createFrameReader(onFrame);
    request.signal.addEventListener('abort', onAbort, { once: true });
    clock.sleep(turnMs + request.wallMs + conversationMs, timer.signal).then(
      () => fail(runnerUnavailable('it did not answer in time')),
      () => undefined,
    );
    socket.on('error', (error) => fail(runnerUnavailable('its socket cannot be used', error)));
    socket.on('close', () => fail(runnerUnavailable('it closed the connection before the end of the command')));
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch (error) {
        fail(error);
      }
    });
  });
}

function sendRequest(socket: Socket, hello: string, message: (helloNonce: string) => Buffer[]): void {
  const read = parseAs(helloSchema, hello);
  if (read === null) throw malformedFrame('a greeting that is none');
  if (read.version !== protocolVersion) throw runnerRefused('version');
  for (const frame of message(read.nonce)) socket.write(frame);
}

function readEnd(
  text: string,
  stderr: string,
  resolve: (result: P4ProcessResult) => void,
  reject: (error: CriticizerError) => void,
): void {
  const end = parseAs(endSchema, text);
  if (end === null) reject(malformedFrame('an end that is none'));
  else resolve({ ...end, signal: end.signal as NodeJS.Signals | null, stderr });
}
