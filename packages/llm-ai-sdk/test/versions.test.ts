import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { setups } from './models.js';

// The workspace has the V3 line; `npm run check:ai-sdk` runs these tests with V4.
it('the models under test are of the line that this run is about', () => {
  const place = { origin: 'http://127.0.0.1:1', credential: randomBytes(16).toString('hex') };
  const versions = setups.map(({ build }) => build(place).specificationVersion);
  expect(new Set(versions)).toEqual(new Set([process.env['AI_SDK_SPECIFICATION'] ?? 'v3']));
});
