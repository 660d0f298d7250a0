import { type AddressInfo, createServer, type Socket } from 'node:net';

/** Where a scripted dialogue can go wrong, in order. `MESSAGE` is the end of data. */
export type Stage = 'GREETING' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'MESSAGE';
/** A reply line, hanging up, a reset, silence, or lines of one reply that never ends, one every 20 ms. */
export type Fault = { reply: string } | 'drop' | 'reset' | 'stall' | 'drip';

export interface ScriptedServer {
  port: number;
  /** Whole messages taken; a message counts when its final dot arrived. */
  messages(): readonly string[];
  /** Bytes that came after 354. */
  dataBytes(): number;
  /** Connections opened so far. */
  connections(): number;
  /** Command lines in the order they came. */
  commands(): readonly string[];
  close(): Promise<void>;
}

const replies: Record<Stage, string> = {
  GREETING: '220 scripted.test ESMTP',
  EHLO: '250-scripted.test\r\n250 AUTH PLAIN',
  AUTH: '235 2.7.0 ok',
  MAIL: '250 2.1.0 ok',
  RCPT: '250 2.1.5 ok',
  DATA: '354 go on',
  MESSAGE: '250 2.0.0 queued',
};

interface Tape {
  taken: string[];
  commands: string[];
  dataBytes: number;
}

function serve(socket: Socket, faults: Partial<Record<Stage, Fault>>, tape: Tape): void {
  let buffered = '';
  let inData = false;
  const answer = (stage: Stage): void => {
    const fault = faults[stage];
    if (fault === 'stall') return;
    if (fault === 'drop') return void socket.end();
    if (fault === 'drip') {
      const code = replies[stage].slice(0, 3);
      const timer = setInterval(() => socket.write(`${code}-still here\r\n`), 20);
      return void socket.on('close', () => clearInterval(timer));
    }
    if (fault === 'reset') return void socket.resetAndDestroy();
    const line = fault === undefined ? replies[stage] : fault.reply;
    socket.write(`${line}\r\n`);
    if (line.startsWith('421')) socket.end();
    if (stage === 'DATA' && line.startsWith('3')) inData = true;
  };
  const command = (line: string): void => {
    tape.commands.push(line);
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'QUIT') return void socket.end('221 bye\r\n');
    const stage = ({ EHLO: 'EHLO', HELO: 'EHLO', AUTH: 'AUTH', MAIL: 'MAIL', RCPT: 'RCPT', DATA: 'DATA' } as const)[
      verb
    ];
    if (stage === undefined) return void socket.write('500 5.5.1 what\r\n');
    answer(stage);
  };
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    if (inData) tape.dataBytes += chunk.length;
    buffered += chunk.toString('latin1');
    for (;;) {
      const end = inData ? buffered.indexOf('\r\n.\r\n') : buffered.indexOf('\r\n');
      if (end < 0) return;
      const part = buffered.slice(0, end);
      buffered = buffered.slice(end + (inData ? 5 : 2));
      if (!inData) command(part);
      else {
        inData = false;
        tape.taken.push(part);
        answer('MESSAGE');
      }
    }
  });
  answer('GREETING');
}

/** A server that follows the protocol up to the fault. */
export async function startScriptedServer(faults: Partial<Record<Stage, Fault>>): Promise<ScriptedServer> {
  const tape: Tape = { taken: [], commands: [], dataBytes: 0 };
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    connections++;
    serve(socket, faults, tape);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    messages: () => tape.taken,
    dataBytes: () => tape.dataBytes,
    connections: () => connections,
    commands: () => tape.commands,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
