import { mkdirSync, writeFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';

export interface MailServer {
  port: number;
  close(): Promise<void>;
}

/** Called when a message is kept, before its sender is told. `client` is the name it said hello with. */
export type OnKept = (client: string) => void;

/**
 * A real SMTP server on loopback that keeps each message it takes as an .eml file of its own, as a
 * company's server with a journal does.
 */
export async function startMailServer(directory: string, onKept: OnKept): Promise<MailServer> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(join(directory, 'journal-is-open'), ''); // an empty journal would prove nothing to a look-up
  let taken = 0;
  const keep = async (message: Buffer, session: SMTPServerSession): Promise<void> => {
    const name = `${Date.now()}-${process.pid}-${++taken}.eml`;
    const partial = join(directory, `.${name}`);
    await writeFile(partial, message, { mode: 0o600, flush: true });
    await rename(partial, join(directory, name));
    onKept(session.hostNameAppearsAs || '');
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: 1_000_000,
    logger: false,
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () =>
        keep(Buffer.concat(parts), session).then(
          () => done(null, '2.0.0 kept'),
          () => done(Object.assign(new Error('4.3.1 cannot keep it'), { responseCode: 452 })),
        ),
      );
    },
  });
  server.on('error', () => undefined); // a client that breaks off is its own affair
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return { port, close: () => new Promise((resolve) => server.close(resolve)) };
}
