import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createP4Simulator } from '@criticizer/p4/testing';
import { expect, it, onTestFinished } from 'vitest';
import { standInMail } from '../src/mail/mail-endpoint.js';
import { findOrStartMailServer, stopMailServer } from '../src/mail/mail-server-process.js';
import { standInModel } from '../src/model/model-endpoint.js';
import { startModelServer } from '../src/model/model-server.js';
import { sampleConnection } from '../src/perforce/demo-perforce.js';
import { changeNumber } from '../src/perforce/sample-change.js';
import { openDemoFolder } from '../src/state/demo-folder.js';
import { openDemoState } from '../src/state/demo-state.js';
import { bundleDemo } from './demo-bundle.js';

const { crashWorker, mailServer } = await bundleDemo();

function run(options: object): Promise<NodeJS.Signals | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [crashWorker, JSON.stringify(options)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
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
    const answer = await fetch(`${origin}${request.url}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

it('RED-1 ART-6: a worker killed with the redacted snapshot stored resumes with the same request bytes', {
  timeout: 60_000,
}, async () => {
  const model = await startModelServer();
  onTestFinished(() => model.close());
  const recorder = await startRecorder(model.origin);
  const directory = mkdtempSync(join(tmpdir(), 'criticizer-resume-'));
  const { server } = await openDemoState(openDemoFolder(directory, false));
  // A directory that is a key: the model gets an alias for it, the same one from both workers (ruling R15).
  const key = `sk_${'live'}_${randomBytes(24).toString('hex')}`;
  const hidden = {
    path: `//depot/orders/main/${key}/limits.js`,
    action: 'add' as const,
    content: 'export const most = 5;\n',
  };
  const changes = server.model.changes.map((change) =>
    change.number === changeNumber ? { ...change, files: [...change.files, hidden] } : change,
  );
  const simulator = createP4Simulator({ ...server.model, changes });
  const mail = await findOrStartMailServer(directory, { script: mailServer });
  onTestFinished(async () => {
    simulator.dispose();
    await stopMailServer(directory);
    rmSync(directory, { recursive: true, force: true });
  });
  const options = {
    directory,
    p4: sampleConnection(directory, simulator),
    model: standInModel(recorder.origin),
    mail: standInMail(mail.port),
  };

  // The first checkpoint freezes the variant. At the second the reply is there and not yet stored: the
  // next worker has the snapshot alone, and must ask again.
  expect(await run({ ...options, crashAt: 'before jobs.settle(checkpoint) #2' })).toBe('SIGKILL');
  expect(readFileSync(join(directory, 'crashed-at'), 'utf8')).toBe('before jobs.settle(checkpoint)');
  // More than one where a busy machine let the lease run out: that run began anew from the snapshot too.
  const asked = recorder.bodies.length;
  expect(asked).toBeGreaterThan(0);
  expect(await run({ ...options, crashAt: null })).toBeNull();
  expect(recorder.bodies.length).toBeGreaterThan(asked);

  // The reply has grave findings, so a request to check them follows.
  const [first = '', ...later] = recorder.bodies.filter((body) => !body.includes('You check findings'));
  expect(later).not.toEqual([]);
  expect(later).toEqual(later.map(() => first));
  expect(first).toContain('[REDACTED:');
  expect(first).toMatch(/\/\/depot\/orders\/main\/@alias-\d+\/limits\.js/);
  expect(first).not.toContain(key);
});
