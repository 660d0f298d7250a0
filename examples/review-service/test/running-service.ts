// The service in the process of a test, over real endpoints, with short waits.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@criticizer/core';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { expect, vi } from 'vitest';
import { runService } from '../src/compose/run-service.js';
import { readConfiguration } from '../src/config/configuration.js';
import { makeServer, submitted } from '../src/simulated/stand-ins.js';
import { type RealEndpoints, startRealEndpoints } from './real-endpoints.js';

const opened: (() => unknown)[] = [];

/** What is closed in the end, the last one first. */
export function closeLater(close: () => unknown): void {
  opened.push(close);
}

/** Call after each test. */
export async function closeServices(): Promise<void> {
  for (const close of opened.splice(0).reverse()) await close();
}

/** How long a test waits for what must come. */
export const waiting = { timeout: 30_000, interval: 20 };

/** Everything outside of a service, and settings with short waits. */
export async function openEndpoints(...more: Parameters<typeof startRealEndpoints>): Promise<RealEndpoints> {
  const endpoints = await startRealEndpoints(...more);
  opened.push(() => endpoints[Symbol.asyncDispose]());
  const quick = join(endpoints.place.directory, 'settings.json');
  const settings = {
    worker: { leaseMs: 1_000, pollMinMs: 20, pollMaxMs: 50, shutdownGraceMs: 2_000 },
    retry: { parkMs: 100, initialMs: 10, maxMs: 100 },
    watch: { quietMs: 0 },
  };
  writeFileSync(quick, JSON.stringify(settings));
  endpoints.env['SETTINGS_FILE'] = quick;
  return endpoints;
}

/** The service in this process, until `stop`. */
export async function startService(env: NodeJS.ProcessEnv, roles = { intake: true, work: true }) {
  const stopping = new AbortController();
  const lines: string[] = [];
  const log =
    (level: string) =>
    (fields: object, message: string): void =>
      void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { debug: () => undefined, info: log('info'), warn: log('warn'), error: log('error') };
  let listening: (url: string) => void = () => undefined;
  const url = new Promise<string>((resolve) => {
    listening = resolve;
  });
  const ended = runService(readConfiguration(env), roles, { logger, signal: stopping.signal, onListening: listening });
  const stop = async (): Promise<void> => {
    stopping.abort();
    await ended;
  };
  opened.push(stop);
  const origin = await Promise.race([url, ended.then(() => Promise.reject(new Error('it ended before it listened')))]);
  const read = async (path: string) => {
    const response = await fetch(`${origin}${path}`);
    return { status: response.status, text: await response.text() };
  };
  const ready = () => vi.waitFor(async () => expect(await read('/ready')).toMatchObject({ status: 200 }), waiting);
  /** As a trigger of the Perforce server does. */
  const tell = (secret: string, change: number, serverId = 'main') =>
    fetch(`${origin}/servers/${serverId}/changes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}` },
      body: JSON.stringify({ change }),
    });
  return { origin, read, ready, stop, tell, lines };
}

/** A running service and its endpoints. */
/** A service of channels alone: its environment names no mail server. */
export function dropMail({ env }: RealEndpoints): void {
  for (const name of Object.keys(env)) if (/^(?:SMTP|MAIL)_/.test(name)) delete env[name];
}

/** Lets a destination have findings, by a settings file that adds the grant to the one there is. */
export function grantFindings({ env, place }: RealEndpoints, destination: string): void {
  const granted = { egress: { content: [{ destination, highest: 'findings' }] } };
  const file = join(place.directory, 'granted.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(env.SETTINGS_FILE ?? '', 'utf8')), ...granted }));
  env.SETTINGS_FILE = file;
}

export type Service = Awaited<ReturnType<typeof startService>>;
/** Submits changes, and has the trigger tell of the last one. */
export async function submit({ place }: RealEndpoints, service: Service, ...numbers: number[]): Promise<void> {
  const changes = numbers.map((number) => submitted(number, `const total = ${number};\n`));
  place.simulator.update({ changes: [...makeServer('').changes, ...changes] });
  expect((await service.tell(place.triggerSecret, numbers.at(-1) ?? 0)).status).toBe(200);
}

/** The SQLite queue of the service. */
export function openQueue({ env }: RealEndpoints) {
  const stores = createSqliteStores({ file: join(env['DATA_DIR'] ?? '', 'queue.sqlite') });
  opened.push(() => stores.close());
  return stores;
}
