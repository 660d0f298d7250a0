// The same request through a vendor's own client and through our provider must be the same on the wire.
import assert from 'node:assert/strict';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { LLMock } from '@copilotkit/aimock';
import { createEnvironmentSecrets } from '@criticizer/core';
import { createHttpClient } from '@criticizer/core/http';
import { redactForLlm, toOptionalSchema, toStrictSchema } from '@criticizer/core/llm';
import { createRedactor } from '@criticizer/redact';
import { SignatureV4 } from '@smithy/signature-v4';
import { startCapture } from './capture.mjs';
import { vendors } from './vendors.mjs';

// A token of the environment would beat the credentials that the check gives to the client.
for (const name of Object.keys(process.env))
  if (/^(AWS|OPENAI|ANTHROPIC|AZURE|GEMINI|GOOGLE)_/.test(name)) delete process.env[name];

const randomText = () => randomBytes(16).toString('hex');
const key = randomText();
const aws = { accessKeyId: randomText(), secretAccessKey: randomText(), sessionToken: randomText() };
const apiKey = { name: 'KEY', source: createEnvironmentSecrets({ env: { KEY: key } }) };
const call = () => ({ signal: new AbortController().signal, timeoutMs: 20_000 });

const system = 'Review.';
const texts = ['+ a "b"\n', '{}', 'Again.'];
const roles = ['user', 'assistant', 'user'];
const maxOutputTokens = 500;
const schema = {
  type: 'object',
  properties: { findings: { type: 'array', maxItems: 9, items: { type: 'string' } }, note: { type: 'string' } },
  required: ['findings'],
};
const { pieces } = redactForLlm({
  redactor: createRedactor({ fingerprintKey: randomText() }),
  texts: texts.map((text) => ({ name: 'turn', text })),
});
/** The request as our providers take it. */
const requestIn = (mode) => ({
  system,
  turns: pieces.map(({ text }, n) => ({ role: roles[n], text })),
  schema,
  schemaName: 'review',
  mode,
  maxOutputTokens,
});

/** The same request in plain values, for the vendors' clients. `json_object` and `prompt` state the schema in words. */
function readAsk(mode) {
  const rule = 'Reply with one JSON object, and nothing else, that conforms to this JSON Schema:';
  const isStated = mode === 'prompt' || mode === 'json_object';
  return {
    mode,
    name: 'review',
    system: isStated ? `${system}\n\n${rule}\n${JSON.stringify(schema)}` : system,
    turns: texts.map((content, n) => ({ role: roles[n], content })),
    schema: toOptionalSchema(schema),
    strictSchema: toStrictSchema(schema),
    maxOutputTokens,
  };
}

const authHeaders = [
  'authorization',
  'api-key',
  'x-api-key',
  'x-goog-api-key',
  'anthropic-version',
  'x-amz-security-token',
];

/** Of a signature only the scheme and the scope are the same: the vendor's client signs more headers and another second. */
function readAuth({ headers }) {
  const scope = (value) => value?.replace(/^(AWS4-HMAC-SHA256 Credential=[^,]+),.*$/, '$1');
  return Object.fromEntries(authHeaders.map((name) => [name, scope(headers[name])]));
}

/** Removes the fields that we add by design; each must be there. */
function withoutFields(body, paths) {
  const copy = structuredClone(body);
  for (const path of paths) {
    const names = path.split('.');
    const last = names.pop();
    const holder = names.reduce((value, name) => value[name], copy);
    assert.ok(last in holder, `${path} is sent by design`);
    delete holder[last];
  }
  return copy;
}

for (const { name, reply, ours, send, byDesign } of vendors)
  test(`${name}: method, path, credential and body are those of the vendor's client`, async (t) => {
    const capture = await startCapture(reply);
    t.after(() => capture.close());
    const http = createHttpClient({ allowPrivateOrigins: [capture.origin] });
    t.after(() => http.close());
    const provider = ours(capture.origin, http, { apiKey, aws });
    for (const mode of provider.modes) {
      const request = requestIn(mode);
      await provider.send(await provider.prepare(request, call()), call());
      const mine = capture.seen.at(-1);
      const systemRole = mine.body.messages?.[0]?.role;
      await send(capture.origin, { key, aws }, readAsk(mode), systemRole);
      const theirs = capture.seen.at(-1);
      assert.notEqual(theirs, mine);
      assert.deepEqual([mine.method, mine.path], [theirs.method, theirs.path], mode);
      assert.deepEqual(readAuth(mine), readAuth(theirs), mode);
      assert.deepEqual(withoutFields(mine.body, byDesign), theirs.body, mode);
    }
  });

class Sha256 {
  constructor(secret) {
    this.hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
  }
  update(data) {
    this.hash.update(data);
  }
  async digest() {
    return new Uint8Array(this.hash.digest());
  }
}

test('bedrock: signatures are those of @smithy/signature-v4, for an id, a profile and an ARN', async (t) => {
  const { ours, reply } = vendors.find(({ name }) => name === 'bedrock');
  const capture = await startCapture(reply);
  t.after(() => capture.close());
  const http = createHttpClient({ allowPrivateOrigins: [capture.origin] });
  t.after(() => http.close());
  const now = new Date('2026-11-01T12:34:56Z');
  const clock = { nowMs: () => now.getTime(), monotonicMs: () => 0 };
  const ids = [
    'vendor.model-1:0',
    'eu.vendor.model-1',
    'arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.vendor.model-1:0',
  ];
  const { sessionToken: _, ...lasting } = aws;
  for (const model of ids)
    for (const credentials of [aws, lasting]) {
      const provider = ours(capture.origin, http, { aws: credentials }, { model, clock });
      const prepared = await provider.prepare(requestIn('json_schema'), call());
      await provider.send(prepared, call());
      const { path, headers } = capture.seen.at(-1);
      const signer = new SignatureV4({ region: 'eu-central-1', service: 'bedrock', credentials, sha256: Sha256 });
      const theirs = await signer.sign(
        {
          method: 'POST',
          protocol: 'http:',
          hostname: '127.0.0.1',
          path,
          query: {},
          headers: { host: headers.host, 'content-type': headers['content-type'] },
          body: prepared.body,
        },
        { signingDate: now },
      );
      assert.equal(path, `/model/${encodeURIComponent(model)}/converse`);
      assert.equal(headers.authorization, theirs.headers.authorization, model);
    }
});

const mock = new LLMock({ port: 0 });
await mock.start();
after(() => mock.stop());

for (const { name, ours, aimock } of vendors.filter((vendor) => vendor.aimock !== undefined))
  test(`${name}: aimock's complete reply, cut reply, 429 and 503`, async (t) => {
    const http = createHttpClient({ allowPrivateOrigins: [mock.url] });
    t.after(() => http.close());
    const provider = ours(mock.url, http, { apiKey, aws }, aimock.options);
    const ask = async (response) => {
      mock.clearFixtures();
      mock.onMessage(/.*/s, response);
      const prepared = await provider.prepare(requestIn('prompt'), call());
      return provider.send(prepared, call()).then(
        ({ stop, text }) => `${stop} ${text}`,
        ({ category, code, retryAfterMs }) => `${category} ${code} ${retryAfterMs ?? ''}`.trim(),
      );
    };
    const slowDown = { error: { message: 'slow down', type: 'rate_limit_error' }, status: 429, retryAfter: 7 };
    assert.equal(await ask({ content: '{"findings":[]}' }), 'complete {"findings":[]}');
    assert.equal(await ask({ content: '{"findings":[', finishReason: 'length' }), `${aimock.cut} {"findings":[`);
    assert.equal(await ask(slowDown), 'rate_limit RATE_LIMITED 7000');
    assert.equal(await ask({ error: { message: 'busy' }, status: 503 }), 'network UPSTREAM_UNAVAILABLE');
  });
