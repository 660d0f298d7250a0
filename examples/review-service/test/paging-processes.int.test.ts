import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stores } from '@criticizer/core';
import pg from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { testScript } from '../../../tools/testing/run-process.js';
import { openSharedStores } from './traced-reviewer.js';

const pagingProcess = testScript(new URL('paging-process.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'criticizer-paging-'));
const schema = `paging_${randomBytes(4).toString('hex')}`;
afterAll(async () => {
  rmSync(folder, { recursive: true });
  const pool = new pg.Pool({ connectionString: inject('databaseUrl'), max: 1 });
  await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await pool.end();
});

interface Message {
  /** The process it came from. */
  from: string;
  type: string;
  id: string;
  code: string;
}

/** The far end of a pager. While it is silent it takes messages and answers none. */
async function openDesk() {
  const messages: Message[] = [];
  const desk = { isSilent: false };
  const waiting = new Set<() => void>();
  const silent: ServerResponse[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const { type, data } = JSON.parse(body) as { type: string; data: { code: string } };
      const from = (request.url ?? '').slice(1);
      messages.push({ from, type, id: String(request.headers['webhook-id']), code: data.code });
      if (desk.isSilent) silent.push(response);
      else response.writeHead(204).end();
      for (const look of waiting) look();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ origin, messages, desk },
    /** Resolves once the messages of these types fulfil `isEnough`. */
    until: (isEnough: (messages: readonly Message[]) => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!isEnough(messages)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close(): void {
      for (const response of silent) response.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

const sent = (messages: readonly Message[], type: string): string[] =>
  messages.filter((message) => message.type === type).map(({ code }) => code);

describe('pagers of two processes on one database', () => {
  it.each([
    ['SQLite', () => join(folder, 'queue.sqlite')],
    ['PostgreSQL', () => inject('databaseUrl')],
  ])('OPS-3: over %s each cause pages once, and the page of a killed process is taken over', async (_store, find) => {
    const database = find();
    const stores = openSharedStores(database, schema) as Stores<unknown>;
    await stores.migrate();
    const { origin, messages, desk, until, close } = await openDesk();
    const secret = randomBytes(32).toString('base64');
    const names = ['one', 'two'];
    const processes = new Map(
      names.map((name) => [name, pagingProcess.converse(database, schema, `${origin}/${name}`, secret)]),
    );
    for (const { opened } of processes.values()) expect(await opened).toBe('open');
    const setWrong = async (codes: readonly string[]): Promise<void> => {
      const { version } = await stores.documents.read('wrong');
      expect(await stores.documents.write('wrong', version, [...codes])).toMatchObject({ outcome: 'written' });
    };

    const codes = Array.from({ length: 8 }, (_, n) => `CAUSE_${n}`);
    await setWrong(codes);
    await until((all) => sent(all, 'alert.firing').length >= codes.length);
    await setWrong([]);
    await until((all) => sent(all, 'alert.resolved').length >= codes.length);
    expect([sent(messages, 'alert.firing').sort(), sent(messages, 'alert.resolved').sort()]).toEqual([codes, codes]);

    messages.length = 0;
    desk.isSilent = true;
    await setWrong(['DEADLY']);
    await until((all) => all.length === 1);
    const [first] = messages;
    await processes.get(first?.from ?? '')?.kill();
    desk.isSilent = false;
    await endClaims(stores);
    await until((all) => all.length === 2);
    await setWrong([]);
    await until((all) => all.length === 3);
    const survivor = names.find((name) => name !== first?.from);
    expect(messages.slice(1)).toEqual([
      { ...first, from: survivor },
      { from: survivor, type: 'alert.resolved', id: expect.any(String), code: 'DEADLY' },
    ]);
    await processes.get(survivor ?? '')?.kill();
    await stores.close();
    close();
  });
});

/** A claim outlasts its call by a quarter of a minute: what it waits for is put to the past. */
async function endClaims(stores: Stores<unknown>): Promise<void> {
  for (let outcome = ''; outcome !== 'written'; ) {
    const { version, value } = await stores.documents.read('alerts');
    const past = JSON.stringify(value).replaceAll(/"untilMs":\d+,"action"/g, '"untilMs":1,"action"');
    ({ outcome } = await stores.documents.write('alerts', version, JSON.parse(past)));
  }
}
