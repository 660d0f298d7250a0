import { CriticizerError, isCriticizerError } from '@criticizer/core';
import type { SendOutcome } from '@criticizer/core/ports';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcomeOfFault, type SmtpFault } from './smtp-outcome.js';
import { classifyReplyText } from './smtp-reply-text.js';

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
    fc
      .tuple(fc.constantFrom(4, 5), fc.integer({ min: 0, max: 7 }), fc.integer({ min: 0, max: 30 }))
      .map((parts) => parts.join('.')),
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

const stages = {
  MAIL: { code: 'EENVELOPE', command: 'MAIL FROM' },
  RCPT: { code: 'EENVELOPE', command: 'RCPT TO' },
  DATA: { code: 'EENVELOPE', command: 'DATA' },
  MESSAGE: { code: 'EMESSAGE', command: 'DATA' },
} as const;

function outcomeOfReply(stage: keyof typeof stages, reply: string): SendOutcome {
  const [, code, enhancedCode] = /^(\d{3})(?: (\d\.\d+\.\d+))?/.exec(reply) ?? [];
  const fault = { ...stages[stage], responseCode: Number(code), enhancedCode, about: classifyReplyText(reply) };
  return outcomeOfFault(fault, stage === 'MESSAGE');
}

describe('outcomes of SMTP faults', () => {
  it('NOT-7: after the data phase only an answer to the message is a clear no; before it nothing is ambiguous', () => {
    fc.assert(
      fc.property(anyFault, fc.boolean(), (fault, dataReached) => {
        const outcome = outcomeOf(fault, dataReached);
        const answered = fault.code === 'EMESSAGE' && fault.responseCode !== undefined;
        if (outcome === 'parked') {
          expect(dataReached && !answered).toBe(false);
          return;
        }
        if (outcome === 'threw' || outcome.kind === 'accepted') throw new Error('no such outcome');
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
        const isAboutAddress = fault.enhancedCode === '5.6.7';
        expect(fault.command === 'RCPT TO' || fault.code === 'EMESSAGE' || isAboutAddress).toBe(true);
        if (outcome.permanent) expect(fault.responseCode).toBeGreaterThanOrEqual(500);
      }),
      { numRuns: 2_000 },
    );
  });

  it('NOT-9: a temporary no says how long to wait, at RCPT and after DATA alike', () => {
    for (const stage of ['RCPT', 'MESSAGE'] as const) {
      const at = (reply: string) => outcomeOfReply(stage, reply);
      for (const reply of ['450 4.7.1', '451 4.7.1 greylisted', '451', '452 4.5.3', '452', '452 4.3.1', '451 4.4.1'])
        expect([reply, at(reply)]).toMatchObject([
          reply,
          { kind: 'rejected', permanent: false, retryAfterMs: 300_000 },
        ]);
      for (const reply of ['452 4.2.2', '552 5.2.2'])
        expect([reply, at(reply)]).toMatchObject([
          reply,
          { kind: 'rejected', permanent: false, retryAfterMs: 1_800_000 },
        ]);
    }
  });

  const client = 'transport SMTP_CLIENT_REFUSED';
  const sender = 'transport SMTP_SENDER_REFUSED';
  const rate = 'transport SMTP_RATE_LIMITED';
  const recipient = 'recipient SMTP_RECIPIENT_REFUSED';
  const message = 'message SMTP_MESSAGE_REFUSED';
  it.each([
    // The sender's set-up, right or quota: every mail would meet it.
    ['RCPT', '554 5.7.1 Access denied', client],
    ['RCPT', '554 5.7.1 <dev@example.test>: Relay access denied', client],
    ['RCPT', '550 5.7.1 <dev@example.test>... Relaying denied', client],
    ['RCPT', '550 relay not permitted', client],
    ['RCPT', '550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain', client],
    ['RCPT', '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.example.test', client],
    ['RCPT', '554 5.7.1 client blocked', client],
    ['RCPT', '554 5.7.1 <x>: Helo command rejected: Host not found', client],
    ['RCPT', '554 5.7.1 <a@example.test>: Sender address rejected: Access denied', sender],
    ['RCPT', '550 5.7.1 SPF check failed', sender],
    ['RCPT', '550 5.7.0 too many messages from your host', rate],
    ['RCPT', '450 4.7.1 Error: too much mail from 192.0.2.1', rate],
    ['DATA', '554 5.7.1 <client>: Client host rejected: Access denied', client],
    ['MESSAGE', '550 5.7.60 SMTP; Client does not have permissions to send as this sender', sender],
    ['MESSAGE', '554 5.2.252 SendAsDenied', sender],
    ['MESSAGE', '550 5.7.515 Access denied, sending domain does not meet the required authentication level', sender],
    ['MESSAGE', '550 5.7.501 Access denied, spam abuse detected', sender],
    ['MESSAGE', '550 5.7.606 Access denied, banned sending IP', sender],
    ['MESSAGE', '550 5.7.750 Service unavailable. Client blocked from sending from unregistered domains', sender],
    ['MESSAGE', '550 5.4.5 Daily user sending quota exceeded', rate],
    ['MESSAGE', '550 5.7.0 Requested action not taken: too many emails per second', rate],
    ['MESSAGE', '550 5.7.0 too many', rate],
    ['MESSAGE', '554 5.2.2 Submission quota exceeded', rate],
    ['MESSAGE', '550 5.7.232 Your message cannot be sent', rate],
    // The recipient's.
    ['RCPT', '550 5.1.1 User unknown', recipient],
    ['RCPT', '550 5.4.1 Recipient address rejected: Access denied', recipient],
    ['RCPT', '554 5.7.1 <dev@example.test>: Recipient address rejected: Policy', recipient],
    ['RCPT', '550 5.7.133 Sender not authenticated for group', recipient],
    ['RCPT', '550 5.7.124 Sender not in allowed-senders list', recipient],
    ['MESSAGE', '550 5.1.1 no such user', recipient],
    // The message's own.
    ['MESSAGE', '554 5.7.1 Message rejected as spam by content filtering', message],
    ['MESSAGE', '554 5.7.1 Message contains a URL blocked using example.test', message],
    ['MESSAGE', '550 5.7.1 Our system has detected that this message is likely unsolicited mail', message],
    ['MESSAGE', '552 5.7.0 This message was blocked because its content presents a potential security issue', message],
    ['MESSAGE', '554 5.4.6 too many hops', message],
  ] as const)('NOT-9: at %s "%s" is %s', (stage, reply, expected) => {
    const outcome = outcomeOfReply(stage, reply);
    if (outcome.kind !== 'rejected') throw new Error(outcome.kind);
    expect(`${outcome.failure.scope} ${outcome.failure.code}`).toBe(expected);
    expect(JSON.stringify(outcome)).not.toContain('example.test');
  });

  it('NOT-9: "Recipient address rejected: Access denied" is the recipient’s only for a client that has logged in', () => {
    const about = classifyReplyText('554 5.7.1 <dev@example.test>: Recipient address rejected: Access denied');
    const at = (isLoggedIn: boolean) =>
      outcomeOfFault({ ...stages.RCPT, responseCode: 554, enhancedCode: '5.7.1', about, isLoggedIn }, false);
    expect(at(true)).toMatchObject({
      permanent: true,
      failure: { scope: 'recipient', code: 'SMTP_RECIPIENT_REFUSED' },
    });
    expect(at(false)).toMatchObject({
      retryAfterMs: 300_000,
      failure: { scope: 'transport', code: 'SMTP_CLIENT_REFUSED' },
    });
  });

  it('INT-4: a server that wants a login only after DATA parks too', () => {
    expect(() => outcomeOfReply('MESSAGE', '530 5.7.57 Client was not authenticated to send anonymous mail')).toThrow(
      CriticizerError,
    );
  });

  it('NOT-9: an address that needs SMTPUTF8 fails its recipient where the server does not offer it', () => {
    const failed = {
      kind: 'rejected',
      permanent: true,
      failure: { scope: 'recipient', code: 'SMTP_UTF8_UNSUPPORTED' },
    };
    expect(outcomeOfFault({ code: 'EUTF8', command: 'RCPT TO' }, false)).toMatchObject(failed);
    for (const stage of ['RCPT', 'MAIL', 'DATA', 'MESSAGE'] as const)
      expect(outcomeOfReply(stage, '553 5.6.7 no')).toMatchObject(failed);
  });
});
