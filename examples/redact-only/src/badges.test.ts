// #region test
import { createRedactor } from '@criticizer/redact';
import { checkRedactor, describeRedactorProperties } from '@criticizer/redact/testing';
import { describe, expect, it } from 'vitest';
import { badgeRule, badgeTexts } from './badges.js';

const fingerprintKey = 'a key of your own, 16 bytes or more';

describe('badges', () => {
  describeRedactorProperties(
    { describe, it },
    { create: () => createRedactor({ fingerprintKey, rules: [badgeRule('all')] }), secrets: badgeTexts(), numRuns: 50 },
  );
});
// #endregion

it('a rule that leaks is convicted, in the words that the page shows', async () => {
  const create = () => createRedactor({ fingerprintKey, rules: [badgeRule('all but eight digits')] });
  const convictions = await checkRedactor({ create, secrets: badgeTexts(), numRuns: 60, seed: 7 });
  expect(convictions).toHaveLength(1);
  await expect(`// #region output\n${convictions[0]?.message}\n// #endregion\n`).toMatchFileSnapshot(
    './conviction.txt',
  );
});
