// What the model and the mail server received has its egress row, whenever the worker is killed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { P4Simulator } from '@criticizer/p4/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { standInMail } from '../src/mail/mail-endpoint.js';
import { findOrStartMailServer, stopMailServer } from '../src/mail/mail-server-process.js';
import { standInModel } from '../src/model/model-endpoint.js';
import { type ModelServer, startModelServer } from '../src/model/model-server.js';
import { sampleConnection } from '../src/perforce/demo-perforce.js';
import { openQueue } from '../src/queue/demo-queue.js';
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

const models: ModelServer[] = [];
const folders: string[] = [];
const simulators: P4Simulator[] = [];

afterAll(async () => {
  for (const model of models) await model.close();
  for (const simulator of simulators) simulator.dispose();
  for (const folder of folders) {
    await stopMailServer(folder);
    rmSync(folder, { recursive: true, force: true });
  }
});

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A state folder of its own, with its own mail server: nothing of one crash helps the next. */
async function prepare() {
  const directory = mkdtempSync(join(tmpdir(), 'criticizer-crash-'));
  folders.push(directory);
  const simulator = (await openDemoState(openDemoFolder(directory, false))).startSimulator();
  simulators.push(simulator);
  const mail = await findOrStartMailServer(directory, { script: mailServer });
  const bodies: string[] = [];
  const model = await startModelServer((body) => bodies.push(digest(body)));
  models.push(model);
  return {
    directory,
    bodies,
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

/** Digests of what the servers received and of what the rows say, each sorted. */
async function compare(directory: string, bodies: readonly string[]) {
  const queue = openQueue(directory, null);
  try {
    const rows = (await queue.stores.egress.list({ limit: 100 })).map((row) => row.bodySha256);
    const mails = mailsIn(directory).map((name) => digest(readFileSync(join(directory, 'mail', name))));
    return { received: [...bodies, ...mails].sort(), rows: rows.sort() };
  } finally {
    await queue.close();
  }
}

/** The rows that no received body uses up, and the bodies that no row speaks for. */
function match({ received, rows }: { received: readonly string[]; rows: readonly string[] }) {
  const left = [...rows];
  const unrecorded = received.filter((body) => {
    const at = left.indexOf(body);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return { unrecorded, unsent: left };
}

/** One kill around a record or a send and one anywhere, by the seed; the soak kills at every step. */
function drawSteps(steps: readonly string[], seed: number): number[] {
  if (process.env['MODE'] === 'soak') return steps.map((_, at) => at + 1);
  const around = steps.flatMap((step, at) => (/egress|mailer/.test(step) ? [at + 1] : []));
  const drawn = [around[seed % around.length], ((seed * 7_919) % steps.length) + 1];
  return drawn.filter((at) => at !== undefined);
}

describe('what servers received from a worker that is killed', () => {
  it('EGR-1: is what the egress rows say, body by body', { timeout: 300_000 }, async () => {
    const whole = await prepare();
    const { report } = await run({ ...whole.options, crashAt: null });
    const { received, rows } = await compare(whole.directory, whole.bodies);
    expect(received.length).toBeGreaterThan(2);
    expect(received).toEqual(rows);
    const steps = report?.steps ?? [];
    expect(steps).toContain('after egress.append');
    const kill = async (crashAt: number): Promise<void> => {
      const { directory, options, bodies } = await prepare();
      expect(await run({ ...options, crashAt })).toMatchObject({ signal: 'SIGKILL', complaint: '' });
      expect(await run({ ...options, crashAt: null })).toMatchObject({ report: { status: 'completed' } });
      const { unrecorded, unsent } = match(await compare(directory, bodies));
      // One kill parts at most one row from its send.
      expect({ crashAt, unrecorded, isOneUnsentAtMost: unsent.length <= 1 }).toEqual({
        crashAt,
        unrecorded: [],
        isOneUnsentAtMost: true,
      });
      await stopMailServer(directory);
    };
    const waiting = drawSteps(steps, Number(process.env['SEED'] ?? 11));
    await Promise.all(
      Array.from({ length: 2 }, async () => {
        for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) await kill(at);
      }),
    );
  });
});
