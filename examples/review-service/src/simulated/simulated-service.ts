// The service with all that is outside of it on this machine: what run.ts shows and the tests drive.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFileSecrets, createMemoryMailer, type MemoryMailer, type SecretSource } from '@criticizer/core';
import { createHttpClient } from '@criticizer/core/http';
import { createOpenAiChatProvider } from '@criticizer/core/llm';
import type { P4DoctorOptions } from '@criticizer/p4';
import { createP4Simulator, type P4Simulator } from '@criticizer/p4/testing';
import {
  composeReviewService,
  type ReviewService,
  type ReviewServiceOptions,
  type ServedServer,
  type ServerParts,
} from '../compose/review-service.js';
import { startHttpServer } from '../http/http-server.js';
import { checkQueue, readReadiness } from '../http/readiness.js';
import { makeServer, type StandInReply, startModel } from './stand-ins.js';

export const serverId = 'main';
const allow = ['//depot/orders/...'];

/**
 * What lies in a folder and outlives a process: the simulated Perforce server, and the secrets as a
 * secret manager would mount them.
 */
export interface Place {
  directory: string;
  simulator: P4Simulator;
  secrets: SecretSource;
  /** `server`: the server wants another ticket from now on. `file`: the service gets the one that the server wants. */
  renewTicket(where: 'file' | 'server'): void;
  triggerSecret: string;
  swarmSecret: string;
  p4: { executable: string; containment: 'accept-none'; port: string; user: string; trustFingerprint: string };
  dispose(): void;
}

/** Generates every secret of the place. */
export function makePlace(directory: string): Place {
  const folder = join(directory, 'secrets');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const write = (name: string, value: string): void => writeFileSync(join(folder, name), value, { mode: 0o600 });
  const key = (): string => randomBytes(32).toString('base64');
  let ticket = randomBytes(16).toString('hex').toUpperCase();
  const [triggerSecret, swarmSecret] = [key(), key()];
  for (const [name, value] of Object.entries({
    ARTIFACT_KEY: key(),
    FINGERPRINT_KEY: key(),
    TRIGGER_SECRET: triggerSecret,
    SWARM_SECRET: swarmSecret,
    P4_TICKET: ticket,
  }))
    write(name, value);
  const model = makeServer(ticket);
  const simulator = createP4Simulator(model);
  return {
    directory,
    simulator,
    secrets: createFileSecrets({ directory: folder }),
    triggerSecret,
    swarmSecret,
    p4: {
      ...{ executable: simulator.executable, containment: 'accept-none' },
      ...{ port: model.port, user: 'reviewbot', trustFingerprint: model.fingerprint },
    },
    renewTicket(where) {
      if (where === 'file') return write('P4_TICKET', ticket);
      ticket = randomBytes(16).toString('hex').toUpperCase();
      simulator.update({ users: makeServer(ticket).users });
    },
    dispose: () => simulator.dispose(),
  };
}

/** The parts of the one server, its endpoints and its mailer. */
export interface SimulatedService<Tx> extends ServerParts, AsyncDisposable {
  /** Of the endpoints: `http://127.0.0.1:port`. */
  url: string;
  criticizer: ReviewService<Tx>['criticizer'];
  mailer: MemoryMailer;
}

type SimulatedOptions<Tx> = Pick<ReviewServiceOptions<Tx>, 'stores' | 'logger' | 'onEvent' | 'onTicket'> &
  Partial<Pick<ReviewServiceOptions<Tx>, 'changeUrl' | 'channels' | 'settings'>> &
  Partial<Pick<ServedServer, 'watch' | 'swarm'>> & { reply?: StandInReply | undefined };

/** Starts the service on the place, with a model that has nothing to say and a mailer that keeps what it is given. */
export async function startSimulatedService<Tx>(
  { directory, secrets, p4 }: Pick<Place, 'directory' | 'secrets' | 'p4'>,
  { watch, swarm, reply, ...options }: SimulatedOptions<Tx>,
): Promise<SimulatedService<Tx>> {
  const { stores, logger, settings } = options;
  const model = await startModel(reply);
  const mailer = createMemoryMailer();
  const server: ServedServer = {
    serverId,
    p4: { ...p4, ticket: { source: secrets, name: 'P4_TICKET' } },
    hasFullListAccess: true,
    allow,
    watch: { watch: ['submitted', 'shelved'], pollMs: 1_000, ...watch },
    swarm,
  };
  await stores.migrate();
  const service = await composeReviewService({
    servers: [server],
    llm: createOpenAiChatProvider({
      id: 'stand-in',
      model: 'stand-in',
      baseUrl: `${model.origin}/v1`,
      http: createHttpClient({ allowPrivateOrigins: [model.origin] }),
      limits: { contextTokens: 128_000, maxOutputTokens: 8_192 },
    }),
    mailer,
    sender: { address: 'reviews@example.test', name: 'Criticizer', host: 'reviews.example.test' },
    secrets,
    directory,
    ...options,
    settings: { ...settings, egress: { mailDomains: ['example.test'], ...settings?.egress } },
  });
  const parts = service.servers.get(serverId);
  if (parts === undefined) throw new TypeError('the service has no server');
  await service.criticizer.start();
  const readiness = () => readReadiness({ queue: () => checkQueue(stores) });
  const http = await startHttpServer({ port: 0, servers: () => service.servers, readiness, logger });
  service.startIntake();
  return {
    ...parts,
    url: http.url,
    criticizer: service.criticizer,
    mailer,
    async [Symbol.asyncDispose]() {
      await http.close();
      await service.stop();
      model.close();
    },
  };
}

/** What the doctor asks about the place. */
export function doctorOptions({ p4, secrets }: Place): P4DoctorOptions {
  return { serverId, ...p4, ticket: { source: secrets, name: 'P4_TICKET' }, allowList: { allow } };
}
