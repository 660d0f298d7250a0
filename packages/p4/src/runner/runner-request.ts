import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

const hex64 = z.string().regex(/^[0-9a-f]{64}$/);

/** What a request says besides its operands. Never an executable, argv, environment, port, user or ticket. */
export const requestSchema = z.strictObject({
  version: z.int(),
  /** Fresh for each request, so that the MAC is for this one alone. */
  nonce: hex64,
  serverId: z.string().max(64),
  name: z.string().max(32),
  flags: z.array(z.string().max(64)).max(16),
  operandsPerBatch: z.int().min(1).nullable(),
  operandBytes: z.int().min(0),
  operandsSha256: hex64,
  charset: z.enum(['none', 'utf8']),
  ticketVersion: z.enum(['current', 'previous']),
  wallMs: z.int().min(1),
  maxOutputBytes: z.int().min(1),
});
/** A request as it is sent. */
export type RunnerRequest = z.output<typeof requestSchema>;

export const helloSchema = z.strictObject({ version: z.int(), nonce: hex64 });
export const endSchema = z.strictObject({
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  outputBytes: z.int().min(0),
});
export const operandsSchema = z.array(z.string());

/** Hex. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Binds a request to one hello of the runner: neither a replay nor another body has this MAC. */
export function signRequest(key: string, helloNonce: string, json: string): string {
  return createHmac('sha256', key).update(helloNonce).update('\n').update(json).digest('hex');
}

/** In constant time. */
export function isSigned(key: string, helloNonce: string, json: string, mac: string): boolean {
  const wanted = Buffer.from(signRequest(key, helloNonce, json));
  const given = Buffer.from(mac);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** The value of a JSON text in this form; null for any other. */
export function parseAs<T>(schema: z.ZodType<T>, text: string): T | null {
  try {
    const read = schema.safeParse(JSON.parse(text));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}
