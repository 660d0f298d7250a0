import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ScriptedAnswer, scriptHttp } from '../../../test/provider-samples.js';
import { createEnvironmentSecrets } from '../../secrets/environment-secrets.js';
import { revealSecret } from '../../secrets/secret.js';
import { createEntraTokenSource, type EntraTokenSourceOptions } from './entra-token-source.js';

const secret = `a b+c${Date.now()}`;
const issued = (n: number): ScriptedAnswer => ({
  body: { token_type: 'Bearer', expires_in: 3_599, access_token: `token${n}` },
});

function make(answers: readonly ScriptedAnswer[], more: Partial<EntraTokenSourceOptions> = {}) {
  const { http, requests } = scriptHttp(...answers);
  let nowMs = 0;
  const source = createEntraTokenSource({
    http,
    tenantId: 'tenant-1',
    clientId: 'client-1',
    clientSecret: { source: createEnvironmentSecrets({ env: { SECRET: secret } }), name: 'SECRET' },
    scope: 'https://cognitiveservices.azure.com/.default',
    clock: { nowMs: () => nowMs },
    ...more,
  });
  const read = async () => revealSecret((await source.read('any')).current.secret);
  return { read, requests, advance: (ms: number) => (nowMs += ms) };
}

describe('createEntraTokenSource', () => {
  it('INT-4: asks by the client credentials grant, in the form that the vendor documents', async () => {
    const { read, requests } = make([issued(1)]);
    expect(await read()).toBe('token1');
    expect(requests[0]).toMatchObject({
      method: 'POST',
      url: 'https://login.microsoftonline.com/tenant-1/oauth2/v2.0/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `grant_type=client_credentials&client_id=client-1&scope=https%3A%2F%2Fcognitiveservices.azure.com%2F.default&client_secret=a%20b%2Bc${secret.slice(5)}`,
    });
  });

  it('SEC-5: keeps a token until five minutes before its end; reads at once share one request', async () => {
    const { read, requests, advance } = make([issued(1), issued(2)]);
    expect(await Promise.all([read(), read(), read()])).toEqual(['token1', 'token1', 'token1']);
    advance(3_298_999);
    expect(await read()).toBe('token1');
    advance(1);
    expect(await read()).toBe('token2');
    expect(requests).toHaveLength(2);
  });

  it('INT-4: reads the federated token for each request, as it rotates', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'entra-'));
    const federatedTokenFile = join(folder, 'token');
    try {
      const { read, requests, advance } = make([issued(1), issued(2)], { clientSecret: undefined, federatedTokenFile });
      await expect(read()).rejects.toMatchObject({ code: 'SECRET_MISSING', parks: true });
      for (const written of ['first', 'second']) {
        await writeFile(federatedTokenFile, `${written}\n`);
        await read();
        advance(3_600_000);
      }
      expect(requests.map(({ body }) => new URLSearchParams(String(body)).get('client_assertion'))).toEqual([
        'first',
        'second',
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('INT-4: a refused application is auth and parks; an outage is not', async () => {
    const refused = {
      status: 401,
      body: { error: 'invalid_client', error_codes: [7_000_215], error_description: secret },
    };
    const { read } = make([refused, { status: 503 }, { body: {} }]);
    await expect(read()).rejects.toMatchObject({
      code: 'AUTH_DENIED',
      parks: true,
      details: { codes: '7000215', error: 'invalid_client' },
    });
    await expect(read()).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', category: 'network' });
    await expect(read()).rejects.toMatchObject({ code: 'UPSTREAM_ERROR', category: 'upstream' });
  });

  it('wants exactly one proof', () => {
    expect(() => make([], { federatedTokenFile: '/x' })).toThrow('exactly one');
    expect(() => make([], { clientSecret: undefined })).toThrow('exactly one');
  });
});
