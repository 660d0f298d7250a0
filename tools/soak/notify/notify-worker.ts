// A worker of the soak of notifications: real stores, stages, delivery and senders. It kills or stops itself at
// the N-th reach of a point, or works until every review is sent. Its argument is one JSON document.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Criticizer, createCriticizer, createEnvironmentSecrets } from '@criticizer/core';
import { createFileArtifactStore, createLocalKeyRing } from '@criticizer/core/artifacts';
import type { Channel, Mailer, SendContext } from '@criticizer/core/ports';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { type NotifyWork, type Point, said } from './notify-work.js';
import { soakChanges, soakRedactor } from './soaked-changes.js';
import { openSenders, type Senders } from './soaked-senders.js';

const work = JSON.parse(process.argv[2] ?? '{}') as NotifyWork;
const say = (line: string): void => void writeSync(1, `${line}\n`);

let reached = 0;
function reach(point: Point): void {
  if (work.fault?.point !== point) return;
  reached += 1;
  if (reached !== work.fault.nth) return;
  if (work.fault.how === 'freeze') say(said.frozen);
  process.kill(process.pid, work.fault.how === 'freeze' ? 'SIGSTOP' : 'SIGKILL');
}

const watchPhase = (context: SendContext): SendContext => ({
  ...context,
  async onPhase(phase, wire) {
    await context.onPhase(phase, wire);
    if (phase === 'data') reach('after phase');
  },
});

async function around<T>(before: Point, after: Point, act: () => Promise<T>): Promise<T> {
  reach(before);
  const result = await act();
  reach(after);
  return result;
}

function watchMailer(mailer: Mailer): Mailer {
  const { lookup } = mailer;
  return {
    ...mailer,
    async send(mail, context) {
      const outcome = await mailer.send(mail, watchPhase(context));
      reach('after answer');
      return outcome;
    },
    ...(lookup && { lookup: (query) => around('before look-up', 'after look-up', () => lookup.call(mailer, query)) }),
  };
}

function watchChannel(channel: Channel): Channel {
  const { lookup } = channel;
  return {
    ...channel,
    plan: (review, context) => around('before plan', 'after plan', () => channel.plan(review, context)),
    async send(post, context) {
      const outcome = await channel.send(post, watchPhase(context));
      reach('after answer');
      return outcome;
    },
    ...(lookup && { lookup: (query) => around('before look-up', 'after look-up', () => lookup.call(channel, query)) }),
  };
}

function watch({ mailer, channels, ...more }: Senders): Senders {
  const mailers = mailer === undefined ? [] : [mailer].flat();
  return {
    ...more,
    ...(mailers.length > 0 && { mailer: mailers.map(watchMailer) }),
    ...(channels && { channels: channels.map(watchChannel) }),
  };
}

// `normal` is enough: no fault here is a loss of power.
const opened = createSqliteStores({ file: join(work.folder, 'queue.sqlite'), synchronous: 'normal' });
const { outbox } = opened;
const noteRefusal = (result: string): void => {
  if (result === 'lease-lost') say(said.refused);
};
const stores: typeof opened = {
  ...opened,
  outbox: {
    ...outbox,
    async claim(request) {
      const rows = await outbox.claim(request);
      if (rows.length > 0) reach('after claim');
      return rows;
    },
    async recordPhase(lease, phase, options) {
      reach('before phase');
      const result = await outbox.recordPhase(lease, phase, options);
      noteRefusal(result);
      return result;
    },
    async settle(settlements) {
      if (!settlements.some(({ kind }) => kind === 'sent')) return outbox.settle(settlements);
      const results = await around('before mark', 'after mark', () => outbox.settle(settlements));
      results.forEach(noteRefusal);
      return results;
    },
  },
};

function compose(): Criticizer<unknown> {
  return createCriticizer({
    ...{ stores, changes: soakChanges, redactor: soakRedactor, llm: 'none' },
    ...watch(openSenders(work)),
    artifacts: {
      store: createFileArtifactStore({ directory: join(work.folder, 'artifacts') }),
      keys: createLocalKeyRing({ source: createEnvironmentSecrets(), name: 'ARTIFACT_KEY' }),
    },
    settings: {
      worker: { leaseMs: 1_000, pollMinMs: 10, pollMaxMs: 25, sweepEveryMs: 1_000 },
      retry: { maxAttemptsPerStage: 100, maxLostLeases: 100, initialMs: 10, maxMs: 100 },
      // Longer than any far end takes to settle, so that an expired lease is followed by a look-up that can tell.
      mail: { leaseMs: 1_300, maxAttempts: 100 },
    },
  });
}

/** Resolves when every job has ended. */
async function untilDone(criticizer: Criticizer<unknown>, submitted: readonly string[]): Promise<void> {
  let open = submitted;
  while (open.length > 0) {
    const statuses = await Promise.all(open.map((id) => criticizer.status(id)));
    open = open.filter((_id, at) => !['completed', 'failed'].includes(statuses[at]?.job.status ?? ''));
    if (open.length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Submits its changes, and works until each is sent or it is killed. */
async function run(): Promise<void> {
  const criticizer = compose();
  const submitted: string[] = [];
  for (let number = work.changes.from; number <= work.changes.to; number += 1) {
    const { job } = await criticizer.submit({ serverId: 'main', number, reviewVersion: 1 });
    submitted.push(job.id);
  }
  await criticizer.start();
  say(said.up);
  await untilDone(criticizer, submitted);
  await criticizer.stop();
  await opened.close();
}

process.stdin.once('end', () => process.exit(0)).resume(); // nobody is there to end it
run().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
