// The smallest parts a Criticizer can be made of in a test: one change, one model, nothing outside this process.
import { randomBytes } from 'node:crypto';
import {
  type Criticizer,
  type CriticizerOptions,
  createCriticizer,
  createMemoryMailer,
  createMemoryStores,
  createStaticRecipients,
  Secret,
} from '@criticizer/core';
import { createLocalKeyRing, createMemoryArtifactStore } from '@criticizer/core/artifacts';
import { createOpenAiChatProvider } from '@criticizer/core/llm';
import { buildChangelistId, type Change } from '@criticizer/core/ports';
import { createReviewMailComposer } from '@criticizer/notify';
import { createRedactor } from '@criticizer/redact';

const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-let a = 1;', '+let a = 2;'] };
const file = {
  path: '//depot/main/a.js',
  oldPath: null,
  action: 'edit',
  fileType: 'text',
  revision: 2,
  bytes: 11,
  skipped: null,
  hunks: [hunk],
  addedLines: 1,
  removedLines: 1,
  encoding: 'utf8',
} as const;

function changeOf(number: number): Change {
  return {
    serverId: 'main',
    number,
    changelistId: buildChangelistId({ serverId: 'main', number }),
    kind: 'submitted',
    user: 'ada',
    description: 'Change a',
    changedAt: new Date(0),
    userMail: 'ada@example.com',
    reviewerMails: [],
    jobs: [],
    files: [file],
    visibility: 'complete',
    deniedFiles: 0,
    contentDigest: 'a'.repeat(64),
  };
}

type Stores = ReturnType<typeof createMemoryStores>;
type MemoryTx = Stores extends import('@criticizer/core').Stores<infer Tx> ? Tx : never;

export interface TestReviews {
  criticizer: Criticizer<MemoryTx>;
  stores: Stores;
  /** Bodies that reached the model. */
  sent: string[];
}

/** All parts but the stores and the model; the artifacts can be opened again with `artifacts`. */
export function createReviewParts() {
  const key = new Secret(randomBytes(32).toString('base64'));
  return {
    changes: {
      contract: 1 as const,
      serverId: 'main',
      fetch: async (number: number) => ({ kind: 'change' as const, change: changeOf(number) }),
    },
    redactor: createRedactor({ fingerprintKey: randomBytes(32) }),
    mailer: createMemoryMailer(),
    composer: createReviewMailComposer({ from: { address: 'reviews@example.com' }, host: 'example.com' }),
    recipients: createStaticRecipients([{ address: 'ada@example.com', required: true }]),
    artifacts: {
      store: createMemoryArtifactStore(),
      keys: createLocalKeyRing({
        source: { contract: 1 as const, read: async () => ({ current: { secret: key, version: '1' } }) },
        name: 'KEK',
      }),
    },
  };
}

/** A whole reply of a model without a finding, for the request in `body`. */
export function writeReview(body: string): string {
  const versionIn = (name: string) => new RegExp(`${name}\\\\": \\\\"([0-9.]+)`).exec(body)?.[1];
  const versions = { schema_version: versionIn('schema_version'), prompt_version: versionIn('prompt_version') };
  return JSON.stringify({ ...versions, summary: 'Nothing.', findings: [] });
}

export function createTestReviews(extra: Pick<CriticizerOptions<MemoryTx>, 'kinds'> = {}): TestReviews {
  const stores = createMemoryStores();
  const sent: string[] = [];
  const http = {
    async exchange(request: { body?: string | Uint8Array | undefined }) {
      const body = String(request.body);
      sent.push(body);
      const choices = [{ message: { content: writeReview(body) }, finish_reason: 'stop' }];
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ choices })) };
    },
    async close() {},
  };
  const limits = { contextTokens: 64_000, maxOutputTokens: 4_096 };
  const criticizer = createCriticizer({
    stores,
    llm: createOpenAiChatProvider({ id: 'test', model: 'm', baseUrl: 'https://llm.example.com/v1', http, limits }),
    ...createReviewParts(),
    settings: {
      worker: { pollMinMs: 10, pollMaxMs: 20 },
      egress: { policy: [{ paths: ['//...'], providers: ['test'] }], mailDomains: ['example.com'] },
    },
    ...extra,
  });
  return { criticizer, stores, sent };
}

/** Asks until the answer is there; the workers run in this process and end within milliseconds. */
export async function eventually<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 1_000; tries++) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('it never came');
}
