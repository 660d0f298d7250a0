import assert from 'node:assert/strict';
import type { FailureCategory } from '../../../foundation/errors.js';
import type { Mailer, SendOutcome } from '../../../outbox/senders/mailer.js';
import { expectWithin } from '../../support/case-deadline.js';

const categories: readonly FailureCategory[] = [
  'network',
  'rate_limit',
  'upstream',
  'conflict',
  'validation',
  'auth',
  'not_found',
  'policy',
  'bug',
];

/** What every outcome must hold, whatever the case: core stores and judges by these fields. */
export function assertSendOutcome(outcome: SendOutcome): void {
  if (outcome.kind === 'accepted') {
    assert.ok(typeof outcome.id === 'string' && outcome.id.length > 0, 'expected an accepted mail to have an id');
    return;
  }
  assert.ok(['rejected', 'ambiguous'].includes(outcome.kind), 'expected kind to be accepted, rejected or ambiguous');
  assert.ok(
    typeof outcome.failure === 'object' && outcome.failure !== null,
    `expected ${outcome.kind} to have a failure`,
  );
  const { scope, code, category, message } = outcome.failure;
  assert.ok(
    ['recipient', 'message', 'transport'].includes(scope),
    'expected failure.scope to be recipient, message or transport',
  );
  assert.ok(/^[A-Z][A-Z0-9_]{0,127}$/.test(code), 'expected failure.code to be an upper-case identifier');
  assert.ok(categories.includes(category), `expected failure.category to be one of ${categories.join(', ')}`);
  assert.ok(
    typeof message === 'string' && Buffer.byteLength(message) <= 1_024,
    'expected failure.message of at most 1,024 bytes',
  );
  const { retryAfterMs = 0 } = outcome;
  assert.ok(
    Number.isFinite(retryAfterMs) && retryAfterMs >= 0,
    'expected retryAfterMs to be milliseconds from now, 0 or more',
  );
  if (outcome.kind === 'rejected')
    assert.equal(typeof outcome.permanent, 'boolean', 'expected rejected to say whether it is permanent');
  else
    assert.equal(
      scope,
      'transport',
      'expected an ambiguous outcome to blame the transport: nobody refused the recipient or the message',
    );
}

/** The mailer as the cases call it: each call must settle in time, each outcome must be whole. */
export function underDeadline(mailer: Mailer, ms: number): Mailer {
  const { lookup, close } = mailer;
  return {
    contract: 1,
    id: mailer.id,
    capabilities: mailer.capabilities,
    async send(mail, context) {
      const outcome = await expectWithin(ms, 'send() to settle', mailer.send(mail, context));
      assertSendOutcome(outcome);
      return outcome;
    },
    ...(lookup === undefined
      ? {}
      : { lookup: (query) => expectWithin(ms, 'lookup() to settle', lookup.call(mailer, query)) }),
    ...(close === undefined ? {} : { close: () => expectWithin(ms, 'close() to settle', close.call(mailer)) }),
  };
}
