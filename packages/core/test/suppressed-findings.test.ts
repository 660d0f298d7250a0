import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { harness, sharedArtifacts } from './criticizer-harness.js';

describe('suppressions in a review', () => {
  it('GRD-8: a finding called false is hidden in the next version, which is not clean and says who and why', async () => {
    const more = { stores: createMemoryStores(), artifacts: sharedArtifacts() };
    const first = harness({ more });
    const before = await first.criticizer.review(await first.run());
    await first.criticizer.stop();
    const [known] = before?.findings ?? [];
    const scope = { kind: 'finding', changelistId: 'main/7', findingId: known?.id ?? '', coversSecret: false } as const;
    await more.stores.suppressions.add({
      ...{ scope, disposition: 'false_positive', reason: 'Checked by hand.', expiresInMs: null },
      actor: { type: 'admin_user', id: 'ada' },
    });

    const second = harness({ more });
    const after = await second.criticizer.review(await second.run(2));
    await second.criticizer.stop();
    expect(before?.state.verdict).toBe('findings');
    expect([after?.findings, after?.state.verdict]).toEqual([[], 'inconclusive']);
    expect(after?.suppressed).toMatchObject([
      { id: known?.id, suppression: { by: 'ada', reason: 'Checked by hand.' } },
    ]);
    expect(after?.diagnostics).toContainEqual(expect.objectContaining({ code: 'finding_suppressed' }));
    const [mail] = second.mailer.accepted();
    expect(JSON.stringify(mail)).toContain('1 finding is hidden as false positive by ada, until it is withdrawn');
  });
});
