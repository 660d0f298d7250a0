import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RedactedText } from '../foundation/redacted-text.js';
import type { Redactor } from '../foundation/redactor.js';
import type { LlmRequest, LlmTurn, PreparedLlmRequest } from '../llm/llm-provider.js';
import type { SecurityEvent } from '../telemetry/security-events.js';
import { createMarkerRedactor } from '../testing/support/marker-redactor.js';
import { checkEgress, type EgressCheck, type EgressVerdict } from './egress-guard.js';
import { redactForLlm } from './redact-for-llm.js';

const redactor = createMarkerRedactor();

function redacted(text: string, using = redactor): RedactedText {
  const [piece] = redactForLlm({ redactor: using, texts: [{ name: 'p', text }] }).pieces;
  if (piece === undefined) throw new Error('expected a piece');
  return piece.text;
}

const requestWith = (...turns: LlmTurn['text'][]): LlmRequest => ({
  system: 's',
  turns: turns.map((text, n) => ({ role: n % 2 === 0 ? 'user' : 'assistant', text })),
  schema: { type: 'object' },
  schemaName: 'n',
  mode: 'prompt',
  maxOutputTokens: 1,
});

const preparedWith = (body: string, more: Partial<PreparedLlmRequest> = {}): PreparedLlmRequest => ({
  method: 'POST',
  url: 'https://models.example/v1',
  headers: { 'content-type': 'application/json' },
  body,
  model: 'm',
  ...more,
});

interface Outcome {
  verdict?: EgressVerdict;
  reason?: unknown;
  details?: unknown;
  events: SecurityEvent[];
}

function guard(body: string, more: Partial<EgressCheck> = {}): Outcome {
  const events: SecurityEvent[] = [];
  try {
    const verdict = checkEgress({
      prepared: preparedWith(body),
      request: requestWith(redacted('text')),
      redactor,
      securityEvents: { emit: (event) => void events.push(event) },
      ...more,
    });
    return { verdict, events };
  } catch (error) {
    const { code, category, details } = error as { code: string; category: string; details: { reason: string } };
    return code === 'EGRESS_BLOCKED' && category === 'policy'
      ? { reason: details.reason, details, events }
      : { reason: error, events };
  }
}

describe('checkEgress', () => {
  it('EGR-1: lets clean bytes pass, and measures them', () => {
    const body = JSON.stringify({ text: 'größe' });
    expect(guard(body)).toEqual({
      verdict: {
        bytes: Buffer.byteLength(body),
        bodySha256: createHash('sha256').update(body).digest('hex'),
        lowFindings: {},
      },
      events: [],
    });
  });

  it('RED-10: blocks text that nobody minted', () => {
    const unminted: RedactedText = { kind: 'criticizer.redacted-text' };
    const minted = redacted('text');
    for (const turns of [[unminted], [minted, unminted, minted], [minted, minted, unminted]])
      expect(guard('{}', { request: requestWith(...turns) }).reason).toBe('not_redacted');
  });

  it('RED-10: blocks text of other rules or another policy', () => {
    expect(guard('{}', { request: requestWith(redacted('text', createMarkerRedactor('0.9.0'))) }).reason).toBe(
      'rules_differ',
    );
    const stricter: Redactor = { ...redactor, rules: { ...redactor.rules, policyHash: '0'.repeat(64) } };
    expect(guard('{}', { redactor: stricter }).reason).toBe('rules_differ');
  });

  it.each([
    ['a value', JSON.stringify({ a: { b: ['secret-aaaa'] } })],
    ['a key', JSON.stringify({ 'secret-aaaa': 1 })],
    ['an escaped value', '{"a":"\\u0073ecret-aaaa"}'],
    ['a key given twice', '{"a":"secret-aaaa","a":"clean"}'],
    ['a body that is no JSON', 'a=secret-aaaa'],
    ['a line of its own', JSON.stringify({ a: 'x\nsecret-aaaa\ny' })],
  ])('RED-10: blocks a secret in %s, and tells rule and count alone', (_name, body) => {
    const outcome = guard(body);
    expect(outcome.details).toMatchObject({ reason: 'secret_found', rules: { marked: expect.any(Number) } });
    expect(outcome.events.map((event) => event.type)).toEqual(['egress.blocked']);
    expect(JSON.stringify(outcome)).not.toContain('secret-aaaa');
  });

  it('RED-10: looks at the URL and the headers too', () => {
    expect(guard('{}', { prepared: preparedWith('{}', { url: 'https://models.example/?k=secret-aaaa' }) }).reason).toBe(
      'secret_found',
    );
    expect(guard('{}', { prepared: preparedWith('{}', { headers: { 'x-note': 'secret-aaaa' } }) }).reason).toBe(
      'secret_found',
    );
  });

  it.each(['Authorization', 'api-key', 'X-Api-Key', 'x-goog-api-key', 'Cookie', 'x-session-token'])(
    'SEC-4: blocks a prepared request with the header %s',
    (name) => {
      expect(guard('{}', { prepared: preparedWith('{}', { headers: { [name]: 'x' } }) }).reason).toBe(
        'credential_in_request',
      );
    },
  );

  it('RED-10: reports suspicions and lets them pass', () => {
    expect(guard(JSON.stringify(['maybe-aaaa maybe-bbbb'])).verdict?.lowFindings).toEqual({ suspect: 2 });
  });

  it('RED-10: blocks when the scan throws', () => {
    const broken: Redactor = {
      ...redactor,
      scan() {
        throw new Error('rule');
      },
    };
    expect(guard('{}', { redactor: broken }).reason).toBe('redaction_failed');
  });

  it('RED-10: blocks when the scan overruns its time', () => {
    let now = 0;
    const slow: Redactor = {
      ...redactor,
      scan(text) {
        now += 60;
        return redactor.scan(text);
      },
    };
    const clock = { monotonicMs: () => now };
    expect(guard(JSON.stringify(['a']), { redactor: slow, clock, timeoutMs: 200 }).verdict).toBeDefined();
    expect(guard(JSON.stringify(['a']), { redactor: slow, clock, timeoutMs: 100 }).reason).toBe('redaction_timeout');
  });

  it('RED-10: finds a planted secret anywhere in any JSON', () => {
    const planted = fc
      .tuple(fc.jsonValue(), fc.jsonValue(), fc.string(), fc.boolean())
      .map(([one, other, text, asKey]) => {
        const holder = `${text} secret-aaaa ${text}`;
        return asKey ? { one, deep: [{ [holder]: other }] } : { one, deep: [{ other, holder }] };
      });
    fc.assert(
      fc.property(planted, (value) => {
        expect(guard(JSON.stringify(value)).reason).toBe('secret_found');
      }),
    );
  });
});
