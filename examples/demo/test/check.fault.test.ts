import { createHash } from 'node:crypto';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { stopMailServer } from '../src/mail/mail-server-process.js';
import { startModelServer } from '../src/model/model-server.js';
import { openQueue } from '../src/queue/demo-queue.js';
import { type CrashPlace, openCrashRuns } from './crash-run.js';

const { prepare, run, dispose } = await openCrashRuns();
afterAll(dispose);

const isCheck = (body: string): boolean => body.includes('You check findings');

/** A state folder whose model is an HTTP server that keeps the bytes of every request. */
async function openPlace(): Promise<CrashPlace & { bodies: string[] }> {
  const bodies: string[] = [];
  const model = await startModelServer((body) => bodies.push(body.toString('utf8')));
  onTestFinished(() => model.close());
  const { directory, options } = await prepare(model.origin);
  onTestFinished(() => stopMailServer(directory));
  return { directory, options: { ...options, leaseMs: 3_000 }, bodies };
}

/** The records of what went to the model, in their order. */
async function listRecords(directory: string) {
  const { stores, close } = openQueue(directory, null);
  try {
    return [...(await stores.egress.list({ destination: 'llm' }))].reverse();
  } finally {
    await close();
  }
}

const describeBody = (body: string) => ({
  bytes: Buffer.byteLength(body),
  bodySha256: createHash('sha256').update(body).digest('hex'),
});

/** Moments between the reply to the review, which is stored, and the reply to the check, which is not. */
const moments = [
  { crashAt: 'after jobs.settle(checkpoint) #2', checks: 1 },
  { crashAt: 'before jobs.settle(checkpoint) #3', checks: 2 },
];

describe('a check over HTTP', () => {
  it('GRD-1 GRD-5 EGR-1: a worker killed between review and check repeats one request at most, each recorded', {
    timeout: 120_000,
  }, async () => {
    const survive = async ({ crashAt, checks }: (typeof moments)[number]): Promise<void> => {
      const { directory, options, bodies } = await openPlace();
      expect([crashAt, (await run(options, crashAt)).signal]).toEqual([crashAt, 'SIGKILL']);
      const { report } = await run(options, null);
      expect(report).toMatchObject({ status: 'completed', result: { mails: 2 } });
      const asked = bodies.filter(isCheck);
      expect([crashAt, bodies.length - asked.length, asked.length]).toEqual([crashAt, 1, checks]);
      expect(new Set(asked).size).toBe(1);
      const records = await listRecords(directory);
      expect(records.map(({ bytes, bodySha256 }) => ({ bytes, bodySha256 }))).toEqual(bodies.map(describeBody));
    };
    await Promise.all(moments.map(survive));
  });
});
