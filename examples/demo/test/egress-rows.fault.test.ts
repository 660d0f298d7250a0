// What the model and the mail server received has its egress row, whenever the worker is killed.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { stopMailServer } from '../src/mail/mail-server-process.js';
import { type ModelServer, startModelServer } from '../src/model/model-server.js';
import { openQueue } from '../src/queue/demo-queue.js';
import { type CrashPlace, crashAtEach, mailsIn, openCrashRuns } from './crash-run.js';

const crashRuns = await openCrashRuns();
const { run } = crashRuns;
const models: ModelServer[] = [];

afterAll(async () => {
  for (const model of models) await model.close();
  await crashRuns.dispose();
});

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A folder for one crash, and a model that keeps the digest of every body. */
async function prepare(): Promise<CrashPlace & { bodies: readonly string[] }> {
  const bodies: string[] = [];
  const model = await startModelServer((body) => bodies.push(digest(body)));
  models.push(model);
  return { ...(await crashRuns.prepare(model.origin)), bodies };
}

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
    const { report } = await run(whole.options, null);
    const { received, rows } = await compare(whole.directory, whole.bodies);
    expect(received.length).toBeGreaterThan(2);
    expect(received).toEqual(rows);
    const steps = report?.steps ?? [];
    expect(steps).toContain('after egress.append');
    const kill = async (crashAt: number): Promise<void> => {
      const { directory, options, bodies } = await prepare();
      expect(await run(options, crashAt)).toMatchObject({ signal: 'SIGKILL', complaint: '' });
      expect(await run(options, null)).toMatchObject({ report: { status: 'completed' } });
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
    await crashAtEach(waiting, 2, kill);
  });
});
