// What the model and the mail server received has its egress row, whenever the worker is killed.
import { expect, it } from 'vitest';
import { killSteps, runEgressSoak } from './egress-soak.js';

it('EGR-1: no body reaches a model or a mail server without its row, at whatever step the worker is killed', {
  timeout: 300_000,
}, async () => {
  // Once at each step; `npm run soak:egress` kills 500 times.
  const found = await runEgressSoak({ kills: killSteps.length, seed: Number(process.env['SEED'] ?? 11) });
  expect(found.unrecorded).toBe(0);
  expect(found.complaints).toEqual([]);
  expect(found.received.llm).toBeGreaterThanOrEqual(found.reviews);
  expect(found.received.mail).toBeGreaterThanOrEqual(2 * found.reviews);
  // A row without a body is allowed; it comes from a kill between the two.
  expect(found.rows.llm + found.rows.mail).toBe(found.received.llm + found.received.mail + found.unsent);
  expect(found.unsent).toBeGreaterThan(0);
});
