import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createPayloadRedactor, createRedactor } from '@criticizer/redact';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { PayloadRedactor, Redactor } from '../foundation/redactor.js';
import type { LlmRequest } from '../llm/llm-provider.js';
import { createOpenAiChatProvider } from '../llm/openai/openai-chat-provider.js';
import { describeRedactorContract, type SecretSample } from '../testing/ports/redactor-contract.js';
import { checkEgress } from './egress-guard.js';
import { joinRedacted, redactForLlm } from './redact-for-llm.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const letters = (length: number, from = alphabet): string =>
  [...randomBytes(length)].map((byte) => from[byte % from.length]).join('');

/** Made anew on each call; prefixes are put together here so that no scanner takes this file for a leak. */
function samples(): readonly SecretSample[] {
  const cloud = `${'AK'}${'IA'}${letters(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`;
  const forge = `${'gh'}${'p_'}${letters(36)}`;
  const word = `${letters(6)}7${letters(8)}!x`;
  const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
    .trim();
  const body = pem.split('\n').slice(1, -1).join('\n');
  return [
    { name: 'a cloud key', text: `aws_access_key_id = ${cloud}`, secret: cloud, path: '//depot/app/.env' },
    { name: 'a forge token', text: `const token = "${forge}";`, secret: forge, path: '//depot/app/main.ts' },
    {
      name: 'a forge token in a diff',
      text: `+const token = "${forge}";`,
      secret: forge,
      path: '//depot/app/main.ts',
      diff: true,
    },
    { name: 'a password', text: `password = "${word}"`, secret: word, path: '//depot/app/settings.ini' },
    { name: 'a URI', text: `url: postgres://app:${word}@db.example/main`, secret: word, path: '//depot/app/db.yaml' },
    { name: 'a private key', text: pem, secret: body, path: '//depot/app/key.pem' },
  ];
}

const key = randomBytes(32);

describeRedactorContract(
  { describe, it },
  {
    create: () => createRedactor({ fingerprintKey: key }),
    samples,
    harmless: () => [
      'const password = readPassword();',
      'if (token === null) return;',
      '#include <stdio.h>\n\nint a[] = {1, 2, 3};\n',
    ],
  },
);

describe('@criticizer/redact', () => {
  const redactor = createRedactor({ fingerprintKey: key });
  const provider = createOpenAiChatProvider({
    id: 'house',
    model: 'm',
    baseUrl: 'https://models.example/v1',
    http: { exchange: () => Promise.reject(new Error('no connection here')), close: async () => {} },
    limits: { contextTokens: 9_000, maxOutputTokens: 100 },
  });
  const check = (system: string, secrets: readonly SecretSample[]) => {
    const { pieces } = redactForLlm({ redactor, texts: secrets });
    const user = joinRedacted({
      redactor,
      parts: pieces.flatMap((piece) => [`File ${piece.name}:\n`, piece.text, '\n']),
    });
    for (const mode of provider.modes) {
      const request: LlmRequest = {
        system,
        turns: [{ role: 'user', text: user }],
        schema: { type: 'object', properties: {} },
        schemaName: 'review',
        mode,
        maxOutputTokens: 100,
      };
      checkEgress({ prepared: provider.prepare(request), request, redactor });
    }
  };

  it('RED-10: what it redacted passes the guard in every mode, and what it did not is stopped', () => {
    check('Review the change.', samples());
    // A bare password is a suspicion of low confidence: reported, not stopped.
    const certain = samples().filter(({ text }) =>
      redactor.scan(text).some((finding) => finding.confidence === 'high'),
    );
    expect(certain.length).toBeGreaterThanOrEqual(samples().length - 1);
    for (const { text } of certain)
      expect(() => check(text, samples())).toThrow(expect.objectContaining({ code: 'EGRESS_BLOCKED' }));
  });

  it('fits the ports by shape', () => {
    expectTypeOf(createRedactor).returns.toExtend<Redactor>();
    expectTypeOf(createPayloadRedactor).returns.toExtend<PayloadRedactor>();
  });
});
