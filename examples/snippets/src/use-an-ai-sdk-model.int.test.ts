import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCriticizer, createEnvironmentSecrets, type Logger, systemRandom } from '@criticizer/core';
import { createArtifacts, createRoleAccessPolicy } from '@criticizer/core/artifacts';
import { createHttpClient } from '@criticizer/core/http';
import { createSqliteStores, type SqliteTx } from '@criticizer/queue-sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { createReviewParts, eventually, writeReview } from './review-parts.js';
import { createBedrockReviewer } from './use-an-ai-sdk-bedrock-model.js';
import { createReviewer } from './use-an-ai-sdk-model.js';

/** A server that speaks Anthropic Messages and finds nothing; `deny` has it refuse keys, with the key in its words. */
async function startModel() {
  const seen: { headers: IncomingHttpHeaders; body: string }[] = [];
  let isDenying = false;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      seen.push({ headers: request.headers, body });
      response.writeHead(isDenying ? 401 : 200, { 'content-type': 'application/json' });
      const error = { type: 'authentication_error', message: `invalid x-api-key: ${request.headers['x-api-key']}` };
      if (isDenying) return void response.end(JSON.stringify({ type: 'error', error }));
      const content = [{ type: 'text', text: writeReview(body) }];
      const usage = { input_tokens: 9, output_tokens: 4 };
      response.end(
        JSON.stringify({
          type: 'message',
          id: 'm',
          role: 'assistant',
          model: 'c',
          content,
          stop_reason: 'end_turn',
          usage,
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = createHttpClient({ allowPrivateOrigins: [origin] });
  onTestFinished(async () => {
    await http.close();
    await new Promise((resolve) => server.close(resolve));
  });
  const deny = () => {
    isDenying = true;
  };
  return { origin, http, seen, deny };
}

function readRows(tx: SqliteTx): Record<string, unknown[]> {
  const tables = tx.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[];
  return Object.fromEntries(tables.map(({ name }) => [name, tx.prepare(`SELECT * FROM "${name}"`).all()]));
}

it('SEC-4 EGR-1: a review by a model of the AI SDK leaves its key nowhere, and a row with the digest of what was sent', async () => {
  const key = randomBytes(20).toString('hex');
  const { origin, http, seen, deny } = await startModel();
  const llm = createReviewer(http, createEnvironmentSecrets({ env: { ANTHROPIC_KEY: key } }), `${origin}/v1`);
  const logged: string[] = [];
  const keep = (...line: unknown[]): void => void logged.push(JSON.stringify(line));
  const logger: Logger = { debug: keep, info: keep, warn: keep, error: keep };
  const stores = createSqliteStores({ file: ':memory:', migrate: 'auto' });
  const parts = createReviewParts();
  const settings = { worker: { pollMinMs: 10, pollMaxMs: 20 } };
  const criticizer = createCriticizer({ stores, llm, logger, ...parts, settings });
  const plan = await criticizer.dryRun({ serverId: 'main', number: 7 });
  expect(seen).toEqual([]);
  await criticizer.start();
  const { job } = await criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
  await eventually(async () => {
    const [found] = await stores.jobs.get([job.id]);
    return found?.status === 'completed' ? found : undefined;
  });
  deny();
  const denied = await criticizer.submit({ serverId: 'main', number: 8, reviewVersion: 1 });
  await eventually(async () => {
    const [found] = await stores.jobs.get([denied.job.id]);
    return found?.waitingFor ?? undefined;
  });
  await criticizer.stop();

  const [request, ...more] = seen;
  expect(more).toHaveLength(1);
  expect(request?.headers['x-api-key']).toBe(key);
  const records = await stores.egress.list({ destination: 'llm' });
  const [record] = records.slice(-1);
  expect(plan).toMatchObject({ requests: [{ bodySha256: record?.bodySha256 }] });
  expect(record?.bodySha256).toBe(
    createHash('sha256')
      .update(request?.body ?? '')
      .digest('hex'),
  );
  const rows = await stores.transaction(async (tx) => readRows(tx));
  const vault = createArtifacts({
    ...parts.artifacts,
    access: createRoleAccessPolicy([]),
    manifest: stores.artifactManifest,
    securityEvents: { emit: () => undefined },
    random: systemRandom,
    ttlMs: { raw: 1, redacted: 1 },
  });
  const kept = await Promise.all((rows['artifact_manifest'] as { id: string }[]).map(async ({ id }) => vault.read(id)));
  const contents = kept.map(({ body }) => Buffer.from(body).toString());
  expect(contents.some((one) => one.includes('let a = 2;'))).toBe(true);
  expect(logged.length).toBeGreaterThan(0);
  const all = JSON.stringify({ plan, rows, contents, logged });
  expect(all).toContain('let a = 2;');
  expect(all).not.toContain(key);
  await stores.close();
});

it('a model on Bedrock says where it sends', () => {
  const credentials = async () => ({ accessKeyId: 'a', secretAccessKey: 'b' });
  expect(createBedrockReviewer(createHttpClient(), credentials).host).toBe(
    'bedrock-runtime.eu-central-1.amazonaws.com',
  );
});
