import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { P4SimulatorModel } from '../src/testing/index.js';

/** One recorded run of a real client. */
export interface FixtureRun {
  mode: string;
  argv: string[];
  exitCode: number;
  stdout: Buffer;
  stderr: Buffer;
}

/** 245 runs of every command and message, in all modes of the client. */
export function clientRuns(): FixtureRun[] {
  return rows(readFileSync(new URL('./fixtures/client-runs.jsonl', import.meta.url))).map((row) => ({
    mode: String(row['mode']),
    argv: row['argv'] as string[],
    exitCode: Number(row['rc']),
    stdout: Buffer.from(String(row['stdout_b64']), 'base64'),
    stderr: Buffer.from(String(row['stderr_b64']), 'base64'),
  }));
}

/** 40 runs with what real servers had sent; bytes stand as Latin-1. */
export function serverRuns(): FixtureRun[] {
  return rows(gunzipSync(readFileSync(new URL('./fixtures/server-runs.jsonl.gz', import.meta.url)))).map((row) => ({
    mode: String(row['mode']),
    argv: row['argv'] as string[],
    exitCode: Number(row['rc']),
    stdout: Buffer.from(String(row['stdout']), 'latin1'),
    stderr: Buffer.from(String(row['stderr']), 'latin1'),
  }));
}

function rows(text: Buffer): Record<string, unknown>[] {
  return text
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** What the recorded server gave as the digest of every file. */
const digest = '5D41402ABC4B2A76B9719D911017C592';

/** The server behind `client-runs`. */
export const fixtureModel: P4SimulatorModel = {
  port: '127.0.0.1:1666',
  unicode: true,
  info: {
    userName: 'bob',
    clientName: 'ws',
    clientHost: 'testhost',
    clientCwd: '/home/bob/ws',
    clientAddress: '127.0.0.1',
    clientCase: 'sensitive',
    peerAddress: '127.0.0.1:50000',
    serverAddress: '127.0.0.1:1666',
    serverRoot: '/p4/root',
    serverDate: '2023/11/14 22:13:20 +0000 UTC',
    tzoffset: '0',
    serverUptime: '01:02:03',
    serverVersion: 'P4D/LINUX26X86_64/2023.2/2535420 (2023/12/19)',
    serverServices: 'standard',
    serverLicense: 'none',
    caseHandling: 'sensitive',
  },
  users: [
    { user: 'alice', email: 'alice@example.com', fullName: 'Alice Ä' },
    { user: 'bob', email: 'bob@example.com', fullName: 'Bob' },
  ],
  changes: [
    {
      number: 101,
      user: 'alice',
      time: 1_700_000_000,
      description: 'Add first files\n\nSecond paragraph with "quotes" and \\backslash',
      status: 'submitted',
      files: [
        { path: '//depot/main/a.txt', action: 'add', content: 'hello\n', digest },
        { path: '//depot/main/sp ace.txt', action: 'add', type: 'text+x', content: 'a\n', digest },
        { path: '//depot/main/at%40hash%23star%2Apct%25.txt', action: 'add', content: 'b\n', digest },
        { path: '//depot/main/ünïcode-日本.txt', action: 'add', type: 'unicode', content: '日本\n', digest },
        { path: '//depot/main/bin.dat', action: 'add', type: 'binary', content: { base64: 'iVAA//4KAAE=' }, digest },
      ],
    },
    {
      number: 102,
      user: 'bob',
      time: 1_700_000_100,
      description: 'Edit, delete, move, integrate',
      status: 'submitted',
      path: '//depot/main/*',
      jobs: [{ job: 'JOB000001', status: 'closed' }],
      reviewers: [{ user: 'alice', email: 'alice@example.com', name: 'Alice' }],
      files: [
        { path: '//depot/main/a.txt', action: 'edit', content: 'hello\nworld\n', digest },
        { path: '//depot/main/sp ace.txt', action: 'move/delete', type: 'text+x' },
        {
          path: '//depot/main/moved.txt',
          action: 'move/add',
          type: 'text+x',
          content: 'a\n',
          digest,
          from: { path: '//depot/main/sp ace.txt', rev: 1 },
        },
        { path: '//depot/rel/a.txt', action: 'branch', content: 'hello\n', digest },
        { path: '//depot/main/bin.dat', action: 'delete', type: 'binary' },
      ],
    },
    {
      number: 103,
      user: 'bob',
      time: 1_700_000_200,
      description: 'Shelved work',
      status: 'pending',
      path: '//depot/main/*',
      files: [],
    },
    {
      number: 104,
      user: 'carol',
      client: 'c-ws',
      time: 1_700_000_300,
      description: 'hidden',
      status: 'submitted',
      restricted: true,
      path: '//depot/secret/*',
      files: [],
    },
  ],
};
