import { describe, expect, it } from 'vitest';
import { checkTarget, createGuardedLookup, parsePrivateOrigins, type ResolveHost } from './target-guard.js';

const none = parsePrivateOrigins([]);

function reasonOf(url: string, origins = none): unknown {
  try {
    checkTarget(url, origins);
    return 'allowed';
  } catch (error) {
    return (error as { code: string; details: { reason: string } }).code === 'HTTP_BLOCKED'
      ? (error as { details: { reason: string } }).details.reason
      : error;
  }
}

type LookupResult = { error: NodeJS.ErrnoException | null; addresses: unknown };
const lookupOnce = (
  resolveHost: ResolveHost,
  privateAllowed: boolean,
  options: { all?: boolean; family?: number } = { all: true },
) =>
  new Promise<LookupResult>((resolve) =>
    createGuardedLookup(resolveHost, privateAllowed)('name.example', options, (error, addresses) =>
      resolve({ error, addresses }),
    ),
  );

describe('checkTarget', () => {
  it.each([
    ['https://0x7f.1/', 'address'],
    ['https://2130706433/', 'address'],
    ['https://127。0。0。1/', 'address'],
    ['https://[::ffff:7f00:1]/', 'address'],
    ['https://[64:ff9b::7f00:1]/', 'address'],
    ['https://169.254.169.254/latest', 'address'],
    ['https://10.1.2.3/', 'address'],
    ['http://models.example/', 'scheme'],
    ['ftp://models.example/', 'scheme'],
    ['file:///etc/hostname', 'scheme'],
    ['https://user:word@models.example/', 'url_credentials'],
    ['models.example', 'url_malformed'],
    ['https://models.example/v1', 'allowed'],
    ['https://8.8.8.8/', 'allowed'],
  ])('%s: %s', (url, outcome) => {
    expect(reasonOf(url)).toBe(outcome);
  });

  it('allows plain http and private addresses for a listed origin alone, and metadata never', () => {
    const origins = parsePrivateOrigins(['http://127.0.0.1:8080', 'https://gateway.example', 'http://169.254.169.254']);
    expect(reasonOf('http://127.0.0.1:8080/v1', origins)).toBe('allowed');
    expect(reasonOf('http://127.0.0.1:8081/v1', origins)).toBe('scheme');
    expect(reasonOf('https://127.0.0.1:8080/v1', origins)).toBe('address');
    expect(reasonOf('http://gateway.example/v1', origins)).toBe('scheme');
    expect(reasonOf('http://169.254.169.254/latest', origins)).toBe('address');
  });

  it('refuses an entry that is no origin', () => {
    for (const entry of [
      'gateway.example',
      'https://gateway.example/path',
      'ftp://gateway.example',
      'https://*.example',
    ])
      expect(() => parsePrivateOrigins([entry]), entry).toThrow(TypeError);
  });
});

describe('createGuardedLookup', () => {
  it('hands over what it checked', async () => {
    const { error, addresses } = await lookupOnce(async () => [{ address: '8.8.8.8', family: 4 }], false);
    expect(error).toBeNull();
    expect(addresses).toEqual([{ address: '8.8.8.8', family: 4 }]);
  });

  it('refuses the name when one of its addresses is private', async () => {
    const resolveHost: ResolveHost = async () => [
      { address: '8.8.8.8', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    expect((await lookupOnce(resolveHost, false)).error?.code).toBe('HTTP_BLOCKED');
    expect((await lookupOnce(resolveHost, true)).error).toBeNull();
  });

  it('refuses metadata even where private addresses are allowed', async () => {
    expect((await lookupOnce(async () => [{ address: '169.254.169.254', family: 4 }], true)).error?.code).toBe(
      'HTTP_BLOCKED',
    );
  });

  it('checks all families although the socket asks for one', async () => {
    const resolveHost: ResolveHost = async () => [
      { address: '8.8.8.8', family: 4 },
      { address: '::1', family: 6 },
    ];
    expect((await lookupOnce(resolveHost, false, { family: 4 })).error?.code).toBe('HTTP_BLOCKED');
  });

  it('has no address for an empty answer', async () => {
    expect((await lookupOnce(async () => [], false)).error?.code).toBe('ENOTFOUND');
  });
});
