// A mail server that journals what it takes before it answers, as postfix does by `always_bcc`.
import { mkdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import type { FarEnd } from './far-end.js';

const keyOf = (mail: string): string | undefined => /^X-Criticizer-Key: (\S+)\r?$/im.exec(mail)?.[1];

/** Every mail of ours ends with the boundary of its last part: one that was cut off is none. */
const isWhole = (mail: string): boolean => mail.slice(-16).trimEnd().endsWith('--');

/** Starts it on a free port; the journal is a Maildir in `folder`, and `file` gets every mail as well. */
export async function startJournalingMailServer(
  folder: string,
  taken: () => void,
  file: (mail: string) => void = () => undefined,
): Promise<Omit<FarEnd, 'onTaken' | 'prepare'>> {
  const journal = join(folder, 'journal', 'new');
  mkdirSync(journal, { recursive: true });
  // An empty journal proves nothing, so there is one mail of before.
  writeFileSync(join(journal, '1000000000.first.soak'), 'X-Criticizer-Key: none\r\n\r\n');
  const copies = new Map<string, number>();
  let count = 0;
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['AUTH', 'STARTTLS'], disableReverseLookup: true, logger: false },
    onData(stream, _session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const mail = Buffer.concat(parts).toString('latin1');
        const key = keyOf(mail);
        if (key === undefined || !isWhole(mail)) return done(new Error('cut off'));
        count += 1;
        copies.set(key, (copies.get(key) ?? 0) + 1);
        writeFileSync(join(journal, `${Math.floor(Date.now() / 1_000)}.${count}.soak`), mail, 'latin1');
        file(mail);
        taken();
        done();
      });
    },
  });
  server.on('error', () => undefined); // a killed worker resets its connections
  const port = await new Promise<number>((resolve) => {
    const listening = server.listen(0, '127.0.0.1', () => resolve((listening.address() as AddressInfo).port));
  });
  return {
    reach: { port: String(port), journal: join(folder, 'journal') },
    copies: ({ key }) => copies.get(key) ?? 0,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
