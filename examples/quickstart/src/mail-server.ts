// A real SMTP server on loopback that keeps every message it accepts as an .eml file named by its key. It runs as a process of its own and
// outlives the worker, as a company's mail server does: a worker killed in the middle of a delivery finds it again, with what it holds.
//
// usage: mail-server.ts STATE_DIRECTORY   (writes mail-server.json there once it listens; ends after ten idle minutes)
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';

const idleMs = 10 * 60_000;
const largestMessageBytes = 10 * 1024 * 1024;

/** The key header's value; a mail without one is refused. */
function keyOf(message: Buffer): string | undefined {
  const headers = message.toString('latin1', 0, Math.max(0, message.indexOf('\r\n\r\n')));
  return /^X-Criticizer-Key: ([0-9a-f]{32})$/im.exec(headers)?.[1];
}

/** Whole or not at all, and a second copy beside the first, so that a duplicate is seen. */
function keep(folder: string, key: string, message: Buffer): string {
  const partial = join(folder, `.${key}.${process.hrtime.bigint()}`);
  writeFileSync(partial, message, { mode: 0o600, flush: true });
  try {
    for (let copy = 1; ; copy++) {
      const name = copy === 1 ? `${key}.eml` : `${key}.${copy}.eml`;
      try {
        linkSync(partial, join(folder, name));
        return name;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
    }
  } finally {
    rmSync(partial, { force: true });
  }
}

export function startMailServer(state: string): void {
  const folder = join(state, 'mail');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // A journal that holds nothing at all cannot be told from one that is not mounted: the look-up trusts absence only beside this file.
  writeFileSync(join(folder, 'journal-is-open'), '', { mode: 0o600 });
  let idle = setTimeout(() => process.exit(0), idleMs);
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: largestMessageBytes,
    logger: false,
    onConnect(_session, done) {
      clearTimeout(idle);
      idle = setTimeout(() => process.exit(0), idleMs);
      done();
    },
    onData(stream, _session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const message = Buffer.concat(parts);
        const key = keyOf(message);
        if (stream.sizeExceeded || key === undefined) {
          done(Object.assign(new Error('5.6.0 refused: too large, or without X-Criticizer-Key'), { responseCode: 554 }));
          return;
        }
        done(null, `2.0.0 kept as ${keep(folder, key, message)}`);
      });
    },
  });
  server.on('error', () => undefined); // a client that breaks off is its own affair
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.server.address() as AddressInfo;
    const partial = join(state, 'mail-server.partial');
    writeFileSync(partial, JSON.stringify({ pid: process.pid, port }));
    renameSync(partial, join(state, 'mail-server.json'));
  });
}

const state = process.argv[2];
if (state === undefined) {
  console.error('usage: mail-server.ts STATE_DIRECTORY');
  process.exit(2);
}
startMailServer(state);
