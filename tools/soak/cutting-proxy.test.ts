import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSeededRandom } from '@criticizer/core/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.js';

const random = createSeededRandom(1);
let folder: string;
let upstream: Server;
let proxy: CuttingProxy;
/** What the upstream was sent. */
let received: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crit-proxy-'));
  received = '';
  // Answers each line with a hundred bytes.
  upstream = createServer((socket) => {
    socket.setEncoding('latin1').on('error', () => undefined);
    socket.on('data', (text: string) => {
      received += text;
      if (text.endsWith('\n')) socket.write('r'.repeat(100));
    });
  });
  await new Promise<void>((ready) => upstream.listen(join(folder, 'socket'), ready));
  proxy = await startCuttingProxy(join(folder, 'socket'));
});
afterEach(async () => {
  await proxy.close();
  await new Promise((done) => upstream.close(done));
  rmSync(folder, { recursive: true, force: true });
});

interface Dialled {
  socket: Socket;
  /** Everything read, once it ended: by a reset, or by the FIN that Node sends ahead of one. */
  ended: Promise<string>;
  first(bytes: number): Promise<void>;
}

function dial(): Dialled {
  const socket = connect(proxy.port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (more: string) => {
    text += more;
  });
  socket.on('error', () => undefined);
  return {
    socket,
    ended: new Promise((resolve) => socket.once('close', () => resolve(text))),
    first: (bytes) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (text.length >= bytes) resolve();
          else socket.once('data', look);
        };
        look();
      }),
  };
}

it('forwards, and resets a connection when told', async () => {
  const { socket, first, ended } = dial();
  socket.write('ask\n');
  await first(100);
  expect(proxy.cut(random)).toBe(true);
  expect(await ended).toBe('r'.repeat(100));
  expect([received, proxy.broken(), proxy.open()]).toEqual(['ask\n', 1, 0]);
  expect(proxy.cut(random)).toBe(false);
});

it('lets a request through to the byte, and no answer', async () => {
  const { socket, first, ended } = dial();
  socket.write('ask\n');
  await first(100);
  expect(proxy.cutAfter(6, 'request', random)).toBe(true);
  socket.write('again, and more\n');
  expect(await ended).toBe('r'.repeat(100));
  expect([received, proxy.broken()]).toEqual(['ask\nagain,', 1]);
});

it('never lets more of a reply through than it was told to', async () => {
  const { socket, first, ended } = dial();
  socket.write('ask\n');
  await first(100);
  proxy.cutAfter(40, 'reply', random);
  socket.write('ask\n');
  const { length } = await ended;
  expect(length).toBeGreaterThanOrEqual(100);
  expect(length).toBeLessThanOrEqual(140); // a reset may overtake what was sent before it
  expect(proxy.broken()).toBe(1);
});

it('leaves the newest connections half open: both ends stand, no byte passes either way, and what was sent is counted', async () => {
  const [old, young] = [dial(), dial()];
  for (const { socket, first } of [old, young]) {
    socket.write('ask\n');
    await first(100);
  }
  expect(proxy.swallow(1)).toBe(1);
  expect(proxy.swallowed()).toBe(0);
  young.socket.write('lost\n');
  old.socket.write('heard\n');
  await old.first(200);
  expect([received, proxy.swallowed(), proxy.open()]).toEqual(['ask\nask\nheard\n', 1, 2]);
  proxy.swallowNew(true);
  const third = dial();
  third.socket.write('lost too\n');
  old.socket.write('heard again\n');
  await old.first(300);
  expect([received.includes('lost'), proxy.open(), proxy.broken()]).toEqual([false, 3, 0]);
});
