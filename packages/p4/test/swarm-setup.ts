import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Secret, type SecurityEvent, type SettingsInput } from '@criticizer/core';
import { createHttpClient } from '@criticizer/core/http';
import { type Clock, createKillSwitch, createOutboundGate } from '@criticizer/core/ports';
import {
  createSwarmReports,
  createSwarmTestEndpoint,
  type SwarmReports,
  type SwarmReportsOptions,
} from '../src/index.js';
import type { P4SimulatorModel } from '../src/testing/index.js';
import { setUpWatchers } from './watcher-setup.js';

const open: (() => unknown)[] = [];

/** Call after each test. */
export async function closeSwarms(): Promise<void> {
  for (const close of open.splice(0).reverse()) await close();
}

/** What was posted to the stand-in of P4 Code Review. */
export interface PostedUpdate {
  path: string;
  contentType: string;
  body: unknown;
  /** SHA-256 of the body as it came, hex. */
  sha256: string;
}

/** Answers every post with the next of `answers`, and with success when there is none left. */
export async function startSwarm(answers: { status?: number; headers?: Record<string, string>; body?: string }[] = []) {
  const posted: PostedUpdate[] = [];
  const listeners: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const text = Buffer.concat(parts).toString();
    posted.push({
      path: request.url ?? '',
      contentType: request.headers['content-type'] ?? '',
      body: JSON.parse(text || 'null'),
      sha256: createHash('sha256').update(Buffer.concat(parts)).digest('hex'),
    });
    const { status = 200, headers = {}, body = '{"error":null,"messages":[],"data":{}}' } = answers.shift() ?? {};
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    for (const listener of listeners) listener();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    posted,
    /** As P4 Code Review makes one for each test run. */
    updateUrl: (run: number): string => `${origin}/api/v11/testruns/${run}/${randomUUID().toUpperCase()}`,
    whenPosted: (count: number): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => void (posted.length >= count && resolve());
        listeners.push(look);
        look();
      }),
  };
}

/** A watcher's Criticizer whose reviews are reported to a stand-in of P4 Code Review, and the endpoint of its tests. */
export async function setUpSwarm(
  model: P4SimulatorModel,
  more: Partial<SwarmReportsOptions<never>> & {
    answers?: Parameters<typeof startSwarm>[0];
    settings?: SettingsInput;
    storeClock?: Clock;
  } = {},
) {
  const { answers, settings, storeClock, ...options } = more;
  const swarm = await startSwarm(answers);
  const events: SecurityEvent[] = [];
  const logged: object[] = [];
  const log = (fields: object, message: string): void => void logged.push({ ...fields, message });
  const logger = { debug: log, info: log, warn: log, error: log };
  const http = createHttpClient({ allowPrivateOrigins: [swarm.origin] });
  open.push(() => http.close());
  const made: SwarmReports[] = [];
  const watched = setUpWatchers(
    { main: model },
    {
      logger,
      ...(settings === undefined ? {} : { settings }),
      ...(storeClock === undefined ? {} : { storeClock }),
      kinds(stores) {
        const securityEvents = { emit: (event: SecurityEvent) => void events.push(event) };
        const outbound = createOutboundGate({
          killSwitch: createKillSwitch({ documents: stores.documents, cacheMs: 0 }),
          log: stores.egress,
        });
        const where = { origin: swarm.origin, http, outbound, securityEvents, logger };
        made.push(createSwarmReports({ ...where, serverId: 'main', jobs: stores.jobs, ...options }));
        return made.map(({ kind }) => kind);
      },
    },
  );
  const [reports] = made;
  if (reports === undefined) throw new Error('no reports');
  const [secret, previous] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
  const version = (text: string) => ({ secret: new Secret(text), version: '1' });
  const source = {
    contract: 1 as const,
    read: async () => ({ current: version(secret), previous: version(previous) }),
  };
  const endpoint = createSwarmTestEndpoint({
    intake: watched.watcher,
    reports,
    secret: { source, name: 'SWARM_SECRET' },
    logger,
  });
  const call = (
    request: RequestInit & { query?: string } = {},
    authorization: string | null = `Bearer ${secret}`,
  ): Promise<Response> =>
    endpoint.fetch(
      new Request(`https://reviews.example.test/swarm${request.query ?? ''}`, {
        method: 'POST',
        ...request,
        headers: {
          'content-type': 'application/json',
          ...request.headers,
          ...(authorization === null ? {} : { authorization }),
        },
      }),
    );
  /** As a JSON body with every word. */
  const runTest = (words: Record<string, unknown>): Promise<Response> =>
    call({ body: JSON.stringify({ change: '12', status: 'shelved', review: '12', version: '1', ...words }) });
  return { ...watched, swarm, events, logged, reports, endpoint, secret, previous, call, runTest };
}
