// A host's code, compiled and run as ESM, as CJS and under Jest by check-consumers: makes secrets
// and redacted texts through one entry and uses them through another. Not part of the workspace's
// own type check; the packages here are the packed ones.
import { Secret, type SecretSource } from '@criticizer/core';
import { createLocalKeyRing } from '@criticizer/core/artifacts';
import { createOpenAiChatProvider, isRedactedText, redactForLlm } from '@criticizer/core/llm';
import type { RedactedText } from '@criticizer/core/ports';
import { createAiSdkProvider } from '@criticizer/llm-ai-sdk';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { createRedactor } from '@criticizer/redact';

const keyText = Buffer.alloc(32, 7).toString('base64');

export const makeSecret = (): Secret => new Secret(keyText);

export function makeRedacted(): RedactedText {
  const redactor = createRedactor({ fingerprintKey: Buffer.alloc(32, 9) });
  const [piece] = redactForLlm({ redactor, texts: [{ name: 'a.ts', text: 'left as it is' }] }).pieces;
  if (piece === undefined) throw new Error('no piece');
  return piece.text;
}

/** Needs the text of a secret and of a redacted text, wherever they were made. */
export async function expectReadable(secret: Secret, redacted: RedactedText): Promise<void> {
  if (!Secret.is(secret) || !isRedactedText(redacted)) throw new Error('not known');
  const source: SecretSource = { contract: 1, read: async () => ({ current: { secret, version: '1' } }) };

  const ring = createLocalKeyRing({ source, name: 'kek' });
  const context = { artifactId: 'a', namespace: 'redacted' };
  const { wrapped, kekId } = await ring.wrap(Buffer.alloc(32, 1), context);
  if (!Buffer.from(await ring.unwrap(wrapped, kekId, context)).equals(Buffer.alloc(32, 1))) throw new Error('key ring');

  let authorization = '';
  const provider = createOpenAiChatProvider({
    id: 'test',
    model: 'm',
    baseUrl: 'https://llm.example/v1',
    limits: { contextTokens: 1000, maxOutputTokens: 100 },
    apiKey: { source, name: 'key' },
    http: {
      exchange: async (request) => {
        authorization = request.headers?.['authorization'] ?? '';
        return {
          status: 200,
          headers: {},
          body: Buffer.from('{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}'),
        };
      },
      close: async () => {},
    },
  });
  const prepared = provider.prepare({
    system: 's',
    turns: [{ role: 'user', text: redacted }],
    schema: {},
    schemaName: 'n',
    mode: 'prompt',
    maxOutputTokens: 10,
  });
  if (!prepared.body.includes('left as it is')) throw new Error('the redacted text cannot be read');
  await provider.send(prepared, { signal: new AbortController().signal, timeoutMs: 1000 });
  if (authorization !== `Bearer ${keyText}`) throw new Error('the secret cannot be read');
}

/** Sends the redacted text by a hand-made model of the AI SDK. */
async function expectModelBridged(redacted: RedactedText): Promise<void> {
  const bodies: string[] = [];
  const llm = createAiSdkProvider({
    id: 'bridged',
    model: (fetch) => ({
      specificationVersion: 'v3',
      provider: 'test',
      modelId: 'm',
      doGenerate: async ({ prompt }) => {
        const response = await fetch('https://llm.example/v1', { method: 'POST', body: JSON.stringify(prompt) });
        const content = [{ type: 'text', text: await response.text() }];
        return { content, finishReason: { unified: 'stop', raw: 'stop' } };
      },
    }),
    host: 'llm.example',
    limits: { contextTokens: 1000, maxOutputTokens: 100 },
    http: {
      exchange: async ({ body }) => {
        bodies.push(String(body));
        return { status: 200, headers: {}, body: Buffer.from('{}') };
      },
      close: async () => {},
    },
  });
  const turns = [{ role: 'user' as const, text: redacted }];
  const request = { system: 's', turns, schema: {}, schemaName: 'n', mode: 'prompt' as const, maxOutputTokens: 10 };
  const call = { signal: new AbortController().signal, timeoutMs: 1000 };
  const reply = await llm.send(await llm.prepare(request, call), call);
  if (reply.stop !== 'complete' || reply.text !== '{}' || !bodies[0]?.includes('left as it is') || bodies.length > 1)
    throw new Error('the model of the AI SDK');
}

export async function useParts(): Promise<void> {
  await expectReadable(makeSecret(), makeRedacted());
  await expectModelBridged(makeRedacted());
  const stores = createSqliteStores({ file: ':memory:', migrate: 'auto' });
  if (!(await stores.now())) throw new Error('now');
  await stores.close();
}
