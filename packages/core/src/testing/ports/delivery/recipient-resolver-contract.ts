import assert from 'node:assert/strict';
import type { ChangeSummary } from '../../../changes/change.js';
import type { Recipient, RecipientRequest, RecipientResolver } from '../../../stages/recipients/recipient-resolver.js';
import { defaultDeadlineMs, expectWithin } from '../../support/case-deadline.js';
import type { Runner } from '../../support/runner.js';

function request(change: ChangeSummary, more: Partial<RecipientRequest> = {}): RecipientRequest {
  return {
    change,
    paths: ['//depot/main/a.ts', '//depot/old/a.ts'],
    verdict: 'findings',
    counts: { critical: 0, high: 1, medium: 2, low: 0, info: 0 },
    findings: [
      { severity: 'high', path: '//depot/main/a.ts' },
      { severity: 'medium', path: null },
      { severity: 'medium', path: '//depot/old/a.ts' },
    ],
    version: 1,
    ...more,
  };
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
    for (const member of Object.values(value)) freeze(member);
    Object.freeze(value);
  }
  return value;
}

function ask(resolver: RecipientResolver, given: RecipientRequest): Promise<readonly Recipient[]> {
  return resolver.resolve(given, { signal: new AbortController().signal });
}

/** What every RecipientResolver must do. `change` is one for which the resolver knows somebody. */
export function describeRecipientResolverContract(
  { describe, it }: Runner,
  harness: { create(): Promise<RecipientResolver>; change: ChangeSummary },
): void {
  const { change } = harness;
  describe('RecipientResolver contract', () => {
    it('gives addresses one mail each can be sent to', async () => {
      const resolver = await harness.create();
      const recipients = await ask(resolver, request(change));
      assert.notEqual(recipients.length, 0, 'expected a recipient for the change of the harness');
      for (const recipient of recipients) {
        assert.match(recipient.address, /^[^\s,@<>"]+@[^\s,@<>"]+$/);
        assert.equal(typeof recipient.required, 'boolean');
      }
    });
    it('names no mailer but those that it declares, where it declares them', async () => {
      const resolver = await harness.create();
      if (resolver.vias === undefined) return;
      for (const { via } of await ask(resolver, request(change)))
        assert.ok(via === undefined || resolver.vias.includes(via), `expected ${via} among the declared mailers`);
    });
    it('answers the same for the same request, and its answer may be changed without harm', async () => {
      const resolver = await harness.create();
      const first = structuredClone(await ask(resolver, request(change)));
      for (const recipient of await ask(resolver, request(change))) recipient.address = 'changed@example.test';
      assert.deepEqual(await ask(resolver, request(change)), first);
    });
    it('leaves its request as it is', async () => {
      const resolver = await harness.create();
      await assert.doesNotReject(ask(resolver, freeze(structuredClone(request(change)))));
    });
    it('answers for a review without findings, and for a change whose server names no address', async () => {
      const resolver = await harness.create();
      const counts = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
      const nobody = { ...change, userMail: null, reviewerMails: [] };
      for (const given of [
        request(change, { verdict: 'no_findings', counts, findings: [] }),
        request(change, { verdict: 'inconclusive', counts, findings: [], version: 2 }),
        request(nobody, { paths: [] }),
      ])
        assert.ok(Array.isArray(await ask(resolver, given)), 'expected a list, which may be empty');
    });
    it('settles once its signal is aborted', async () => {
      const resolver = await harness.create();
      const signal = AbortSignal.abort(new Error('stop'));
      const settled = resolver.resolve(request(change), { signal }).then(
        () => undefined,
        () => undefined,
      );
      await expectWithin(defaultDeadlineMs, 'resolve() to settle after an abort', settled);
    });
  });
}
