import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecretSource } from '@criticizer/core/ports';
import {
  createAllowList,
  createP4RunnerClient,
  createP4RunnerServer,
  type P4ChangeFetcherOptions,
  type P4RunnerServerOptions,
  type P4RunnerTarget,
} from '../src/index.js';
import { createFrameReader, encodeFrame, encodeParts, frameType } from '../src/runner/runner-frames.js';
import { type RunnerRequest, sha256, signRequest } from '../src/runner/runner-request.js';
import { createP4Simulator, type P4SimulatorModel } from '../src/testing/index.js';
import { secretSource, setUpFetcher } from './fetcher-setup.js';

const closers: (() => unknown)[] = [];

/** Call after each test. */
export async function closeRunners(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

/** A runner on a simulator, and a fetcher that has nothing but its socket and key. */
export async function setUpRunner(
  model: P4SimulatorModel,
  {
    server = {},
    fetcher = {},
    others = [],
    allow = ['//depot/main/...'],
    ticket,
    previousTicket,
    clientKeys = (key) => secretSource(key),
  }: {
    server?: Partial<P4RunnerServerOptions>;
    fetcher?: Partial<P4ChangeFetcherOptions>;
    /** More servers of the runner. */
    others?: readonly P4RunnerTarget[];
    allow?: readonly string[];
    ticket?: string;
    previousTicket?: string;
    /** What the client has where the runner has `key`. */
    clientKeys?: (key: string) => SecretSource;
  } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'criticizer-runner-'));
  const simulator = createP4Simulator(model);
  const keyText = randomBytes(32).toString('hex');
  const key = { source: secretSource(keyText), name: 'KEY' };
  const socketPath = join(folder, 'p4.sock');
  const runner = createP4RunnerServer({
    socketPath,
    key,
    targets: [
      {
        serverId: 'main',
        executable: simulator.executable,
        containment: 'accept-none',
        port: simulator.port,
        user: 'reviewer',
        ticket: ticket === undefined ? undefined : { source: secretSource(ticket, previousTicket), name: 'T' },
        allowList: createAllowList({ allow }),
      },
      ...others,
    ],
    ...server,
  });
  await runner.listen();
  closers.push(
    () => rmSync(folder, { recursive: true }),
    () => simulator.dispose(),
    () => runner.close(),
  );
  const client = createP4RunnerClient({
    ...{ socketPath, serverId: 'main' },
    key: { source: clientKeys(keyText), name: 'KEY' },
  });
  const set = setUpFetcher(model, { executable: undefined, containment: undefined, runner: client, ...fetcher });
  return { ...set, simulator, runner, client, socketPath, key: keyText, folder };
}

/** What a client of one's own making says, and what it is answered. */
export interface RawConversation {
  /** Changes the fields of the request before it is signed. */
  fields?: Partial<RunnerRequest>;
  operands?: readonly string[];
  key: string;
  /** In place of a signed request: bytes as they are. */
  raw?: Buffer;
  /** The nonce that the request is signed for, where it is not the one of the greeting. */
  helloNonce?: string;
}

/** The kinds of frame that came, the last payload, and the greeting's nonce. */
export function converseRaw(
  socketPath: string,
  { fields, operands = ['5'], key, raw, helloNonce }: RawConversation,
): Promise<{ types: number[]; last: string; nonce: string; sent: Buffer }> {
  const list = Buffer.from(JSON.stringify(operands));
  const request: RunnerRequest = {
    ...{ version: 1, nonce: randomBytes(32).toString('hex'), serverId: 'main', name: 'describe', flags: ['-s'] },
    ...{ operandsPerBatch: null, operandBytes: list.length, operandsSha256: sha256(list) },
    ...{ charset: 'none', ticketVersion: 'current', wallMs: 10_000, maxOutputBytes: 1_000_000 },
    ...fields,
  };
  return new Promise((resolve, reject) => {
    const socket = createConnection(socketPath);
    const types: number[] = [];
    let [last, nonce] = ['', ''];
    let sent: Buffer = Buffer.alloc(0);
    const reader = createFrameReader((type, payload) => {
      types.push(type);
      last = payload.toString('utf8');
      if (type !== frameType.hello) return;
      ({ nonce } = JSON.parse(last));
      const json = JSON.stringify(request);
      const signed = encodeFrame(frameType.request, `${signRequest(key, helloNonce ?? nonce, json)}${json}`);
      sent = raw ?? Buffer.concat([signed, ...encodeParts(frameType.operands, list)]);
      socket.write(sent);
    });
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve({ types, last, nonce, sent }));
  });
}
