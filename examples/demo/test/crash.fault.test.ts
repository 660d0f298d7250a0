import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { P4Simulator } from '@criticizer/p4/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { standInMail } from '../src/mail/mail-endpoint.js';
import { findOrStartMailServer, stopMailServer } from '../src/mail/mail-server-process.js';
import { standInModel } from '../src/model/model-endpoint.js';
import { type ModelServer, startModelServer } from '../src/model/model-server.js';
import { sampleConnection } from '../src/perforce/demo-perforce.js';
import { openDemoFolder } from '../src/state/demo-folder.js';
import { openDemoState } from '../src/state/demo-state.js';
import { bundleDemo } from './demo-bundle.js';

const { crashWorker, mailServer } = await bundleDemo();

interface Outcome {
  signal: NodeJS.Signals | null;
  report: { status: string; steps: string[]; result: { mails?: number } } | null;
  complaint: string;
}

function run(options: object): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [crashWorker, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-2_000);
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.once('error', reject);
    child.once('close', (_code, signal) => resolve({ signal, report: out === '' ? null : JSON.parse(out), complaint }));
  });
}

let model: ModelServer;
const folders: string[] = [];
const simulators: P4Simulator[] = [];

beforeAll(async () => {
  model = await startModelServer();
});
afterAll(async () => {
  await model.close();
  for (const simulator of simulators) simulator.dispose();
  for (const folder of folders) {
    await stopMailServer(folder);
    rmSync(folder, { recursive: true, force: true });
  }
});

/** A state folder of its own, with its own mail server: nothing of one crash helps the next. */
async function prepare() {
  const directory = mkdtempSync(join(tmpdir(), 'criticizer-crash-'));
  folders.push(directory);
  const simulator = (await openDemoState(openDemoFolder(directory, false))).startSimulator();
  simulators.push(simulator);
  const mail = await findOrStartMailServer(directory, { script: mailServer });
  return {
    directory,
    options: {
      directory,
      p4: sampleConnection(directory, simulator),
      model: standInModel(model.origin),
      mail: standInMail(mail.port),
    },
  };
}

const mailsIn = (directory: string): string[] =>
  readdirSync(join(directory, 'mail')).filter((name) => name.endsWith('.eml'));

describe('a worker killed at any durable step', () => {
  it('NOT-11 INV-2: resumes, and every recipient has the mail exactly once', { timeout: 300_000 }, async () => {
    const whole = await prepare();
    const { report } = await run({ ...whole.options, crashAt: null });
    expect(report).toMatchObject({ status: 'completed', result: { mails: 2 } });
    expect(mailsIn(whole.directory)).toHaveLength(2);
    const steps = report?.steps ?? [];
    // Each stage boundary, and each step of a delivery, is among them.
    for (const step of [
      'after jobs.claim',
      'after jobs.settle(advance)',
      'before jobs.settle(checkpoint)',
      'after outbox.recordPhase',
      'after mailer.send',
      'before outbox.settle(sent)',
      'after jobs.settle(done)',
    ])
      expect(steps).toContain(step);

    const crash = async (crashAt: number): Promise<void> => {
      const { directory, options } = await prepare();
      const crashed = await run({ ...options, crashAt });
      expect({ signal: crashed.signal, complaint: crashed.complaint }).toEqual({ signal: 'SIGKILL', complaint: '' });
      const step = readFileSync(join(directory, 'crashed-at'), 'utf8');
      const resumed = await run({ ...options, crashAt: null });
      const { report: end, complaint } = resumed;
      expect({ step, status: end?.status, mails: mailsIn(directory).length, complaint }).toEqual({
        step,
        status: 'completed',
        mails: 2,
        complaint: '',
      });
      await stopMailServer(directory);
    };
    // CI crashes at the first of each kind of step; `npm run soak:crash` at every one.
    const all = process.env['MODE'] === 'soak';
    const waiting = steps.flatMap((step, at) => (all || steps.indexOf(step) === at ? [at + 1] : []));
    await Promise.all(
      Array.from({ length: 3 }, async () => {
        for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) await crash(at);
      }),
    );
  });
});
