import { Secret } from '@criticizer/core';
import { createExpiringSecrets } from '@criticizer/core/ports';
import { createManualClock } from '@criticizer/core/testing';
import { expect, it } from 'vitest';
import { createSecretAlerts } from './secret-alerts.js';

const dayMs = 86_400_000;

it('SEC-5 OPS-3: an old credential is a warning, an expired one an error, a rotated one nothing', async () => {
  const clock = createManualClock();
  let createdAt = new Date(clock.nowMs() - 79 * dayMs);
  const read = async () => ({ current: { secret: new Secret('not shown'), version: '1', createdAt } });
  const source = createExpiringSecrets({ source: { contract: 1, read }, clock });
  const gone = createExpiringSecrets({ source: { contract: 1, read: () => Promise.reject(new Error('gone')) }, clock });
  const key = { file: '/run/secrets/key', name: 'KEY', ages: true };
  const alerts = createSecretAlerts([
    { ...key, label: 'LLM_KEY_FILE', source },
    { ...key, label: 'SMTP_PASSWORD_FILE', source: gone },
    { ...key, label: 'FINGERPRINT_KEY', source, ages: false },
  ]);
  const severities = async () =>
    (await alerts.read({ signal: new AbortController().signal })).map(({ severity, place }) => [severity, place]);
  expect(await severities()).toEqual([]);
  await clock.advance(2 * dayMs);
  expect(await severities()).toEqual([['warning', { secret: 'LLM_KEY_FILE' }]]);
  await clock.advance(10 * dayMs);
  expect(await severities()).toEqual([['error', { secret: 'LLM_KEY_FILE' }]]);
  createdAt = new Date(clock.nowMs());
  expect(await severities()).toEqual([]);
});
