import type { ReviewMailCounts } from '@criticizer/core/ports';
import { describe, expect, it } from 'vitest';
import { composeCountsMail } from './compose-review-mail.js';
import { renderCountsMail } from './render-counts-mail.js';

const none = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
const counts = (more: Partial<ReviewMailCounts> = {}): ReviewMailCounts => ({
  change: { serverId: 'main', number: 12345, changelistId: 'main/12345', kind: 'shelved' },
  reviewVersion: 2,
  findings: { ...none, critical: 1, medium: 2 },
  belowFloor: 0,
  floor: 'medium',
  conclusive: true,
  files: { reviewed: 3, partial: 0, skipped: 0, total: 4 },
  withheldSecrets: 0,
  ...more,
});
const link = 'https://swarm.example.test/changes/12345?a=1&b=2';

describe('renderCountsMail', () => {
  it('says verdict, counts, coverage and the link', () => {
    const mail = renderCountsMail({
      counts: counts({ files: { reviewed: 3, partial: 1, skipped: 2, total: 6 }, withheldSecrets: 4 }),
      links: { change: link },
    });
    expect(mail.subject).toBe('[Criticizer] 12345');
    expect(mail.text).toBe(
      [
        'Change 12345',
        'shelved, server main, version 2',
        link,
        '',
        '1 critical, 2 medium, incomplete review',
        'This change was not reviewed in full: of 6 files, 2 not at all and 1 only in part. Silence about those parts means nothing.',
        '',
        'COVERAGE',
        '--------',
        'Reviewed in full: 3',
        'Reviewed in part: 1',
        'Not reviewed: 2',
        '',
        'Secrets withheld from the reviewer: 4. If any of them is real, change it.',
        '',
        'The findings themselves are not in this mail. Open the change to read them.',
        '',
        '--',
        'Written by a language model, not by a person: it can be wrong, and it can miss things. Sent to you for Change 12345, version 2 of the review. Nobody reads replies.',
        '',
      ].join('\n'),
    );
    expect(mail.html).toContain('href="https://swarm.example.test/changes/12345?a=1&amp;b=2"');
    for (const said of ['1 critical', '2 medium', 'incomplete review', 'Reviewed in full: 3', 'Not reviewed: 2'])
      expect(mail.html).toContain(said);
  });

  it('OUT-9: says "no findings" only where there are none and all was reviewed', () => {
    const say = (more: Partial<ReviewMailCounts>) => {
      const { text, html } = renderCountsMail({ counts: counts({ findings: none, ...more }) });
      return [text, html].map((part) => part.includes('no findings'));
    };
    expect(say({})).toEqual([true, true]);
    const gaps: Partial<ReviewMailCounts>[] = [
      { conclusive: false },
      { belowFloor: 1 },
      { files: { reviewed: 0, partial: 0, skipped: 0, total: 1 } },
      { files: { reviewed: 1, partial: 1, skipped: 0, total: 2 } },
      { files: { reviewed: 1, partial: 0, skipped: 1, total: 2 } },
    ];
    for (const gap of gaps) expect(say(gap), JSON.stringify(gap)).toEqual([false, false]);
  });

  it('OUT-9: the numbers of its coverage add up to the files of the change', () => {
    const { text, html } = renderCountsMail({
      counts: counts({ files: { reviewed: 1, partial: 1, skipped: 1, total: 5 } }),
    });
    for (const part of [text, html]) {
      expect(part).toContain('of 5 files, 1 not at all and 1 only in part');
      for (const line of ['Reviewed in full: 1', 'Reviewed in part: 1', 'Not reviewed: 1', 'Nothing to review: 2'])
        expect(part).toContain(line);
    }
  });

  it('has no link where none is configured, and escapes a hostile server name', () => {
    const serverId = '<img src="https://track.example/x.png">';
    const mail = renderCountsMail({ counts: counts({ change: { ...counts().change, serverId } }) });
    expect(mail.html).not.toMatch(/<img|<a /);
    expect(mail.text).toContain('they may not be sent to this address');
  });

  it.each([
    ['reviewVersion', counts({ reviewVersion: 0 })],
    ['findings', counts({ findings: { ...none, high: -1 } })],
    ['files', counts({ files: { reviewed: 0.5, partial: 0, skipped: 0, total: 1 } })],
    ['belowFloor', counts({ belowFloor: Number.NaN })],
    ['floor', counts({ floor: 'grave' as never })],
    ['conclusive', counts({ conclusive: undefined as never })],
    ['withheldSecrets', counts({ withheldSecrets: -1 })],
  ])('refuses a wrong %s', (field, wrong) => {
    expect(() => renderCountsMail({ counts: wrong })).toThrow(new RegExp(`review mail: ${field}`));
  });

  it('refuses a link that is none', () => {
    expect(() => renderCountsMail({ counts: counts(), links: { change: 'javascript:alert(1)' } })).toThrow(/links/);
  });

  it('EGR-1: names the change and its version in its headers, and nobody', () => {
    const mail = composeCountsMail({
      input: { counts: counts() },
      recipient: { address: 'eve@elsewhere.test', reason: 'the owners of //depot/main' },
      from: { address: 'reviews@example.test' },
      envelopeFrom: 'reviews@example.test',
      host: 'example.test',
      key: 'ab'.repeat(16),
      date: new Date(0),
    });
    expect(mail.content).toBe('counts');
    expect(JSON.stringify(mail)).not.toContain('//depot/main');
    expect(mail.headers.map(({ name, value }) => `${name}: ${value}`)).toEqual([
      'In-Reply-To: <p4.main.12345@example.test>',
      'References: <p4.main.12345@example.test>',
      'Thread-Topic: [Criticizer] 12345',
      expect.stringMatching(/^Thread-Index: AdXANmkF[A-Za-z0-9+/]{28}$/),
      'Auto-Submitted: auto-generated',
      'X-Auto-Response-Suppress: All',
      'Precedence: bulk',
      'List-Id: Criticizer main <main.criticizer.example.test>',
      'X-Criticizer-Change: main/12345',
      'X-Criticizer-Version: 2',
      'X-Criticizer-Verdict: critical',
      `X-Criticizer-Key: ${'ab'.repeat(16)}`,
    ]);
  });

  it('GRD-7: says that no model read the change, and of no model that it wrote the mail', () => {
    const { text, html } = renderCountsMail({ counts: counts({ isWithoutModel: true, conclusive: false }) });
    for (const part of [text, html]) {
      expect(part).toContain('No language model read this change.');
      expect(part).not.toContain('Written by a language model');
    }
  });
});
