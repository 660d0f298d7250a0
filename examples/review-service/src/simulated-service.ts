// The service with all that is outside of it on this machine: what run.ts shows and the tests drive.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFileSecrets, createMemoryMailer, type MemoryMailer, type SecretSource } from '@criticizer/core';
import { createHttpClient } from '@criticizer/core/http';
import { createOpenAiChatProvider } from '@criticizer/core/llm';
import type { P4DoctorOptions } from '@criticizer/p4';
import { createP4Simulator, type P4Simulator } from '@criticizer/p4/testing';
import { type ReviewService, type ReviewServiceOptions, startReviewService } from './review-service.js';
import { makeServer, startModel } from './stand-ins.js';

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
  p4: { executable: string; port: string; user: string; trustFingerprint: string };
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
    p4: { executable: simulator.executable, port: model.port, user: 'reviewbot', trustFingerprint: model.fingerprint },
    renewTicket(where) {
      if (where === 'file') return write('P4_TICKET', ticket);
      ticket = randomBytes(16).toString('hex').toUpperCase();
      simulator.update({ users: makeServer(ticket).users });
    },
    dispose: () => simulator.dispose(),
  };
}

export interface SimulatedService<Tx> extends ReviewService<Tx> {
  mailer: MemoryMailer;
}

type SimulatedOptions<Tx> = Pick<ReviewServiceOptions<Tx>, 'stores' | 'logger' | 'onEvent' | 'onTicket'> &
  Partial<Pick<ReviewServiceOptions<Tx>, 'watch' | 'settings' | 'swarm' | 'changeUrl'>>;

/** Starts the service on the place, with a model that has nothing to say and a mailer that keeps what it is given. */
export async function startSimulatedService<Tx>(
  place: Pick<Place, 'directory' | 'secrets' | 'p4'>,
  options: SimulatedOptions<Tx>,
): Promise<SimulatedService<Tx>> {
  const model = await startModel();
  const mailer = createMemoryMailer();
  const { directory, secrets, p4 } = place;
  const service = await startReviewService({
    serverId,
    p4,
    hasFullListAccess: true,
    allow,
    watch: { watch: ['submitted', 'shelved'], pollMs: 1_000 },
    llm: createOpenAiChatProvider({
      id: 'stand-in',
      model: 'stand-in',
      baseUrl: `${model.origin}/v1`,
      http: createHttpClient({ allowPrivateOrigins: [model.origin] }),
      limits: { contextTokens: 128_000, maxOutputTokens: 8_192 },
    }),
    mailer,
    secrets,
    directory,
    httpPort: 0,
    ...options,
  });
  return {
    ...service,
    mailer,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      model.close();
    },
  };
}

/** What the doctor asks about the place. */
export function doctorOptions({ p4, secrets }: Place): P4DoctorOptions {
  return { serverId, ...p4, ticket: { source: secrets, name: 'P4_TICKET' }, allowList: { allow } };
}
