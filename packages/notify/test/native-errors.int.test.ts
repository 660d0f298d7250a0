import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { classifyFailure } from '@criticizer/core/ports';
import { createTransport } from 'nodemailer';
import { describe, expect, it } from 'vitest';

const mail = { from: 'a@example.com', to: 'b@example.com', subject: 'x', text: 'x' };

/** What nodemailer throws for a server that greets with `greeting`, or is not there at all (null). */
async function failureAgainst(greeting: string | null): Promise<unknown> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(greeting ?? '');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  if (greeting === null) await close();
  try {
    await createTransport({ host: '127.0.0.1', port, secure: false }).sendMail(mail);
  } catch (error) {
    return error;
  } finally {
    if (greeting !== null) await close();
  }
  throw new Error('expected the mail to fail');
}

describe('what nodemailer throws', () => {
  it.each([
    ['no server', null, 'network'],
    ['a connection closed without a greeting', '', 'network'],
    ['a server that takes nothing now', '421 4.3.2 closing\r\n', 'upstream'],
  ])('ERR-1: %s is no bug of the host', async (_, greeting, category) => {
    expect(classifyFailure(await failureAgainst(greeting))).toMatchObject({ category, retryable: true });
  });
});
