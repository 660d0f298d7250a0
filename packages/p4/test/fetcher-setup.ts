import { randomBytes } from 'node:crypto';
import { isCriticizerError, Secret, type SecretSource, type SecurityEvent } from '@criticizer/core';
import type { FetchOutcome } from '@criticizer/core/ports';
import { createAllowList, createP4ChangeFetcher, type P4ChangeFetcherOptions } from '../src/index.js';
import { createP4Simulator, type P4Simulator, type P4SimulatorModel } from '../src/testing/index.js';

const simulators: P4Simulator[] = [];

/** Call after each test. */
export function disposeSimulators(): void {
  for (const simulator of simulators.splice(0)) simulator.dispose();
}

export const limits = {
  maxFiles: 1000,
  maxFileBytes: 1_000_000,
  maxTotalBytes: 10_000_000,
  contextLines: 3,
  maxNewTextBytes: 100_000,
};

/** A fetcher on a simulator, with everything it says kept. */
export function setUpFetcher(model: P4SimulatorModel, options: Partial<P4ChangeFetcherOptions> = {}) {
  const simulator = createP4Simulator(model);
  simulators.push(simulator);
  const events: SecurityEvent[] = [];
  const logged: object[] = [];
  const log = (fields: object, message: string): void => void logged.push({ ...fields, message });
  const all: P4ChangeFetcherOptions = {
    serverId: 'main',
    fingerprintKey: randomBytes(32),
    executable: simulator.executable,
    containment: 'accept-none',
    port: simulator.port,
    user: 'reviewer',
    allowList: createAllowList({ allow: ['//depot/main/...'] }),
    securityEvents: { emit: (event) => void events.push(event) },
    logger: { debug: log, info: log, warn: log, error: log },
    ...options,
  };
  const fetcher = createP4ChangeFetcher(all);
  const fetch = (
    number: number,
    more: Partial<typeof limits> = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<FetchOutcome> => fetcher.fetch(number, { limits: { ...limits, ...more }, signal });
  /** `change`, `skipped:<reason>` or the code of the error. */
  const outcome = async (number: number, more: Partial<typeof limits> = {}): Promise<string> => {
    try {
      const result = await fetch(number, more);
      return result.kind === 'change' ? 'change' : `skipped:${result.reason}`;
    } catch (error) {
      return isCriticizerError(error) ? error.code : String(error);
    }
  };
  return { simulator, events, logged, options: all, fetcher, fetch, outcome };
}

/** A source with these versions of one secret. */
export function secretSource(current: string, previous?: string): SecretSource {
  const version = (text: string) => ({ secret: new Secret(text), version: `v-${text.length}` });
  return {
    contract: 1,
    read: async () => ({
      current: version(current),
      ...(previous === undefined ? {} : { previous: version(previous) }),
    }),
  };
}

/** A submitted change 5 that edits one allowed file. */
export const smallModel: P4SimulatorModel = {
  users: [{ user: 'ann', email: 'ann@mail.example', fullName: 'Ann' }],
  changes: [
    {
      number: 4,
      user: 'ann',
      description: 'base',
      status: 'submitted',
      files: [{ path: '//depot/main/a.txt', action: 'add', content: 'one\n' }],
    },
    {
      number: 5,
      user: 'ann',
      description: 'edit',
      status: 'submitted',
      files: [{ path: '//depot/main/a.txt', action: 'edit', content: 'two\n' }],
    },
  ],
};

const file = (name: string, content: string) => ({ path: `//depot/main/${name}`, action: 'edit' as const, content });

/** What the contract of fetchers is held against: change 5 of several files. */
export const contractModel: P4SimulatorModel = {
  changes: [
    {
      number: 4,
      user: 'ann',
      status: 'submitted',
      description: 'before',
      files: [
        { ...file('a.txt', 'one\ntwo\nthree\n'), action: 'add' },
        { ...file('gone.txt', 'x\n'), action: 'add' },
      ],
    },
    {
      number: 5,
      user: 'ann',
      status: 'submitted',
      description: 'after',
      files: [
        file('a.txt', 'one\n2\nthree\nfour'),
        { path: '//depot/main/gone.txt', action: 'delete' },
        { ...file('new.txt', 'crlf\r\nlines\r\n'), action: 'add' },
      ],
    },
  ],
};
