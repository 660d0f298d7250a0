import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { openDemoFolder } from '../src/demo-folder.js';
import { sampleConnection } from '../src/demo-perforce.js';
import { openDemoState } from '../src/demo-state.js';
import { findOrStartMailServer, stopMailServer } from '../src/mail-server-process.js';
import { startModelServer } from '../src/model-server.js';

const worker = fileURLToPath(new URL('./crash-worker.ts', import.meta.url));
const tsNode = ['--conditions=criticizer-source', '--import', 'tsx'];

function run(options: object): Promise<NodeJS.Signals | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...tsNode, worker, JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'inherit'] });
    child.once('error', reject);
    child.once('close', (_code, signal) => resolve(signal));
  });
}

/** Stands before the model and keeps every request's exact bytes. */
async function startRecorder(origin: string) {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    bodies.push(body);
    const answer = await fetch(`${origin}${request.url}`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

it('RED-1 ART-6: a worker killed with the redacted snapshot stored resumes with the same request bytes but for the nonce', {
  timeout: 60_000,
}, async () => {
  const model = await startModelServer();
  onTestFinished(() => model.close());
  const recorder = await startRecorder(model.origin);
  const directory = mkdtempSync(join(tmpdir(), 'criticizer-resume-'));
  const simulator = (await openDemoState(openDemoFolder(directory, false))).startSimulator();
  const mail = await findOrStartMailServer(directory, { nodeOptions: tsNode });
  onTestFinished(async () => {
    simulator.dispose();
    await stopMailServer(directory);
    rmSync(directory, { recursive: true, force: true });
  });
  const options = { directory, p4: sampleConnection(directory, simulator), modelOrigin: recorder.origin, smtpPort: mail.port };

  // The reply is there and not yet stored: the next worker has the snapshot alone, and must ask again.
  expect(await run({ ...options, crashAt: 'before jobs.settle(checkpoint)' })).toBe('SIGKILL');
  expect(readFileSync(join(directory, 'crashed-at'), 'utf8')).toBe('before jobs.settle(checkpoint)');
  expect(recorder.bodies).toHaveLength(1);
  expect(await run({ ...options, crashAt: null })).toBeNull();

  const nonces = recorder.bodies.map((body) => new Set(body.match(/(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/g)));
  const [first = '', second = ''] = recorder.bodies.map((body, at) =>
    [...(nonces[at] ?? [])].reduce((rest, nonce) => rest.replaceAll(nonce, 'NONCE'), body),
  );
  expect(recorder.bodies).toHaveLength(2);
  expect(nonces.map((found) => found.size)).toEqual([1, 1]);
  expect(recorder.bodies[1]).not.toBe(recorder.bodies[0]);
  expect(second).toBe(first);
  expect(first).toContain('[REDACTED:');
});
