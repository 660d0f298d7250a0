import { isCriticizerError } from '@criticizer/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcomeOfFault, type SmtpFault } from './smtp-outcome.js';

const anyFault: fc.Arbitrary<SmtpFault> = fc.record({
  code: fc.constantFrom(
    'ECONNECTION',
    'ESOCKET',
    'ETIMEDOUT',
    'EDNS',
    'ETLS',
    'EPROTOCOL',
    'EENVELOPE',
    'EMESSAGE',
    'EAUTH',
    'ESTREAM',
    'EABORT',
    undefined,
  ),
  command: fc.constantFrom('CONN', 'EHLO', 'AUTH PLAIN', 'MAIL FROM', 'RCPT TO', 'DATA', undefined),
  responseCode: fc.option(fc.integer({ min: 400, max: 599 }), { nil: undefined }),
  enhancedCode: fc.option(
    fc.tuple(fc.constantFrom(4, 5), fc.integer({ min: 0, max: 7 }), fc.integer({ min: 0, max: 30 })).map((parts) => parts.join('.')),
    { nil: undefined },
  ),
});

function outcomeOf(fault: SmtpFault, dataReached: boolean) {
  try {
    return outcomeOfFault(fault, dataReached);
  } catch (error) {
    return isCriticizerError(error) && error.parks ? ('parked' as const) : ('threw' as const);
  }
}

describe('outcomes of SMTP faults', () => {
  it('NOT-7: after the data phase only an answer to the message is a clear no; before it nothing is ambiguous', () => {
    fc.assert(
      fc.property(anyFault, fc.boolean(), (fault, dataReached) => {
        const outcome = outcomeOf(fault, dataReached);
        if (outcome === 'parked') {
          expect(dataReached).toBe(false);
          return;
        }
        if (outcome === 'threw' || outcome.kind === 'accepted') throw new Error('no such outcome');
        const answered = fault.code === 'EMESSAGE' && fault.responseCode !== undefined;
        expect(outcome.kind).toBe(dataReached && !answered ? 'ambiguous' : 'rejected');
      }),
      { numRuns: 2_000 },
    );
  });

  it('NOT-9: only an answer at RCPT or to the message can fail a recipient, only a 5xx for good', () => {
    fc.assert(
      fc.property(anyFault, fc.boolean(), (fault, dataReached) => {
        const outcome = outcomeOf(fault, dataReached);
        if (typeof outcome === 'string' || outcome.kind !== 'rejected' || outcome.failure.scope !== 'recipient') return;
        expect(fault.responseCode).toBeDefined();
        expect(fault.command === 'RCPT TO' || fault.code === 'EMESSAGE').toBe(true);
        if (outcome.permanent) expect(fault.responseCode).toBeGreaterThanOrEqual(500);
      }),
      { numRuns: 2_000 },
    );
  });

  it('NOT-9: greylisting and full mailboxes say how long to wait', () => {
    const at = (responseCode: number, enhancedCode?: string) =>
      outcomeOfFault({ code: 'EENVELOPE', command: 'RCPT TO', responseCode, enhancedCode }, false);
    expect(at(450, '4.7.1')).toMatchObject({ permanent: false, retryAfterMs: 300_000 });
    expect(at(452, '4.2.2')).toMatchObject({ permanent: false, retryAfterMs: 1_800_000 });
    expect(at(552, '5.2.2')).toMatchObject({ permanent: false, retryAfterMs: 1_800_000 });
    expect(at(452, '4.5.3')).toMatchObject({ permanent: false, retryAfterMs: undefined });
  });
});
