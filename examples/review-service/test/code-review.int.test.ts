import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '@criticizer/core';
import { type CodeReviewServer, startCodeReviewServer } from '@criticizer/notify/testing';
import type { P4SimulatorChange } from '@criticizer/p4/testing';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makePlace, type Place, startSimulatedService } from '../src/simulated/simulated-service.js';
import { makeServer } from '../src/simulated/stand-ins.js';
import { commenter, commentIn, reportMissing } from './code-review-parts.js';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

const totalFile = '//depot/orders/src/total.js';
const taxFile = '//depot/orders/src/tax.js';
const adding = (...fields: string[]): string =>
  `let total = 0;\n${fields.map((field) => `total += order.${field};\n`).join('')}`;
const shelf = (number: number, user: string, files: P4SimulatorChange['files']): P4SimulatorChange => ({
  ...{ number, user, status: 'pending', shelved: true, description: 'Add totals #review', files },
});
const first: P4SimulatorChange['files'] = [
  { path: totalFile, action: 'edit', content: adding('price', 'freight') },
  { path: taxFile, action: 'add', content: adding('tax') },
];

let place: Place;
let server: CodeReviewServer;
let stores: ReturnType<typeof createSqliteStores>;
beforeEach(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'criticizer-code-review-'));
  opened.push(() => rmSync(directory, { recursive: true }));
  place = makePlace(directory);
  opened.push(() => place.dispose());
  server = await startCodeReviewServer({ users: { [commenter.user]: commenter.ticket, ada: 'b-ticket' } });
  opened.push(() => server.close());
  stores = createSqliteStores({ file: join(directory, 'queue.sqlite') });
  opened.push(() => stores.close());
});

/** The shelf as its author has it, and the copy that P4 Code Review keeps of each version. */
function shelve(versions: readonly P4SimulatorChange['files'][]): void {
  const [review] = [...server.state.reviews.values()];
  const shown = Object.fromEntries((versions.at(-1) ?? []).map(({ path, content = '' }) => [path, String(content)]));
  const about = { change: 12, author: 'ada', description: 'Add totals', files: shown };
  const shelved = review ?? server.addReview(about);
  if (review !== undefined) server.addVersion(review, shown);
  const copies = versions.map((files, at) => {
    const { archiveChange, change } = shelved.versions[at] ?? {};
    return shelf(archiveChange ?? change ?? 0, 'swarm', files);
  });
  place.simulator.update({
    changes: [...makeServer('').changes, shelf(12, 'ada', versions.at(-1) ?? []), ...copies],
  });
}

async function start() {
  const service = await startSimulatedService(place, {
    ...{ stores, logger: silentLogger, watch: { watch: ['submitted'], startAt: 100 }, reply: reportMissing },
    settings: { worker: { leaseMs: 1_000, pollMinMs: 20, pollMaxMs: 50 }, mail: { leaseMs: 1_000 } },
    channels: commentIn(server.origin),
  });
  opened.push(() => service[Symbol.asyncDispose]());
  return service;
}

const completed = (jobs: number) =>
  vi.waitFor(async () => expect((await stores.jobs.stats()).completed).toBe(jobs), { timeout: 20_000, interval: 20 });
const placed = () =>
  server.state.comments
    .filter(({ context }) => context.file !== undefined)
    .map(({ context, flags, body }) => [
      ...[context.file, context.rightLine, context.version, flags.includes('closed')],
      /\*\*(.+?)\*\*/.exec(body)?.[1],
    ]);

describe('the service in P4 Code Review', { timeout: 60_000 }, () => {
  it('CHN-2: comments a shelf at its lines; the next version says nothing again, moves and resolves', async () => {
    shelve([first]);
    const service = await start();
    await service.criticizer.submit({ serverId: 'main', number: 12, reviewVersion: 1 });
    await completed(1);
    expect(placed().sort()).toEqual([
      [taxFile, 2, 1, false, 'Medium:'],
      [totalFile, 2, 1, false, 'High:'],
      [totalFile, 3, 1, false, 'High:'],
    ]);
    const review = [...server.state.reviews.values()][0];
    expect([...(review?.participants ?? [])]).toEqual(['ada', commenter.user]);
    expect(server.state.mails).toHaveLength(1);
    // Freight moves down a line, tax goes, price stays.
    const second: P4SimulatorChange['files'] = [
      { path: totalFile, action: 'edit', content: adding('price', 'weight', 'freight') },
    ];
    shelve([first, second]);
    await service.criticizer.submit({ serverId: 'main', number: 12, reviewVersion: 2 });
    await completed(2);
    await vi.waitFor(() =>
      expect(placed().sort()).toEqual([
        [taxFile, 2, 1, false, 'Medium:'],
        [totalFile, 2, 1, false, 'High:'],
        [totalFile, 3, 1, true, 'High:'],
        [totalFile, 3, 2, false, 'High:'],
        [totalFile, 4, 2, false, 'High:'],
      ]),
    );
    const rows = await stores.outbox.list({ changelistId: 'main/12', limit: 100 });
    expect(rows.filter(({ via, status }) => via === 'swarm' && status !== 'sent')).toEqual([]);
  });

  it('CHN-2: a service killed after a comment was saved and before it was marked does not say it again', async () => {
    shelve([first]);
    const file = fileURLToPath(new URL('./comment-and-die.ts', import.meta.url));
    const { directory, p4 } = place;
    const parts = JSON.stringify({ directory, p4, origin: server.origin, change: 12 });
    const child = spawn(process.execPath, ['--conditions=criticizer-source', '--import', 'tsx', file, parts], {
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    opened.push(() => child.kill());
    const ended = once(child, 'close');
    server.fail('save-then-drop', 'write');
    server.beforeNextWrite(() => void child.kill('SIGKILL'));
    expect((await ended)[1]).toBe('SIGKILL');
    expect(server.state.comments).toHaveLength(1);
    await start();
    await completed(1);
    expect(placed()).toHaveLength(3);
    expect(server.state.comments).toHaveLength(4);
    const rows = await stores.outbox.list({ changelistId: 'main/12', limit: 100 });
    const posts = rows.filter(({ via }) => via === 'swarm');
    expect(posts.map(({ status, possibleDuplicate }) => [status, possibleDuplicate])).toEqual(
      Array(4).fill(['sent', false]),
    );
  });
});
