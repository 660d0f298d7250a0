// An SMTP server in a process of its own that takes every mail and keeps none. Prints its port.
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['AUTH', 'STARTTLS'],
  disableReverseLookup: true,
  logger: false,
  onData(stream, _session, done) {
    stream.resume();
    stream.on('end', () => done(null, '2.0.0 taken'));
  },
});
server.on('error', () => undefined);
server.listen(0, '127.0.0.1', () => console.log((server.server.address() as AddressInfo).port));
process.stdin.resume().on('end', () => process.exit());
