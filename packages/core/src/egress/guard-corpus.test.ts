import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRedactor } from '@criticizer/redact';
import { connectionUri, type GeneratedSecret, jsonWebToken, privateKey, vendorToken } from '@criticizer/redact/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RedactedText } from '../foundation/redacted-text.js';
import type { LlmRequest } from '../llm/llm-provider.js';
import { createOpenAiChatProvider } from '../llm/openai/openai-chat-provider.js';
import type { SecurityEvent } from '../telemetry/security-events.js';
import { createSeededRandom } from '../testing/support/seeded-random.js';
import { checkEgress } from './egress-guard.js';
import { joinRedacted, redactForLlm } from './redact-for-llm.js';

const redactor = createRedactor({ fingerprintKey: randomBytes(32) });
const provider = createOpenAiChatProvider({
  id: 'house',
  model: 'm',
  baseUrl: 'https://models.example/v1',
  http: { exchange: () => Promise.reject(new Error('no connection here')), close: async () => {} },
  limits: { contextTokens: 128_000, maxOutputTokens: 100 },
});

function requestOf(user: RedactedText, system = 'Review the change.'): LlmRequest {
  return {
    system,
    turns: [{ role: 'user', text: user }],
    schema: { type: 'object', properties: {} },
    schemaName: 'review',
    mode: 'json_schema',
    maxOutputTokens: 100,
  };
}

/** The prompt of one file, redacted and joined as a review's is, its request prepared and looked at. */
function askAbout(path: string, text: string): void {
  const { pieces } = redactForLlm({ redactor, texts: [{ name: path, text, path }] });
  const user = joinRedacted({ redactor, parts: pieces.flatMap((piece) => ['File:\n', piece.text, '\nEnd.\n']) });
  const request = requestOf(user);
  checkEgress({ prepared: provider.prepare(request), request, redactor });
}

/** A seeded sample of what is installed: sources as people and tools write them, none of them made for this test. */
function ordinarySources(seed: number, count: number): { path: string; text: string }[] {
  const root = fileURLToPath(new URL('../../../..', import.meta.url));
  const packages = [
    'packages/core/node_modules/zod',
    'node_modules/fast-check',
    'node_modules/vitest',
    'node_modules/tsup',
    'node_modules/tsx',
  ];
  const folders = packages.map((name) => realpathSync(join(root, name)));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((file) => /\.(?:[cm]?[jt]s|json|md|map|ya?ml|txt)$|LICENSE$/.test(file))
      .filter((file) => statSync(file).isFile() && statSync(file).size < 200_000),
  );
  const random = createSeededRandom(seed);
  const picked = Array.from({ length: count }, () => files[Math.floor(random.next() * files.length)] as string);
  return [...new Set(picked)].map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

/** Ways in which text stands in a body's bytes. Each is a whole JSON body with the secret in a message. */
const encodings: readonly (readonly [name: string, body: (text: string) => string])[] = [
  ['as it stands', (text) => JSON.stringify({ messages: [{ role: 'user', content: `see ${text} there` }] })],
  ['as a key', (text) => JSON.stringify({ [text]: 1 })],
  ['as JSON in JSON', (text) => JSON.stringify({ content: JSON.stringify({ note: `see ${text} there` }) })],
  [
    'as JSON in JSON in JSON',
    (text) => JSON.stringify({ content: JSON.stringify({ inner: JSON.stringify({ note: text }) }) }),
  ],
  [
    'in \\u escapes',
    (text) => `{"content":"${[...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"}`,
  ],
  [
    'in a diff',
    (text) =>
      JSON.stringify({
        content: text
          .split('\n')
          .map((line) => `+${line}`)
          .join('\n'),
      }),
  ],
  ['with CRLF', (text) => JSON.stringify({ content: `a\r\n${text.replaceAll('\n', '\r\n')}\r\nb` })],
  ['in code', (text) => JSON.stringify({ content: `const x = ${JSON.stringify(text)};` })],
  ['in a body that is no JSON', (text) => `content=${text}`],
];

describe('the guard over ordinary and planted text', () => {
  it('RED-10: blocks no prompt made of ordinary source', { timeout: 60_000 }, () => {
    const sources = ordinarySources(4, 250);
    expect(sources.length).toBeGreaterThan(150);
    for (const { path, text } of sources) expect(() => askAbout(path, text), path).not.toThrow();
  });

  const families: readonly (readonly [string, fc.Arbitrary<GeneratedSecret>])[] = [
    ['a vendor token', vendorToken()],
    ['a JSON web token', jsonWebToken()],
    ['a private key', privateKey()],
    ['a connection URI', connectionUri()],
  ];
  const request = requestOf(joinRedacted({ redactor, parts: ['clean'] }));

  it.each(
    families.flatMap(([family, secret]) =>
      encodings.map(([encoding, body]) => [family, encoding, secret, body] as const),
    ),
  )('RED-10: blocks %s %s, and the event says neither', (_family, _encoding, secrets, body) => {
    fc.assert(
      fc.property(secrets, (secret) => {
        const events: SecurityEvent[] = [];
        const prepared = { ...provider.prepare(request), body: body(secret.text) };
        const check = {
          prepared,
          request,
          redactor,
          securityEvents: { emit: (event: SecurityEvent) => void events.push(event) },
        };
        expect(() => checkEgress(check)).toThrow(
          expect.objectContaining({
            code: 'EGRESS_BLOCKED',
            details: expect.objectContaining({ reason: 'secret_found' }),
          }),
        );
        expect(events.map((event) => event.type)).toEqual(['egress.blocked']);
        for (const part of secret.parts) expect(JSON.stringify(events)).not.toContain(part.slice(-8));
      }),
      { numRuns: 40 },
    );
  });

  it('RED-10: blocks a secret that template text brings along', () => {
    fc.assert(
      fc.property(fc.oneof(vendorToken(), jsonWebToken(), connectionUri()), (secret) => {
        const planted = { ...request, system: `Review the change. ${secret.text}` };
        expect(() => checkEgress({ prepared: provider.prepare(planted), request: planted, redactor })).toThrow(
          expect.objectContaining({ code: 'EGRESS_BLOCKED' }),
        );
      }),
      { numRuns: 60 },
    );
  });
});
