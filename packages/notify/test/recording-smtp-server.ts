import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReceivedMail } from '@criticizer/core/testing';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A real SMTP server on loopback that keeps what it takes, and journals it to a folder as a mail server would. */
export interface RecordingServer {
  port: number;
  journal: string;
  received(): readonly ReceivedMail[];
  /** Connections opened so far. */
  sessions(): number;
  /** TCP connections accepted, those it turned away with 421 among them, and how many it turned away. */
  connections(): { accepted: number; refused: number };
  /** Take each message and hang up instead of answering. */
  dropAfterData(): void;
  refuseRecipient(): void;
  /** Take each message and say nothing; `taken` resolves with the first. */
  stallAfterData(): { taken: Promise<void> };
  /** Take the journal away, as an unmounted disk does. */
  loseJournal(): Promise<void>;
  /** Hang up on every open connection. */
  hangUp(): void;
  close(): Promise<void>;
}

const header = (raw: string, name: string): string => new RegExp(`^${name}:\\s*(.*)\\r$`, 'im').exec(raw)?.[1] ?? '';

export async function startRecordingServer(options: SMTPServerOptions = {}): Promise<RecordingServer> {
  const journal = await mkdtemp(join(tmpdir(), 'criticizer-journal-'));
  const received: ReceivedMail[] = [];
  let sessions = 0;
  let drops = false;
  let refuses = false;
  let onStalled: (() => void) | undefined;
  const hangUp = (): void => {
    for (const connection of (server as SMTPServer & { connections: Iterable<{ _socket: { destroy(): void } }> })
      .connections) {
      connection._socket.destroy();
    }
  };
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    authOptional: true,
    disableReverseLookup: true,
    onConnect(_session, done) {
      sessions++;
      done();
    },
    onRcptTo(_address, _session, done) {
      done(refuses ? Object.assign(new Error('5.1.1 no such user dev@example.test'), { responseCode: 550 }) : null);
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const raw = Buffer.concat(chunks);
        const text = raw.toString('latin1');
        await writeFile(join(journal, `${received.length}.eml`), raw);
        received.push({
          key: header(text, 'X-Criticizer-Key'),
          messageId: header(text, 'Message-ID'),
          from: session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address,
          to: session.envelope.rcptTo.map((to) => to.address),
          raw,
        });
        if (drops) hangUp();
        else if (onStalled === undefined) done();
        else onStalled();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  let accepted = 0;
  server.server.on('connection', () => accepted++);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    journal,
    received: () => received,
    sessions: () => sessions,
    connections: () => ({ accepted, refused: accepted - sessions }),
    dropAfterData() {
      drops = true;
    },
    refuseRecipient() {
      refuses = true;
    },
    stallAfterData: () => ({
      taken: new Promise((resolve) => {
        onStalled = resolve;
      }),
    }),
    loseJournal: () => rm(journal, { recursive: true, force: true }),
    hangUp,
    async close() {
      hangUp();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(journal, { recursive: true, force: true });
    },
  };
}
