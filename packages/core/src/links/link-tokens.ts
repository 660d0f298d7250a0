import { createHmac, timingSafeEqual } from 'node:crypto';
import type { JsonValue } from '../foundation/json.js';

/** Longer than any token: nothing else is looked at. */
const maxTokenChars = 1_024;

/** The purpose in front keeps a signature of this key for another one from being taken for it. */
const sign = (key: Buffer, purpose: string, body: string): Buffer =>
  createHmac('sha256', key).update(`${purpose}\n${body}`).digest();

/** A token that anybody can read and nobody without the key can make, fit for a URL. */
export function sealToken(key: Buffer, purpose: string, fields: readonly JsonValue[]): string {
  const body = Buffer.from(JSON.stringify(fields)).toString('base64url');
  return `${body}.${sign(key, purpose, body).toString('base64url')}`;
}

/** What `sealToken` was given, of one of the keys and for this purpose; null for any other text. Never throws. */
export function openToken(keys: readonly Buffer[], purpose: string, token: string): unknown {
  const [, body, mac] = token.length <= maxTokenChars ? (/^([\w-]+)\.([\w-]+)$/.exec(token) ?? []) : [];
  if (body === undefined || mac === undefined) return null;
  const given = Buffer.from(mac, 'base64url');
  const fits = (key: Buffer): boolean => {
    const expected = sign(key, purpose, body);
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  if (!keys.some(fits)) return null;
  try {
    return JSON.parse(Buffer.from(body, 'base64url').toString());
  } catch {
    return null;
  }
}
