// A real SMTP server on loopback that keeps every message it accepts as an .eml file named by its
// key. It runs as a process of its own and outlives the worker, as a company's mail server does: a
// worker killed in the middle of a delivery finds it again, with what it holds.
//
// usage: mail-server.ts STATE_DIRECTORY (writes mail-server.json there once it listens; ends at
// SIGUSR2 or after an idle minute, unless a demo works in that folder)
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { liveDemos } from '../state/demo-lease.js';
import { publishAddress, withdrawAddress } from './mail-server-address.js';

const idleMs = 60_000;
const largestMessageBytes = 10 * 1024 * 1024;

/** The key header's value; a mail without one is refused. */
function keyOf(message: Buffer): string | undefined {
  const headers = message.toString('latin1', 0, Math.max(0, message.indexOf('\r\n\r\n')));
  return /^X-Criticizer-Key: ([0-9a-f]{32})$/im.exec(headers)?.[1];
}

/**
 * A journal that holds nothing at all cannot be told from one that is not mounted: the look-up
 * trusts absence only beside this file.
 */
function openJournal(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'journal-is-open'), '', { mode: 0o600 });
}

/** Whole or not at all, and a second copy beside the first, so that a duplicate is seen. */
function keep(folder: string, key: string, message: Buffer): string {
  openJournal(folder); // --fresh may have removed it
  const partial = join(folder, `.${key}.${process.hrtime.bigint()}`);
  try {
    writeFileSync(partial, message, { mode: 0o600, flush: true });
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

/** As an SMTP answer: a full disk is no reason to die, nor to refuse for good. */
function answerTo(folder: string, message: Buffer, tooLarge: boolean): { refusal: Error | null; text?: string } {
  const key = keyOf(message);
  if (tooLarge || key === undefined)
    return {
      refusal: Object.assign(new Error('5.6.0 refused: too large, or without X-Criticizer-Key'), { responseCode: 554 }),
    };
  try {
    return { refusal: null, text: `2.0.0 kept as ${keep(folder, key, message)}` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { refusal: Object.assign(new Error(`4.3.1 cannot keep it: ${code}`), { responseCode: 452 }) };
  }
}

function startMailServer(state: string): void {
  const folder = join(state, 'mail');
  openJournal(folder);
  /** Nobody needs it: no demo works in the folder, so none waits for a mail either. */
  const leaveUnlessNeeded = (): void => {
    if (liveDemos(state).length > 0) return;
    withdrawAddress(state);
    process.exit(0);
  };
  const idle = setInterval(leaveUnlessNeeded, idleMs);
  process.on('SIGUSR2', leaveUnlessNeeded);
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: largestMessageBytes,
    logger: false,
    onConnect(_session, done) {
      idle.refresh();
      done();
    },
    onData(stream, _session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const { refusal, text } = answerTo(folder, Buffer.concat(parts), stream.sizeExceeded);
        done(refusal, text);
      });
    },
  });
  server.on('error', () => undefined); // a client that breaks off is its own affair
  server.listen(0, '127.0.0.1', async () => {
    const { port } = server.server.address() as AddressInfo;
    if (!(await publishAddress(state, port))) process.exit(0);
  });
}

const state = process.argv[2];
if (state === undefined) {
  console.error('usage: mail-server.ts STATE_DIRECTORY');
  process.exit(2);
}
startMailServer(state);
