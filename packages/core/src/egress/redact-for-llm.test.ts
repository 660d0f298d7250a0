import { describe, expect, it } from 'vitest';
import { isRedactedText, type RedactedText, readRedactedText } from '../foundation/redacted-text.js';
import type { RedactionResult, Redactor } from '../foundation/redactor.js';
import type { SecurityEvents } from '../telemetry/security-events.js';
import { createMarkerRedactor } from '../testing/support/marker-redactor.js';
import { joinRedacted, redactForLlm, sumCounts } from './redact-for-llm.js';

const redactor = createMarkerRedactor();
const textOf = (text: RedactedText): string => readRedactedText(text).text;

function pieceOf(text: string, using: Redactor = redactor): RedactedText {
  const [piece] = redactForLlm({ redactor: using, texts: [{ name: 'p', text }] }).pieces;
  if (piece === undefined) throw new Error('expected a piece');
  return piece.text;
}

/** `cause` is undefined throughout: what a rule threw may quote the text. */
function blockedBy(run: (securityEvents: SecurityEvents) => unknown): {
  code: unknown;
  reason: unknown;
  events: string[];
  cause?: unknown;
} {
  const events: string[] = [];
  try {
    run({ emit: (event) => void events.push(event.type) });
    return { code: 'none', reason: 'none', events };
  } catch (error) {
    const { code, details, cause } = error as { code: string; details: { reason: string }; cause?: unknown };
    return { code, reason: details.reason, events, cause };
  }
}

function returning(result: (text: string) => RedactionResult): Redactor {
  return { ...redactor, session: () => ({ redact: result }) };
}

describe('redactForLlm', () => {
  it('RED-1: redacts all texts in one session, counts, and mints with the rules that did it', () => {
    const { pieces, counts } = redactForLlm({
      redactor,
      texts: [
        { name: 'a', text: 'x secret-aaaa y' },
        { name: 'b', text: 'secret-bbbb and secret-aaaa' },
        { name: 'c', text: '' },
      ],
    });
    expect(pieces.map(({ name, text }) => [name, textOf(text)])).toEqual([
      ['a', 'x [REDACTED:marked#1] y'],
      ['b', '[REDACTED:marked#2] and [REDACTED:marked#1]'],
      ['c', ''],
    ]);
    expect(counts).toEqual({ marked: 3 });
    const [piece] = pieces;
    expect(piece && readRedactedText(piece.text)).toMatchObject({
      rulesVersion: redactor.rules.version,
      policyHash: redactor.rules.policyHash,
    });
  });

  it('continues a session that is given', () => {
    const session = redactor.session();
    const redacted = (text: string) =>
      redactForLlm({ redactor, session, texts: [{ name: 'a', text }] }).pieces.map((piece) => textOf(piece.text));
    expect(redacted('secret-aaaa')).toEqual(['[REDACTED:marked#1]']);
    expect(redacted('secret-bbbb secret-aaaa')).toEqual(['[REDACTED:marked#2] [REDACTED:marked#1]']);
  });

  it.each<[string, Redactor]>([
    [
      'throws',
      returning(() => {
        throw new Error('secret-aaaa');
      }),
    ],
    ['loses a line', returning((text) => ({ text: text.replace('\n', ''), findings: [], counts: {} }))],
    ['adds a line', returning((text) => ({ text: `${text}\n`, findings: [], counts: {} }))],
  ])('RED-10: a redactor that %s blocks, and raises egress.blocked', (_name, bad) => {
    const outcome = blockedBy((securityEvents) =>
      redactForLlm({ redactor: bad, securityEvents, texts: [{ name: 'a', text: 'a\nb' }] }),
    );
    expect(outcome).toEqual({
      code: 'EGRESS_BLOCKED',
      reason: 'redaction_failed',
      events: ['egress.blocked'],
      cause: undefined,
    });
  });

  it('RED-10: a broken receiver of events does not open the way', () => {
    const securityEvents = {
      emit: () => {
        throw new Error('down');
      },
    };
    const bad = returning(() => {
      throw new Error('rule');
    });
    expect(() => redactForLlm({ redactor: bad, securityEvents, texts: [{ name: 'a', text: 'a' }] })).toThrow(
      expect.objectContaining({ code: 'EGRESS_BLOCKED' }),
    );
  });
});

describe('joinRedacted', () => {
  it('ART-6: joins pieces and template into one minted text', () => {
    const joined = joinRedacted({ redactor, parts: ['Diff:\n', pieceOf('+ secret-aaaa'), '\nEnd.'] });
    expect(isRedactedText(joined)).toBe(true);
    expect(textOf(joined)).toBe('Diff:\n+ [REDACTED:marked#1]\nEnd.');
  });

  it('ART-6: is no way to mint: secrets in the template, foreign rules and forged pieces are refused', () => {
    expect(blockedBy((securityEvents) => joinRedacted({ redactor, securityEvents, parts: ['secret-aaaa'] }))).toEqual({
      code: 'EGRESS_BLOCKED',
      reason: 'secret_in_template',
      events: ['egress.blocked'],
    });
    const foreign = pieceOf('text', createMarkerRedactor('2.0.0'));
    expect(blockedBy(() => joinRedacted({ redactor, parts: [foreign] })).reason).toBe('rules_differ');
    expect(blockedBy(() => joinRedacted({ redactor, parts: [{ kind: 'criticizer.redacted-text' }] })).reason).toBe(
      'not_redacted',
    );
    const broken: Redactor = {
      ...redactor,
      scan: () => {
        throw new Error('scan');
      },
    };
    expect(blockedBy(() => joinRedacted({ redactor: broken, parts: ['a'] })).reason).toBe('redaction_failed');
  });
});

describe('sumCounts', () => {
  it('adds by rule, in the order of names', () => {
    expect(JSON.stringify(sumCounts([{ b: 1 }, { a: 2, b: 3 }, {}]))).toBe('{"a":2,"b":4}');
  });
});
