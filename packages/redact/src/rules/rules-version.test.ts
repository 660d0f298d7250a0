import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { vendorShapes } from '../lexicon/vendor-shapes.js';
import { createRedactor } from '../redactor.js';
import { secretInContext } from '../testing/contexts.js';
import { innocentText } from '../testing/negative-corpora.js';
import { RULES_VERSION } from './rules-version.js';

/**
 * What the rules of each version make of the texts below. When this test fails, the rules find
 * more, less or otherwise than before: raise RULES_VERSION and add its digest (ART-6: what was
 * redacted under one version must not be taken for the work of another). Only the version that is
 * not published yet may have its digest replaced.
 */
const DIGESTS: Readonly<Record<string, string>> = {
  '1.0.0': '925953b40097275a',
  '1.1.0': '873f6e300fd83576',
};

/** Where rules judge by look alone: made up by chance or joined of words, in places of every kind. */
const byLook = fc
  .tuple(
    fc.constantFrom(
      'value = "',
      "build = '",
      'region: ',
      'Twilio token is ',
      'arn:aws:secretsmanager:secret:',
      '-H "X-Trace: ',
      'see ',
    ),
    fc.oneof(
      fc.string({
        unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'),
        minLength: 20,
        maxLength: 40,
      }),
      fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789'), minLength: 24, maxLength: 40 }),
      fc
        .array(fc.constantFrom('Shared', 'Bigint', 'XML', '2', 'to', 'Utf8', 'Http', 'Proxy'), {
          minLength: 4,
          maxLength: 7,
        })
        .map((words) => words.join('')),
    ),
    fc.constantFrom('"', "'", '', ';'),
  )
  .map((parts) => parts.join(''));

it('ART-6: rules that find otherwise have another version', () => {
  const redactor = createRedactor({ fingerprintKey: 'key of the rules version', policy: { packs: ['pii'] } });
  const digest = createHash('sha256');
  const sampling = { seed: 20_260_101, numRuns: 400 };
  for (const { text, path, diff } of fc.sample(secretInContext(), sampling))
    digest.update(redactor.session().redact(text, { path, diff }).text);
  for (const { text, path } of fc.sample(innocentText(), sampling))
    digest.update(redactor.session().redact(text, { path }).text);
  for (const text of fc.sample(byLook, sampling)) digest.update(redactor.session().redact(text).text);
  for (const { rule, head, min, max, headIs } of vendorShapes())
    digest.update(`${rule} ${head} ${min} ${max} ${headIs}\n`);
  expect({ [RULES_VERSION]: digest.digest('hex').slice(0, 16) }).toEqual({ [RULES_VERSION]: DIGESTS[RULES_VERSION] });
});
