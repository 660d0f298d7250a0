import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createMarkerRedactor } from '../src/testing/support/marker-redactor.js';
import { finding, harness, reply } from './criticizer-harness.js';

const digest = /^[0-9a-f]{16}$/;

/** Takes every run of 16 hex digits for a secret, as a rule for tokens may. */
function hexRedactor() {
  const marker = createMarkerRedactor();
  return {
    ...marker,
    session() {
      const session = marker.session();
      return {
        ...session,
        redact: (text: string) => session.redact(text.replace(/[0-9a-f]{16}/g, (hex) => `secret-${hex}`)),
      };
    },
  };
}

describe('the findings of a stored review', () => {
  it('RED-8: hold no secret that the model wrote, in any of their texts', async () => {
    const secret = `secret-${createHash('sha256').update('a').digest('hex').slice(0, 8)}`;
    const texts = { title: `T ${secret}`, message: `M ${secret}`, suggestion: `S ${secret}`, rule_id: `R ${secret}` };
    const t = harness({ script: [reply([finding(texts)])] });
    const id = await t.run();
    await t.criticizer.stop();
    const review = await t.criticizer.review(id);
    expect(review?.findings).toHaveLength(1);
    expect(JSON.stringify(review)).not.toContain(secret);
    expect(review?.findings[0]?.title).toMatch(/^T ./);
  });

  it('keep their ids and identities, which are digests of redacted texts, whatever the redactor takes for a secret', async () => {
    const t = harness({ more: { redactor: hexRedactor() } });
    const id = await t.run();
    await t.criticizer.stop();
    const [stored] = (await t.criticizer.review(id))?.findings ?? [];
    expect(stored).toMatchObject({
      id: expect.stringMatching(digest),
      state: 'new',
      since: 1,
      identity: { line: expect.stringMatching(digest), neighbours: expect.stringMatching(digest), section: null },
    });
  });
});
