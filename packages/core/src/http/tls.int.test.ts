import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { SecurityEvent } from '../telemetry/security-events.js';
import { createHttpClient, type HttpClientOptions } from './undici-http-client.js';

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const size =
    content.length < 128
      ? [content.length]
      : content.length < 256
        ? [0x81, content.length]
        : [0x82, content.length >> 8, content.length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const ascii = (tag: number, text: string) => der(tag, Buffer.from(text, 'latin1'));
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const utcTime = (ms: number) => ascii(0x17, `${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`);

/** A certificate that vouches for itself, as a house without a public authority has. */
function selfSigned(hostname: string, fromMs: number, toMs: number): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaSha256 = sequence(oid('2a8648ce3d040302'));
  const name = sequence(der(0x31, sequence(oid('550403'), ascii(0x0c, hostname))));
  const subjectAltName = sequence(oid('551d11'), der(0x04, sequence(ascii(0x82, hostname))));
  const basicConstraints = sequence(
    oid('551d13'),
    der(0x01, Buffer.from([0xff])),
    der(0x04, sequence(der(0x01, Buffer.from([0xff])))),
  );
  const serial = randomBytes(8);
  serial[0] = 0x01;
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ecdsaSha256,
    name,
    sequence(utcTime(fromMs), utcTime(toMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(subjectAltName, basicConstraints)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', toBeSigned, privateKey));
  const base64 = sequence(toBeSigned, ecdsaSha256, signature).toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
  };
}

const day = 86_400_000;
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function exchangeWith(
  certificate: { key: string; cert: string },
  options: HttpClientOptions,
  hostname = 'gateway.example',
) {
  const server = createServer(certificate, (_request, response) => response.end('ok'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  const origin = `https://${hostname}:${(server.address() as AddressInfo).port}`;
  const events: SecurityEvent[] = [];
  const http = createHttpClient({
    resolveHost: async () => [{ address: '127.0.0.1', family: 4 }],
    allowPrivateOrigins: [origin],
    securityEvents: { emit: (event) => void events.push(event) },
    ...options,
  });
  cleanups.push(() => http.close());
  const outcome = await http.exchange({ method: 'GET', url: origin }).then(
    (response) => response.status,
    (error: unknown) => (error as { code: string }).code,
  );
  return { outcome, events: events.map((event) => event.type) };
}

describe('TLS of the HTTP client', () => {
  const now = Date.now();
  const good = selfSigned('gateway.example', now - day, now + day);

  it('trusts the authority the house names', async () => {
    expect(await exchangeWith(good, { trustedCertificates: [good.cert] })).toEqual({ outcome: 200, events: [] });
  });

  it('refuses an authority nobody named, a wrong name and an expired certificate, and raises an event', async () => {
    const refused = { outcome: 'NETWORK_TLS', events: ['http.blocked'] };
    expect(await exchangeWith(good, {})).toEqual(refused);
    expect(await exchangeWith(good, { trustedCertificates: [good.cert] }, 'other.example')).toEqual(refused);
    const expired = selfSigned('gateway.example', now - 2 * day, now - day);
    expect(await exchangeWith(expired, { trustedCertificates: [expired.cert] })).toEqual(refused);
  });

  it('verifies although the environment says not to', async () => {
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      expect((await exchangeWith(good, {})).outcome).toBe('NETWORK_TLS');
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
  });
});
