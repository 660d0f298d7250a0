import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

/** What a server does to the socket of a request that it read whole. */
export type Fault = (socket: Socket) => void;

/** A server on loopback that speaks raw TCP, for answers that no HTTP server would give. */
export interface FaultyServer {
  origin: string;
  /** Plays these in order, one a request; the last one for ever. */
  play(...faults: readonly Fault[]): void;
  /** Requests read since `play`. */
  requests(): number;
  close(): Promise<void>;
}

const isWhole = (request: string): boolean => {
  const end = request.indexOf('\r\n\r\n');
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(request)?.[1] ?? 0);
  return end >= 0 && Buffer.byteLength(request.slice(end + 4)) >= length;
};

/** Starts a server that plays faults. */
export async function startFaultyServer(): Promise<FaultyServer> {
  let faults: readonly Fault[] = [];
  let requests = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let request = '';
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A client that gives up closes the socket under the server's hands.
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      request += chunk.toString('latin1');
      if (!isWhole(request)) return;
      request = '';
      requests += 1;
      faults[Math.min(requests, faults.length) - 1]?.(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    play(...next) {
      faults = next;
      requests = 0;
    },
    requests: () => requests,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Head of an answer in JSON; without a length it is chunked. */
export function writeHead(status: number, length?: number): string {
  const framing = length === undefined ? 'transfer-encoding: chunked' : `content-length: ${length}`;
  return `HTTP/1.1 ${status} Status\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`;
}

/** An answer as it should be. */
export function answerWith(status: number, body: object): Fault {
  const text = JSON.stringify(body);
  return (socket) => socket.write(writeHead(status, Buffer.byteLength(text)) + text);
}

/**
 * Sends `totalBytes` of JSON text as fast as the client takes them, with their length in the head
 * or in chunks. `taken` gives the bytes that were handed to the system.
 */
export function pourBody(totalBytes: number, isChunked: boolean): { fault: Fault; taken(): number } {
  const piece = Buffer.alloc(64 * 1_024, 0x20);
  let taken = 0;
  const fault: Fault = (socket) => {
    socket.write(writeHead(200, isChunked ? undefined : totalBytes));
    const pour = (): void => {
      while (taken < totalBytes && !socket.destroyed) {
        taken += piece.length;
        const hasRoom = isChunked
          ? socket.write(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]))
          : socket.write(piece);
        if (!hasRoom) return;
      }
    };
    socket.on('drain', pour);
    pour();
  };
  return { fault, taken: () => taken };
}
