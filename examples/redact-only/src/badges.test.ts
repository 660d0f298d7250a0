// #region test
import { createRedactor } from '@criticizer/redact';
import { checkRedactor, describeRedactorProperties } from '@criticizer/redact/testing';
import { describe, expect, it } from 'vitest';
import { badgeTexts, hideBadges } from './badges.js';

const redactor = createRedactor({ fingerprintKey: 'a key of your own, 16 bytes or more' });

describe('badges', () => {
  describeRedactorProperties({ describe, it }, { create: () => hideBadges(redactor, 'all'), secrets: badgeTexts(), numRuns: 50 });
});
// #endregion

it('a rule that leaks is convicted, in the words that the page shows', async () => {
  const create = () => hideBadges(redactor, 'all but eight digits');
  const convictions = await checkRedactor({ create, secrets: badgeTexts(), numRuns: 60, seed: 7 });
  expect(convictions).toHaveLength(1);
  await expect(`// #region output\n${convictions[0]?.message}\n// #endregion\n`).toMatchFileSnapshot('./conviction.txt');
});
