import { describe, expect, it } from 'vitest';
import { signAwsRequest } from './sign-aws.js';

describe('signAwsRequest', () => {
  it('signs as the vendor documents: each part of the request changes the signature', () => {
    const request = {
      method: 'POST',
      url: 'https://h.example/model/a%3Ab/converse',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    };
    const credentials = { accessKeyId: 'id', secretAccessKey: 'key', sessionToken: 'session' };
    const scope = { region: 'eu-central-1', service: 'bedrock', now: new Date('2026-11-01T12:34:56.789Z') };
    const signed = signAwsRequest(request, credentials, scope);
    expect(signed).toMatchObject({ 'x-amz-date': '20261101T123456Z', 'x-amz-security-token': 'session' });
    expect(signed['authorization']).toMatch(
      /^AWS4-HMAC-SHA256 Credential=id\/20261101\/eu-central-1\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
    );
    const others = [
      signAwsRequest({ ...request, body: '{} ' }, credentials, scope),
      signAwsRequest({ ...request, method: 'PUT' }, credentials, scope),
      signAwsRequest({ ...request, url: 'https://h.example/model/a%3Ac/converse' }, credentials, scope),
      signAwsRequest({ ...request, headers: { 'content-type': 'text/plain' } }, credentials, scope),
      signAwsRequest(request, { ...credentials, secretAccessKey: 'other' }, scope),
      signAwsRequest(request, credentials, { ...scope, region: 'us-east-1' }),
      signAwsRequest(request, credentials, { ...scope, now: new Date('2026-11-02T12:34:56Z') }),
    ].map((one) => one['authorization']);
    expect(new Set([signed['authorization'], ...others]).size).toBe(8);
    expect(signAwsRequest(request, credentials, scope)).toEqual(signed);
  });
});
