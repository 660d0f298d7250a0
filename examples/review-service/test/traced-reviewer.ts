// A Criticizer of the real parts that reads one change from memory, asks no model, mails, and keeps
// its spans; and the stores that several processes share.
import { randomBytes } from 'node:crypto';
import {
  type CriticizerOptions,
  createCriticizer,
  createEnvironmentSecrets,
  createMemoryMailer,
  createStaticRecipients,
  type Stores,
  type Telemetry,
} from '@criticizer/core';
import { createLocalKeyRing, createMemoryArtifactStore } from '@criticizer/core/artifacts';
import type { Change } from '@criticizer/core/ports';
import { createReviewMailComposer } from '@criticizer/notify';
import { createPostgresStores, type PgTx } from '@criticizer/queue-pg';
import { createSqliteStores, type SqliteTx } from '@criticizer/queue-sqlite';
import { createRedactor } from '@criticizer/redact';
import pg from 'pg';

/** A span as it is exported: `traceparent`s of itself, of its parent and of what it links to. */
export interface ExportedSpan {
  name: string;
  traceparent: string;
  parent: string | null;
  links: readonly string[];
}

/** Ids as a tracer gives them; what ended is kept. */
function recordSpans(): { telemetry: Telemetry; spans: readonly ExportedSpan[] } {
  const spans: ExportedSpan[] = [];
  const nothing = (): void => undefined;
  const telemetry: Telemetry = {
    ...{ count: nothing, record: nothing, gauge: nothing },
    startSpan(name, _attributes, { parent: given, links = [] } = {}) {
      const parent = (typeof given === 'object' ? given?.traceparent : given) ?? null;
      const traceId = parent?.split('-')[1] ?? randomBytes(16).toString('hex');
      const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-01`;
      return { traceparent, setAttributes: nothing, end: () => void spans.push({ name, traceparent, parent, links }) };
    },
  };
  return { telemetry, spans };
}

const readChange = (number: number): Change => ({
  ...{ serverId: 'main', number, changelistId: `main/${number}`, kind: 'submitted', user: 'ada' },
  ...{ description: 'A change', changedAt: new Date(0), userMail: 'ada@example.test', reviewerMails: [], jobs: [] },
  files: [
    {
      ...{ path: '//depot/a.ts', oldPath: null, action: 'add', fileType: 'text', revision: 1, bytes: 4, skipped: null },
      hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, lines: ['+a();'] }],
      ...{ addedLines: 1, removedLines: 0, encoding: 'utf8' },
    },
  ],
  ...{ visibility: 'complete', deniedFiles: 0, contentDigest: String(number) },
});

/** One process of a service, of real parts as far as a review of a change in memory needs them. */
export function createMemoryReviewer<Tx>(stores: Stores<Tx>, more: Partial<CriticizerOptions<Tx>>) {
  return createCriticizer<Tx>({
    stores,
    mailer: createMemoryMailer(),
    changes: {
      contract: 1,
      serverId: 'main',
      fetch: async (number) => ({ kind: 'change', change: readChange(number) }),
    },
    redactor: createRedactor({ fingerprintKey: new Uint8Array(32) }),
    llm: 'none',
    recipients: createStaticRecipients([{ address: 'ada@example.test', required: true }]),
    composer: createReviewMailComposer({ from: { address: 'reviews@example.test' }, host: 'example.test' }),
    artifacts: {
      store: createMemoryArtifactStore(),
      keys: createLocalKeyRing({
        source: createEnvironmentSecrets({ env: { ARTIFACT_KEY: Buffer.alloc(32, 7).toString('base64') } }),
        name: 'ARTIFACT_KEY',
      }),
    },
    securityEvents: { emit: () => undefined },
    ...more,
  });
}

/** As `createMemoryReviewer`, with its spans. `oneTrace` is the setting of that name. */
export function createTracedReviewer<Tx>(stores: Stores<Tx>, oneTrace: boolean) {
  const { telemetry, spans } = recordSpans();
  const mailer = createMemoryMailer();
  const egress = { mailDomains: ['example.test'] };
  const settings = { telemetry: { oneTrace }, mail: { whenNothingToSay: true }, egress };
  const criticizer = createMemoryReviewer<Tx>(stores, { telemetry, mailer, settings });
  return { criticizer, mailer, spans };
}

/** A connection of one's own to a database; `schema` is of PostgreSQL. */
export function openSharedStores(database: string, schema: string): Stores<PgTx> | Stores<SqliteTx> {
  return database.startsWith('/')
    ? createSqliteStores({ file: database, synchronous: 'normal' })
    : createPostgresStores({ pool: new pg.Pool({ connectionString: database, max: 4 }), schema });
}
