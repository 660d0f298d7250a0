// npm run bench:notify -- [--mails N] [--rounds N] [--connections N] [--check] [--json FILE]
// What a mail costs through the outbox, claim, send and mark on PostgreSQL, beside bare nodemailer to
// the same server. Both take turns within each round. --check: exit 1 where the target is missed.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createMailOutbox } from '@criticizer/notify';
import { createSmtpMailer } from '@criticizer/notify/smtp';
import { createPostgresStores } from '@criticizer/queue-pg';
import { createTransport } from 'nodemailer';
import pg from 'pg';
import { startPostgres } from '../../../../tools/postgres/postgres.js';

/** Of bare nodemailer's rate. */
const target = 0.7;

const { values } = parseArgs({
  options: {
    mails: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '5' },
    check: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});
const [mails, rounds, connections] = [values.mails, values.rounds, values.connections].map(Number) as [
  number,
  number,
  number,
];
const from = { address: 'app@example.test', name: 'App' };
const text = 'A line of text that is about as long as one.\n'.repeat(45);
const html = `<p>${'A line of text that is about as long as one.<br>'.repeat(40)}</p>`;

/** What a run cost. */
interface Cost {
  perSecond: number;
  cpuMs: number;
}

async function measure(work: () => Promise<void>): Promise<Cost> {
  const [startMs, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: mails / ((performance.now() - startMs) / 1_000), cpuMs: (user + system) / 1_000 / mails };
}

async function startSink(): Promise<{ port: number; stop(): void }> {
  const file = fileURLToPath(new URL('./smtp-sink.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return { port: Number(String(line)), stop: () => child.stdin.end() };
}

async function sendBare(port: number): Promise<Cost> {
  const transport = createTransport({
    ...{
      host: '127.0.0.1',
      port,
      ignoreTLS: true,
      pool: true,
      maxConnections: connections,
      maxMessages: Number.POSITIVE_INFINITY,
    },
  });
  const send = (n: number) =>
    transport.sendMail({
      from,
      to: 'dev@example.test',
      subject: `Mail ${n}`,
      text,
      html,
      encoding: 'quoted-printable',
    });
  const cost = await measure(async () => void (await Promise.all(Array.from({ length: mails }, (_, n) => send(n)))));
  transport.close();
  return cost;
}

type Stores = ReturnType<typeof createPostgresStores>;

/** Stored before the clock starts: what is measured is claim, send and mark. */
async function sendByOutbox(stores: Stores, port: number): Promise<Cost> {
  const mailer = createSmtpMailer({
    ...{ host: '127.0.0.1', port, tls: 'none', helloName: 'localhost' },
    ...{ maxConnections: connections, idleConnections: connections },
  });
  const outbox = createMailOutbox({ stores, mailer, from });
  const run = randomUUID();
  const to = { address: 'dev@example.test' };
  for (let first = 0; first < mails; first += 500)
    await outbox.sendMany(
      Array.from({ length: Math.min(500, mails - first) }, (_, n) => ({
        ...{ dedupeKey: `${run}/${first + n}`, to, subject: `Mail ${first + n}`, text, html },
      })),
    );
  const open = async (): Promise<number> => (await stores.outbox.backlog()).reduce((sum, { count }) => sum + count, 0);
  const cost = await measure(async () => {
    await outbox.start({ concurrency: connections });
    while ((await open()) > 0) await new Promise((resolve) => setTimeout(resolve, 50));
  });
  await outbox.stop();
  await mailer.close?.();
  return cost;
}

const median = (list: readonly number[]): number => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;

async function main(): Promise<number> {
  const server = await startPostgres({ settings: ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on'] });
  const sink = await startSink();
  const pool = new pg.Pool({ connectionString: server.url, max: connections + 3 });
  const stores = createPostgresStores({ pool, migrate: 'auto', modules: ['notify'] });
  const measured: { bare: Cost; outbox: Cost }[] = [];
  try {
    for (let round = 0; round <= rounds; round++) {
      const bare = await sendBare(sink.port);
      const outbox = await sendByOutbox(stores, sink.port);
      if (round > 0) measured.push({ bare, outbox }); // the first warms both up
    }
  } finally {
    await stores.close();
    await pool.end();
    sink.stop();
    await server.stop();
  }
  const of = (which: 'bare' | 'outbox', what: keyof Cost) => median(measured.map((one) => one[which][what]));
  const share = median(measured.map(({ bare, outbox }) => outbox.perSecond / bare.perSecond));
  const line = (name: string, which: 'bare' | 'outbox') =>
    `${name.padEnd(40)} ${of(which, 'perSecond').toFixed(0).padStart(6)} mails/s  ${of(which, 'cpuMs').toFixed(2).padStart(6)} ms CPU a mail`;
  console.log(
    `${mails} mails of ${text.length + html.length} bytes, ${connections} connections, medians of ${rounds} rounds, ${cpus().length} cores`,
  );
  console.log(line('bare nodemailer, pooled', 'bare'));
  console.log(line('outbox on PostgreSQL: claim, send, mark', 'outbox'));
  console.log(`share ${(share * 100).toFixed(0)} % (target ${target * 100} %)`);
  if (values.json !== undefined)
    writeFileSync(values.json, JSON.stringify({ mails, connections, rounds, share, measured }, null, 2));
  return values.check && share < target ? 1 : 0;
}

process.exitCode = await main();
