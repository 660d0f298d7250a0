import { randomBytes } from 'node:crypto';
import type { SecurityEvent } from '@criticizer/core';
import type { Change, ChangedFile, ContextLimits, ContextReader } from '@criticizer/core/ports';
import { createAllowList, createP4ContextReader, type P4ChangeFetcherOptions } from '../src/index.js';
import { createP4Simulator, type P4SimulatorModel } from '../src/testing/index.js';

const file = (name: string, content: string, more: object = {}) => ({
  path: `//depot/game/${name}`,
  action: 'add' as const,
  content,
  ...more,
});

/** Change 40 edits `src/world.cpp`; around it are its users, one of them denied. */
export const contextModel: P4SimulatorModel = {
  changes: [
    {
      number: 30,
      user: 'ann',
      time: 1_700_000_000,
      status: 'submitted',
      description: 'base',
      files: [
        file('src/world.cpp', 'void Step();\n'),
        file('src/ai/brain.cpp', '#include "world.h"\r\nvoid think() { Step(); }\r\nint StepSize = 3;\r\n'),
        file('src/loop.cpp', '// the loop\nvoid loop() { Step(); }\nint myStep, Stepper;\n'),
        file('src/art.bin', 'Step\0Step\n', { type: 'binary' }),
        file('src/keys/loop.cpp', 'void Step(); // canary-of-a-denied-file\n'),
        { path: '//depot/tools/loop.cpp', action: 'add', content: 'void Step(); // elsewhere\n' },
      ],
    },
    {
      number: 40,
      user: 'ann',
      time: 1_700_000_100,
      status: 'submitted',
      description: 'Step takes a time',
      files: [{ path: '//depot/game/src/world.cpp', action: 'edit', content: 'void Step(int ms);\n' }],
    },
    {
      number: 50,
      user: 'ann',
      time: 1_700_000_900,
      status: 'submitted',
      description: 'later',
      files: [{ path: '//depot/game/src/loop.cpp', action: 'edit', content: 'void loop() {}\n' }],
    },
  ],
};

const changed: ChangedFile = {
  path: '//depot/game/src/world.cpp',
  oldPath: null,
  action: 'edit',
  fileType: 'text',
  revision: 2,
  bytes: 19,
  skipped: null,
  hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-void Step();', '+void Step(int ms);'] }],
  newText: 'void Step(int ms);\n',
  addedLines: 1,
  removedLines: 1,
  encoding: 'utf8',
};

/** Change 40, as a fetcher gives it. */
export const contextChange: Change = {
  serverId: 'main',
  number: 40,
  changelistId: 'main/40',
  kind: 'submitted',
  user: 'ann',
  description: 'Step takes a time',
  changedAt: new Date(1_700_000_100_000),
  userMail: null,
  reviewerMails: [],
  jobs: [],
  files: [changed],
  visibility: 'complete',
  deniedFiles: 0,
  contentDigest: 'd',
};

export const contextLimits: ContextLimits = {
  maxFiles: 20,
  maxFileBytes: 100_000,
  maxTotalBytes: 1_000_000,
  maxSearches: 20,
  maxHits: 100,
};

/** A reader on a simulator, with everything that it reports kept. */
export function setUpReader(model: P4SimulatorModel = contextModel, options: Partial<P4ChangeFetcherOptions> = {}) {
  const simulator = createP4Simulator(model);
  const events: SecurityEvent[] = [];
  const logged: object[] = [];
  const log = (fields: object, message: string): void => void logged.push({ ...fields, message });
  const reader: ContextReader = createP4ContextReader({
    serverId: 'main',
    fingerprintKey: randomBytes(32),
    executable: simulator.executable,
    containment: 'accept-none',
    port: simulator.port,
    user: 'reviewer',
    allowList: createAllowList({ allow: ['//depot/game/...'], deny: ['//depot/game/src/keys/...'] }),
    securityEvents: { emit: (event) => void events.push(event) },
    logger: { debug: log, info: log, warn: log, error: log },
    ...options,
  });
  const open = (
    more: Partial<ContextLimits> = {},
    change = contextChange,
    signal: AbortSignal = new AbortController().signal,
  ) => reader.open(change, { roots: ['//depot/game/...'], limits: { ...contextLimits, ...more }, signal });
  const commands = (): string[] => simulator.log().map((run) => run.command);
  return { simulator, reader, open, events, logged, commands };
}
