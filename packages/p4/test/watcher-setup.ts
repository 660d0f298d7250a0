import { randomBytes } from 'node:crypto';
import {
  createCriticizer,
  createMemoryMailer,
  createMemoryStores,
  createStaticRecipients,
  type Job,
  type JobKind,
  Secret,
  type SettingsInput,
  type Stores,
} from '@criticizer/core';
import { createLocalKeyRing, createMemoryArtifactStore } from '@criticizer/core/artifacts';
import { noUsage } from '@criticizer/core/llm';
import type { Clock, FrozenMail, MailEnvelope, MemoryTx } from '@criticizer/core/ports';
import {
  type ChangeWatcherOptions,
  createAllowList,
  createChangeWatcher,
  createP4ChangeFetcher,
} from '../src/index.js';
import { createP4Simulator, type P4SimulatorChange, type P4SimulatorModel } from '../src/testing/index.js';

const open: (() => unknown)[] = [];

/** Call after each test. */
export async function closeWatchers(): Promise<void> {
  for (const close of open.splice(0).reverse()) await close();
}

const version = (text: string, name: string): string | undefined =>
  new RegExp(`"${name}": "([0-9.]+)"`).exec(text)?.[1];
const fingerprintKey = randomBytes(32);
const key = new Secret(randomBytes(32).toString('base64'));

const composeMail = ({ recipient, key: mailKey, date }: MailEnvelope): FrozenMail => ({
  messageId: `<${mailKey}@example.com>`,
  from: { address: 'reviews@example.com' },
  envelopeFrom: 'bounces@example.com',
  to: { address: recipient.address },
  subject: 'Review',
  date,
  text: 'Review',
  html: '<p>Review</p>',
  content: 'none',
  headers: [],
});

/**
 * A Criticizer over several simulated servers, with a watcher for each: everything real but the
 * model, which has nothing to say.
 */
export function setUpWatchers(
  models: Readonly<Record<string, P4SimulatorModel>>,
  more: Partial<ChangeWatcherOptions<never>> & {
    settings?: SettingsInput;
    storeClock?: Clock;
    kinds?: (stores: Stores<MemoryTx>) => readonly JobKind<unknown>[];
  } = {},
) {
  const stores = createMemoryStores({ clock: more.storeClock });
  const mailer = createMemoryMailer();
  const servers = Object.entries(models).map(([serverId, model]) => {
    const simulator = createP4Simulator(model);
    open.push(() => simulator.dispose());
    const reach = {
      serverId,
      fingerprintKey,
      executable: simulator.executable,
      containment: 'accept-none' as const,
      port: simulator.port,
      user: 'reviewer',
    };
    return {
      simulator,
      options: { ...reach, allowList: createAllowList({ allow: ['//depot/main/...'] }), securityEvents: { emit() {} } },
    };
  });
  const { settings, kinds, storeClock: _storeClock, ...watching } = more;
  const criticizer = createCriticizer({
    stores,
    changes: servers.map(({ options }) => createP4ChangeFetcher(options)),
    // Nothing here is secret.
    redactor: {
      contract: 1,
      rules: { version: '1', policyHash: 'none' },
      session: () => ({ redact: (text) => ({ text, findings: [], counts: {} }) }),
      scan: () => [],
    },
    llm: {
      contract: 1,
      id: 'model',
      model: 'm',
      modes: ['prompt'],
      limits: { contextTokens: 64_000, maxOutputTokens: 4_096 },
      prepare: ({ system }) => ({
        method: 'POST',
        url: 'https://llm.internal/',
        model: 'm',
        headers: {},
        body: system,
      }),
      async send({ body }) {
        const versions = {
          schema_version: version(body, 'schema_version'),
          prompt_version: version(body, 'prompt_version'),
        };
        return {
          stop: 'complete',
          text: JSON.stringify({ ...versions, findings: [] }),
          usage: noUsage,
          requestId: null,
          providerStop: null,
        };
      },
    },
    mailer,
    composer: {
      compose: (_content, envelope) => composeMail(envelope),
      composeCounts: (_counts, envelope) => composeMail(envelope),
    },
    recipients: createStaticRecipients([{ address: 'ada@example.com', required: true }]),
    artifacts: {
      store: createMemoryArtifactStore(),
      keys: createLocalKeyRing({
        source: { contract: 1, read: async () => ({ current: { secret: key, version: '1' } }) },
        name: 'KEK',
      }),
    },
    kinds: kinds?.(stores),
    settings: {
      intake: { shelves: 'all' },
      watch: { quietMs: 0 },
      ...settings,
      worker: { pollMinMs: 10, pollMaxMs: 20, ...settings?.worker },
    },
  });
  open.push(() => criticizer.stop({ graceMs: 2_000 }));
  const make = (at: number, others: Partial<ChangeWatcherOptions<never>> = {}) => {
    const server = servers[at];
    if (server === undefined) throw new Error('no such server');
    const parts = { criticizer, jobs: stores.jobs, cursors: stores.cursors };
    const watcher = createChangeWatcher({
      ...server.options,
      ...parts,
      ...watching,
      ...others,
    } as ChangeWatcherOptions<never>);
    open.push(() => watcher.stop());
    return watcher;
  };
  const watchers = servers.map((_, at) => make(at));
  const jobs = (): Promise<readonly Job[]> => stores.jobs.list({ limit: 1_000 });
  /** `main/5 v1`, in their order. */
  const submitted = async (): Promise<string[]> =>
    (await jobs()).map((job) => `${job.changelistId} v${job.reviewVersion}`).sort();
  const [watcher] = watchers;
  const [server] = servers;
  if (watcher === undefined || server === undefined) throw new Error('no server');
  return {
    stores,
    mailer,
    criticizer,
    watchers,
    watcher,
    make,
    simulator: server.simulator,
    reach: server.options,
    jobs,
    submitted,
  };
}

/** A submitted change of one file below `//depot/main`, or elsewhere. */
export function submittedChange(
  number: number,
  more: Partial<P4SimulatorChange> = {},
  path = `//depot/main/${number}.txt`,
): P4SimulatorChange {
  const files = [{ path, action: 'add' as const, content: `${number}\n` }];
  return { number, user: 'ann', description: `change ${number}`, status: 'submitted', files, ...more };
}

/** The shelf of a pending change that edits `//depot/main/base.txt`, whose revision 1 is change 1's. */
export function shelf(number: number, content: string, more: Partial<P4SimulatorChange> = {}): P4SimulatorChange {
  const files = [{ path: '//depot/main/base.txt', action: 'edit' as const, content }];
  return { number, user: 'ann', description: `shelf ${number}`, status: 'pending', shelved: true, files, ...more };
}

/** Change 1: what the shelves edit. */
export const base = submittedChange(1, {}, '//depot/main/base.txt');
