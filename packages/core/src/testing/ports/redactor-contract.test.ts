import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { RedactionResult, Redactor } from '../../foundation/redactor.js';
import { collectCases, failedCases } from '../support/collecting-runner.js';
import { createMarkerRedactor } from '../support/marker-redactor.js';
import { describeRedactorContract, type RedactorHarness } from './redactor-contract.js';

const harness = (create: () => Redactor): RedactorHarness => ({
  create,
  samples: () =>
    ['key: ', 'two\nlines: ', ''].map((head, at) => {
      const secret = `secret-${randomBytes(8).toString('hex')}`;
      return { name: `sample ${at}`, text: `${head}${secret}; and again ${secret}`, secret };
    }),
  harmless: () => ['no word is marked here', 'maybe-not'],
});

describeRedactorContract({ describe, it }, harness(createMarkerRedactor));

describe('the Redactor contract convicts', () => {
  const convict = async (
    change: (result: RedactionResult, text: string) => RedactionResult,
    more: Partial<Redactor> = {},
  ) => {
    const faulty = harness(() => {
      const good = createMarkerRedactor();
      return {
        ...good,
        session() {
          const session = good.session();
          return { redact: (text) => change(session.redact(text), text) };
        },
        ...more,
      };
    });
    return (await failedCases(collectCases(describeRedactorContract, faulty))).map(({ name }) =>
      name.replace(/^.*? > /, ''),
    );
  };

  it('RED-8: one that leaves secrets in', async () => {
    const failed = await convict((result, text) => ({ ...result, text }));
    expect(failed).toContain('RED-8: no secret survives, and each is counted under its rule');
    expect(failed).toContain('RED-10: a scan finds the secret before redaction, and nothing high after it');
  });
  it('RED-1: one that numbers its placeholders without end', async () => {
    let count = 0;
    const failed = await convict((result) => ({
      ...result,
      text: result.text.replaceAll('marked#', () => `marked#${count++}-`),
    }));
    expect(failed).toContain('RED-1: the same text gives the same result in every instance');
    expect(failed).toContain('RED-1: a session gives the same secret the same placeholder, in every text');
  });
  it('RED-8: one that drops lines', async () => {
    const failed = await convict((result) => ({ ...result, text: result.text.replaceAll('\n', ' ') }));
    expect(failed).toContain(
      'RED-8: lines keep their number, and lines around the secret their text, with LF and with CRLF',
    );
  });
  it('one whose fingerprints show or confuse secrets', async () => {
    const good = createMarkerRedactor();
    const shows = await convict((result) => result, {
      scan: (text) => good.scan(text).map((found) => ({ ...found, fingerprint: text.slice(found.start, found.end) })),
    });
    expect(shows).toContain('a finding tells where, and nothing of what');
    const confuses = await convict((result) => result, {
      scan: (text) => good.scan(text).map((found) => ({ ...found, fingerprint: '0'.repeat(16) })),
    });
    expect(confuses).toContain('a fingerprint is the same for the same secret and another for another');
  });
  it('RED-10: one whose scan sees nothing', async () => {
    expect(await convict((result) => result, { scan: () => [] })).toContain(
      'RED-10: a scan finds the secret before redaction, and nothing high after it',
    );
  });
});
