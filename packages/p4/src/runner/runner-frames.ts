import { CriticizerError } from '@criticizer/core/ports';

/** Kinds of frame, in the order of a conversation. */
export const frameType = {
  /** Runner to client: version and nonce. */
  hello: 0,
  /** Client to runner: 64 hex characters of MAC, then the request as JSON. */
  request: 1,
  /** Client to runner: a part of the JSON list of operands. */
  operands: 2,
  /** Runner to client: bytes of standard output. */
  stdout: 3,
  /** Runner to client: the first 64 KiB of standard error. */
  stderr: 4,
  /** Runner to client: how the process ended. Without it the output is not to be used. */
  end: 5,
  /** Runner to client: the request was not run, and which part of it is why. */
  refused: 6,
  /** Runner to client: the process was started, or was to be, and failed. */
  failed: 7,
} as const;

/** The version of this protocol; runner and client must have the same. */
export const protocolVersion = 1;
/** Longest payload of a frame. */
export const maxFrameBytes = 1 << 20;
/** Longest list of operands. */
export const maxOperandBytes = 16 << 20;

const headBytes = 5;
const known: ReadonlySet<number> = new Set(Object.values(frameType));

/** `u32le length, u8 type`, then the payload. */
export function encodeFrame(type: number, payload: Uint8Array | string): Buffer {
  const body = typeof payload === 'string' ? Buffer.from(payload, 'utf8') : payload;
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(body.length, 0);
  head.writeUInt8(type, 4);
  return Buffer.concat([head, body]);
}

/** Cuts bytes into parts that fit a frame; one empty part for none. */
export function encodeParts(type: number, bytes: Uint8Array): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += maxFrameBytes)
    parts.push(encodeFrame(type, bytes.subarray(at, at + maxFrameBytes)));
  return parts;
}

/** A peer that speaks another protocol, or none. */
export function malformedFrame(why: string): CriticizerError {
  return new CriticizerError('P4_RUNNER_UNAVAILABLE', `The other side of the p4 runner's socket sent ${why}.`, {
    category: 'upstream',
    parks: true,
  });
}

/** Hands out whole frames, in order. `push` throws `P4_RUNNER_UNAVAILABLE` for what is no frame. */
export function createFrameReader(onFrame: (type: number, payload: Buffer) => void): { push(chunk: Buffer): void } {
  let rest: Buffer = Buffer.alloc(0);
  return {
    push(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (rest.length >= headBytes) {
        const length = rest.readUInt32LE(0);
        const type = rest.readUInt8(4);
        if (length > maxFrameBytes || !known.has(type)) throw malformedFrame('a frame that is none');
        if (rest.length < headBytes + length) return;
        const payload = rest.subarray(headBytes, headBytes + length);
        rest = rest.subarray(headBytes + length);
        onFrame(type, payload);
      }
    },
  };
}
