// A worker of the egress soak: real provider, mailer and stores. It kills itself, SIGKILL, at the
// N-th reach of a step, or works until every review is mailed. usage: soak-worker.ts JSON, keys in
// the environment.
import { join } from 'node:path';
import { createCriticizer, createEnvironmentSecrets, createStaticRecipients } from '@criticizer/core';
import { createFileArtifactStore, createLocalKeyRing } from '@criticizer/core/artifacts';
import { createHttpClient } from '@criticizer/core/http';
import { createOpenAiChatProvider } from '@criticizer/core/llm';
import { createReviewMailComposer } from '@criticizer/notify';
import { createSmtpMailer } from '@criticizer/notify/smtp';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { createRedactor } from '@criticizer/redact';
import { createBenchFetcher } from '../bench/bench-changes.js';
import type { SoakWork } from './egress-soak.js';

const { directory, modelOrigin, smtpPort, reviews, kill } = JSON.parse(process.argv[2] ?? '{}') as SoakWork;

let reached = 0;
function reach(step: string): void {
  if (kill?.step !== step) return;
  reached += 1;
  if (reached === kill.nth) process.kill(process.pid, 'SIGKILL');
}

const stores = createSqliteStores({ file: join(directory, 'queue.sqlite'), migrate: 'auto' });
const { append } = stores.egress;
const egress: typeof stores.egress = {
  ...stores.egress,
  async append(records, options) {
    const [destination] = records.map((record) => record.destination);
    reach(`before record of ${destination}`);
    await append(records, options);
    reach(`after record of ${destination}`);
  },
};
const client = createHttpClient({ allowPrivateOrigins: [modelOrigin] });
const smtp = createSmtpMailer({ host: '127.0.0.1', port: smtpPort, tls: 'none', helloName: 'reviews.studio.example' });
const criticizer = createCriticizer({
  stores: { ...stores, egress },
  changes: createBenchFetcher({ files: 1, lines: 8 }),
  redactor: createRedactor({ fingerprintKey: Buffer.from(process.env['FINGERPRINT_KEY'] ?? '', 'base64') }),
  llm: createOpenAiChatProvider({
    id: 'soak',
    model: 'soak',
    baseUrl: `${modelOrigin}/v1`,
    http: {
      ...client,
      async exchange(request, limits) {
        reach('before send of llm');
        const answer = await client.exchange(request, limits);
        reach('after send of llm');
        return answer;
      },
    },
    limits: { contextTokens: 64_000, maxOutputTokens: 4_096 },
  }),
  mailer: {
    ...smtp,
    async send(mail, context) {
      const outcome = await smtp.send(mail, {
        ...context,
        async onPhase(phase, wire) {
          await context.onPhase(phase, wire);
          if (phase === 'data') reach('before send of mail');
        },
      });
      reach('after send of mail');
      return outcome;
    },
  },
  composer: createReviewMailComposer({ from: { address: 'reviews@studio.example' }, host: 'studio.example' }),
  recipients: createStaticRecipients([
    { address: 'ada@studio.example', required: true },
    { address: 'eve@elsewhere.example', required: true },
  ]),
  artifacts: {
    store: createFileArtifactStore({ directory: join(directory, 'artifacts') }),
    keys: createLocalKeyRing({ source: createEnvironmentSecrets(), name: 'ARTIFACT_KEY' }),
  },
  settings: {
    worker: { leaseMs: 1_000, pollMinMs: 10, pollMaxMs: 50, sweepEveryMs: 1_000 },
    retry: { maxAttemptsPerStage: 100, maxLostLeases: 100, initialMs: 10, maxMs: 100 },
    mail: { leaseMs: 1_000, maxAttempts: 100 },
    egress: {
      policy: [{ paths: ['//depot/game/...'], providers: ['soak'] }],
      mailDomains: ['studio.example'],
    },
  },
});

const jobs: string[] = [];
for (let number = reviews.from; number <= reviews.to; number += 1) {
  const { job } = await criticizer.submit({ serverId: 'main', number, reviewVersion: 1 });
  jobs.push(job.id);
}
await criticizer.start();
let open = jobs;
while (open.length > 0) {
  const found = await stores.jobs.get(open.slice(0, 500));
  const ended = new Set(
    found.flatMap((job) => (job?.status === 'completed' || job?.status === 'failed' ? [job.id] : [])),
  );
  open = open.filter((id) => !ended.has(id));
  if (ended.size === 0) await new Promise((resolve) => setTimeout(resolve, 20));
}
await criticizer.stop();
await stores.close();
await client.close();
