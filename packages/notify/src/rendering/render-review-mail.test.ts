import type { ReviewMailFinding } from '@criticizer/core/ports';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderReviewMail } from './render-review-mail.js';
import { type ReviewMailInput, severities } from './review-mail-input.js';
import { verdictOf } from './review-verdict.js';

const finding = (n: number, change: Partial<ReviewMailFinding> = {}): ReviewMailFinding => ({
  id: `f${n}`,
  severity: severities[n % 5] ?? 'info',
  category: 'correctness',
  title: `Title of finding ${n}`,
  file: `//depot/main/src/file${n % 17}.ts`,
  place: { line: n + 1, endLine: null, status: 'exact' },
  message: `Message of finding ${n}: ${'words and words '.repeat(12)}end${n}.`,
  suggestion: `fix(${n});`,
  ...change,
});

const base: ReviewMailInput = {
  change: {
    serverId: 'p4-main',
    number: 12345,
    changelistId: 'p4-main/12345',
    user: 'dev',
    description: '\nFix order totals\nmore',
    kind: 'submitted',
  },
  reviewVersion: 1,
  result: { findings: [] },
  notShown: { belowFloor: 0, floor: 'info', overCap: 0 },
  conclusive: true,
  coverage: { files: [{ path: '//depot/a.ts', state: 'reviewed' }] },
  withheldSecrets: 0,
  warnings: [],
};
const skipped = { path: '//depot/logo.psd', state: 'skipped' as const, reason: 'binary' };
const withFindings = (findings: readonly ReviewMailFinding[]): ReviewMailInput => ({ ...base, result: { findings } });
const tagsOf = (html: string): string[] =>
  [...html.matchAll(/<\/?([a-zA-Z0-9!]+)/g)].map((match) => match[1]?.toLowerCase() ?? '');
const structure = (html: string): string => html.replace(/>[^<]*</g, '><').replace(/href="[^"]*"/g, '');

describe('renderReviewMail: what it says', () => {
  it('INT-3: shows the gravest findings in full and names the others', () => {
    const all = [1, 2, 3].map((n) => finding(n, { severity: 'high', title: `Title ${n}`, message: `Message ${n}.` }));
    const { text, html } = renderReviewMail({ ...withFindings(all), fullFindings: 1 });
    for (const part of [text, html]) {
      for (const n of [1, 2, 3]) expect(part).toContain(`Title ${n}`);
      expect(part).toContain('Message 1.');
      expect(part).not.toMatch(/Message [23]\./);
    }
    expect(renderReviewMail(withFindings(all)).text).toContain('Message 3.');
    expect(() => renderReviewMail({ ...base, fullFindings: -1 })).toThrow('fullFindings');
  });

  it('OUT-9: never says "no findings" of a review that is not conclusive', () => {
    const { subject, text, html } = renderReviewMail({
      ...base,
      conclusive: false,
      warnings: ['A reply was cut short.'],
    });
    for (const part of [subject, text, html]) expect(part).not.toContain('no findings');
    for (const part of [text, html]) expect(part).toContain('incomplete review');
  });

  it('puts number and title in the subject, and the verdict first in what an inbox previews', () => {
    const found = withFindings([finding(0), finding(1), finding(6)]);
    for (const [input, verdict] of [
      [base, 'no findings'],
      [found, '1 critical, 2 high'],
    ] as const) {
      const { subject, text, html } = renderReviewMail(input);
      expect(subject).toBe('[Criticizer] 12345: Fix order totals');
      expect(html.replace(/^.*?<body/s, '').replace(/<[^>]*>/g, '')).toMatch(new RegExp(`^[^>]*>\\s*${verdict}\n`));
      expect(text.split('\n\n')[1]).toBe(verdict);
    }
    expect(renderReviewMail({ ...base, change: { ...base.change, description: '' } }).subject).toBe(
      '[Criticizer] 12345',
    );
  });

  it.each([
    ['author', 'because the change is yours.'],
    ['reviewer', 'because you are a reviewer of the change.'],
    ['owner', 'because you own files that the change touches.'],
    ['requested', 'because whoever asked for the review named you.'],
    ['configured', 'because the settings of this service name you.'],
    ['owner of <b>', 'Why you get this mail: owner of <b>.'],
  ])('says in both parts why the recipient gets the mail: %s', (reason, words) => {
    const { text, html } = renderReviewMail({ ...base, reason });
    expect(text).toContain(words);
    expect(html).toContain(words.replace('<b>', '&lt;b&gt;'));
    expect(renderReviewMail(base).text).not.toContain('you get this mail');
  });

  it('says "no findings" only where every file was reviewed in full', () => {
    const says = (input: ReviewMailInput): boolean[] =>
      [renderReviewMail(input)].flatMap(({ text, html }) => [text, html].map((part) => part.includes('no findings')));
    expect(says(base)).toEqual([true, true]);
    for (const files of [
      [],
      [skipped],
      [...base.coverage.files, skipped],
      [{ path: 'a', state: 'partial' as const }],
    ]) {
      expect(says({ ...base, coverage: { files } })).toEqual([false, false]);
      expect(renderReviewMail({ ...base, coverage: { files } }).text).toContain('incomplete review');
    }
    expect(renderReviewMail({ ...base, warnings: ['Findings were dropped.'] }).text).toContain('see warnings');
    const nothingLeft = [
      ...base.coverage.files,
      { path: '//depot/gone.ts', state: 'skipped' as const, reason: 'deleted' },
    ];
    expect(says({ ...base, coverage: { files: nothingLeft } })).toEqual([true, true]);
    expect(says({ ...base, coverage: { files: nothingLeft.slice(1) } })).toEqual([false, false]);
  });

  it('GRD-2: shows the resolved place, says when none is confirmed, and what the model had called it', () => {
    const { text, html } = renderReviewMail(
      withFindings([
        finding(0, { severity: 'critical', place: { line: 101, endLine: 104, status: 'moved' } }),
        finding(1, { severity: 'high', place: { line: null, endLine: null, status: 'file' } }),
        finding(2, {
          severity: 'medium',
          place: { line: null, endLine: null, status: 'unverified' },
          model: { severity: 'critical' },
        }),
      ]),
    );
    expect(text).toContain('1. Title of finding 0\n     lines 101–104, correctness\n     Message');
    expect(text).toContain('2. Title of finding 1\n     whole file, correctness\n     Message');
    expect(text).toContain(
      '3. Title of finding 2\n     whole file, correctness\n     place not confirmed, severity lowered from critical\n     Message',
    );
    expect(html).toContain('>lines 101–104 · correctness</p>');
    expect(html).toContain('>whole file · correctness</p>');
    expect(html).toContain(
      '>whole file · correctness · <b>place not confirmed, severity lowered from critical</b></p>',
    );
  });

  it('OUT-9 INT-3: with findings below the floor alone it gives their number everywhere, never "no findings"', () => {
    const hidden = (belowFloor: number): ReviewMailInput => ({
      ...base,
      notShown: { belowFloor, floor: 'medium', overCap: 0 },
    });
    const { text, html } = renderReviewMail(hidden(3));
    for (const part of [text, html]) {
      expect(part).toContain('3 findings below medium');
      expect(part).not.toContain('no findings');
    }
    expect(renderReviewMail(hidden(1)).text).toContain('1 finding below medium');
    expect(verdictOf(hidden(3)).token).toBe('below-floor');
    expect(verdictOf({ ...hidden(3), conclusive: false })).toMatchObject({
      token: 'incomplete',
      phrase: '3 findings below medium, incomplete review',
    });
    expect(verdictOf({ ...hidden(3), result: { findings: [finding(0)] } }).phrase).toBe('1 critical');
  });

  it('GRD-5 OUT-9: counts what the check dropped or left, and never says "no findings" where it dropped some', () => {
    const checked = (dropped: number, notChecked = 0, findings = base.result.findings): ReviewMailInput => ({
      ...base,
      result: { findings },
      check: { dropped, notChecked },
    });
    for (const part of Object.values(renderReviewMail(checked(3, 0, [])))) expect(part).not.toMatch(/no findings/i);
    const { text, html } = renderReviewMail(checked(3, 2, [finding(0)]));
    for (const part of [text, html]) {
      expect(part).toContain('3 findings dropped by the check');
      expect(part).toContain('Not checked against the code a second time: 2 of the findings.');
    }
    expect(renderReviewMail(checked(1, 0, [])).html).toContain('1 finding dropped by the check');
    expect(verdictOf(checked(3, 0, []))).toMatchObject({ token: 'dropped', phrase: '3 findings dropped by the check' });
    expect(verdictOf(checked(3, 0, [finding(0)])).phrase).toBe('1 critical');
    expect(verdictOf(checked(0, 0, [])).token).toBe('clean');
    expect(() => renderReviewMail(checked(-1))).toThrow('check');
  });

  it('GRD-6: says what is new, open and resolved since the version before, and what was not read again', () => {
    const counts = { reviewVersion: 2, new: 1, reportedAgain: 1, open: 0, resolved: 1, notVerifiable: 0 };
    const gone = {
      id: 'f9',
      state: 'resolved',
      severity: 'high',
      title: 'A <b>leak</b>',
      file: '//depot/a.ts',
      line: 3,
    } as const;
    const sinceVersion = { ...counts, filesAsBefore: { count: 4, of: 5 }, notReported: [gone] };
    const { text, html } = renderReviewMail({ ...withFindings([finding(1)]), reviewVersion: 3, sinceVersion });
    for (const part of [text, html]) {
      const said = part.replaceAll('</b>', '');
      expect(said).toContain(
        'Since version 2: 1 new, 1 still open, 1 resolved. 4 of 5 files as before, not read again.',
      );
      expect(part.indexOf('Since version 2')).toBeLessThan(part.indexOf('Title of finding 1'));
    }
    expect(text).toMatch(/Resolved: A <b>leak<\/b> \(HIGH, .*a\.ts.*3\)/i);
    expect(html).not.toContain('<b>leak');
    expect(renderReviewMail(base).text).not.toContain('Since version');
  });

  it('INT-3: counts the findings over the cap in the verdict', () => {
    const input: ReviewMailInput = {
      ...withFindings([finding(0)]),
      notShown: { belowFloor: 0, floor: 'info', overCap: 7 },
    };
    const { text, html } = renderReviewMail(input);
    for (const part of [text, html]) expect(part).toContain('7 more not shown');
  });

  it('names what was not reviewed and why, what was withheld, and every warning, in both parts', () => {
    const input: ReviewMailInput = {
      ...base,
      coverage: {
        files: [
          ...base.coverage.files,
          skipped,
          { path: '//depot/big.ts', state: 'partial', reason: 'a reason of its own' },
        ],
      },
      withheldSecrets: 3,
      warnings: ['One reply was cut short.'],
    };
    const { text, html } = renderReviewMail(input);
    for (const part of [text, html]) {
      for (const words of [
        '//depot/logo.psd',
        'binary file',
        '//depot/big.ts',
        'a reason of its own',
        'withheld from the reviewer: 3',
        'One reply was cut short.',
      ]) {
        expect(part).toContain(words);
      }
    }
  });

  it('OUT-9: says of each file once what became of it: banner and coverage have the same numbers', () => {
    const files = [
      ...base.coverage.files,
      skipped,
      { path: '//depot/gone.ts', state: 'skipped' as const, reason: 'deleted' },
      { path: '//depot/same.ts', state: 'skipped' as const, reason: 'unchanged' },
      { path: '//depot/huge.ts', state: 'partial' as const, reason: 'budget' },
    ];
    const { text, html } = renderReviewMail({ ...base, coverage: { files } });
    for (const part of [text, html]) {
      expect(part).toContain('of 5 files, 1 not at all and 1 only in part');
      for (const line of ['Reviewed in full: 1', 'Reviewed in part: 1', 'Not reviewed: 1', 'Nothing to review: 2'])
        expect(part).toContain(line);
    }
  });

  it('shows the code round a finding with its lines, the cited ones marked, nothing hidden in it', () => {
    const excerpt = [
      { line: 9, text: '\tif (a < b) {', isCited: false },
      { line: 10, text: 'x\u202Ey </div><img src=x>', isCited: true },
    ];
    const { text, html } = renderReviewMail(withFindings([finding(1, { excerpt })]));
    expect(text).toContain('\n          9      if (a < b) {\n       > 10  x[U+202E]y </div><img src=x>\n');
    expect(html).toContain('   9      if (a &lt; b) {\n<b>&gt; 10  x[U+202E]y &lt;/div&gt;&lt;img src=x&gt;</b></div>');
  });

  it('stays under 100 kB of HTML with the code of 200 findings', () => {
    const excerpt = Array.from({ length: 12 }, (_, at) => ({
      line: at + 1,
      text: '<&>'.repeat(80),
      isCited: at === 6,
    }));
    const many = Array.from({ length: 200 }, (_, n) => finding(n, { excerpt }));
    const { html } = renderReviewMail(withFindings(many));
    expect(Buffer.byteLength(html)).toBeLessThan(100_000);
    expect(html).toContain('<b>&gt;  7');
  });

  it('GRD-7: marks findings about withheld secrets, puts those of the change itself first, and counts them', () => {
    const secret = { severity: 'high', origin: 'redaction', rule_id: 'github-token', confidence: 'high' } as const;
    const all = [
      finding(1, { severity: 'high' }),
      finding(2, { ...secret, title: 'Stands in a file' }),
      finding(3, {
        ...secret,
        title: 'Stands in a job',
        file: null,
        place: { line: null, endLine: null, status: 'file' },
      }),
    ];
    const { text, html } = renderReviewMail({ ...withFindings(all), withheldSecrets: 2, secrets: [] });
    for (const part of [text, html]) {
      expect(part).toContain('found by redaction, not by the model');
      expect(part.indexOf('the change itself (description, user, jobs)')).toBeLessThan(part.indexOf('file1.ts'));
      expect(part).toContain('Secrets withheld from the reviewer: 2.');
      expect(part).toContain('Findings of this mail about them: 2.');
      expect(part).not.toContain('whole file');
    }
  });

  it('EGR-5: names file, line and rule of each withheld secret in both parts', () => {
    const secrets = [
      { path: null, line: null, rule: 'url.password' },
      { path: '//depot/a.ts', line: 12, rule: 'aws.secret-key' },
      { path: '//depot/<b>.ts', line: null, rule: 'pem.block' },
    ];
    const { text, html } = renderReviewMail({ ...base, withheldSecrets: 3, secrets });
    const lines = [
      'the change itself (description, user, jobs): url.password',
      '//depot/a.ts, line 12: aws.secret-key',
    ];
    for (const part of [text, html]) for (const line of lines) expect(part).toContain(line);
    expect(text).toContain('\n  //depot/<b>.ts: pem.block\n');
    expect(html).toContain('//depot/&lt;b&gt;.ts: pem.block');
    const many = Array.from({ length: 200 }, (_, n) => ({ path: `//depot/${n}.ts`, line: n + 1, rule: 'r' }));
    const long = renderReviewMail({ ...base, withheldSecrets: 200, secrets: many });
    expect(long.text).toContain('//depot/199.ts, line 200: r');
    expect(long.html).toContain('and 180 more, listed in the plain-text part');
  });

  it('has every finding in full in the text, and stays under 100 kB of HTML for any number', () => {
    for (const [count, length] of [
      [200, 200],
      [200, 4_000],
      [2_000, 300],
    ] as const) {
      const findings = Array.from({ length: count }, (_, n) =>
        finding(n, { message: `${'m'.repeat(length)} end${n}.` }),
      );
      const files = Array.from({ length: 5_000 }, (_, n) => ({
        path: `//depot/${'d/'.repeat(60)}${n}.bin`,
        state: 'skipped' as const,
        reason: 'binary',
      }));
      const { text, html } = renderReviewMail({ ...withFindings(findings), coverage: { files } });
      for (let n = 0; n < count; n++)
        expect(text.includes(`end${n}.`) && text.includes(`Title of finding ${n}\n`)).toBe(true);
      expect(Buffer.byteLength(html)).toBeLessThan(100_000);
      expect(html).toContain('plain-text part');
      expect(html).toContain('Title of finding 0');
    }
  });

  const sized = (n: number, severity: ReviewMailFinding['severity'], more: Partial<ReviewMailFinding> = {}) =>
    finding(n, { severity, message: `Message ${n}. ${'words and words '.repeat(90)}end${n}.`, ...more });
  /** Numbers of the findings whose message the HTML has to its end. */
  const inFull = (html: string): number[] => [...html.matchAll(/end(\d+)\./g)].map((match) => Number(match[1]));

  it('INT-3: shows all 20 criticals among 100 findings in full, and names all others', () => {
    const all = Array.from({ length: 100 }, (_, n) => sized(n, n % 5 === 0 ? 'critical' : 'low'));
    const { html } = renderReviewMail(withFindings(all));
    for (let n = 0; n < 100; n += 5) expect(inFull(html)).toContain(n);
    for (let n = 0; n < 100; n++) expect(html).toContain(`Title of finding ${n}<`);
    expect(Buffer.byteLength(html)).toBeLessThan(100_000);
  });

  it.each([
    [undefined, 20],
    [5, 5],
  ])(
    'INT-3: of 1,000 findings in as many files, with fullFindings %s, it fills the HTML, the worst first',
    (fullFindings, most) => {
      const all = Array.from({ length: 1_000 }, (_, n) =>
        sized(n, severities[Math.floor(n / 200)] ?? 'info', { file: `//depot/main/src/file${1_000 + n}.ts` }),
      );
      const { html } = renderReviewMail({ ...withFindings(all), fullFindings });
      const shown = inFull(html);
      expect(shown.length).toBeGreaterThanOrEqual(most);
      if (fullFindings !== undefined) expect(shown).toHaveLength(fullFindings);
      expect(shown).toEqual(shown.map((_, n) => n));
      const named = [...html.matchAll(/Title of finding (\d+)</g)].map((match) => Number(match[1]));
      expect(named).toEqual(named.map((_, n) => n));
      expect(html).toContain(`and ${1_000 - named.length} more`);
      expect(Buffer.byteLength(html)).toBeGreaterThan(95_000);
      expect(Buffer.byteLength(html)).toBeLessThan(100_000);
    },
  );

  it('INT-3: one finding that is too long for the mail takes no room from the next ones', () => {
    const giant = sized(0, 'critical', {
      message: '"'.repeat(6_000),
      suggestion: '"'.repeat(20_000),
      file: '//depot/a',
    });
    const all = [giant, ...Array.from({ length: 99 }, (_, n) => sized(n + 1, 'high', { file: '//depot/a' }))];
    const { html } = renderReviewMail({ ...withFindings(all), coverage: { files: [...base.coverage.files, skipped] } });
    expect(inFull(html).slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    expect(Buffer.byteLength(html)).toBeLessThan(100_000);
  });

  it('stays under 100 kB of HTML where every character has to be escaped', () => {
    for (const char of ['"', '\u202e', '漢']) {
      const long = char.repeat(3_000);
      const files = Array.from({ length: 300 }, (_, n) => ({
        path: `${n}${long}`,
        state: n % 2 === 0 ? ('skipped' as const) : ('partial' as const),
        reason: long,
      }));
      const input: ReviewMailInput = {
        ...base,
        change: { ...base.change, user: long, serverId: long, description: long },
        result: {
          summary: long,
          findings: Array.from({ length: 50 }, (_, n) =>
            finding(n, { title: long, file: `${n}${long}`, message: long, suggestion: long, rule_id: long }),
          ),
        },
        coverage: { files },
        warnings: Array.from({ length: 50 }, () => long),
      };
      expect(Buffer.byteLength(renderReviewMail(input).html)).toBeLessThan(100_000);
    }
  });

  it('shows a normal review in full: 40 findings, nothing shortened', () => {
    const { html } = renderReviewMail(withFindings(Array.from({ length: 40 }, (_, n) => finding(n))));
    expect(html).not.toContain('plain-text part');
    for (let n = 0; n < 40; n++) expect(html).toContain(`fix(${n});`);
  });

  it('orders by severity, file and line, whatever the order it was given', () => {
    const findings = Array.from({ length: 30 }, (_, n) => finding(n));
    const { text } = renderReviewMail(withFindings(findings));
    expect(renderReviewMail(withFindings(findings.toReversed())).text).toBe(text);
    const at = severities.map((severity) => text.indexOf(`${severity.toUpperCase()} (`));
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect(Math.min(...at)).toBeGreaterThan(0);
  });

  it('speaks with the given labels', () => {
    const { html, text } = renderReviewMail({
      ...base,
      labels: { lang: 'de', noFindings: 'keine Befunde', coverage: 'Abdeckung' },
    });
    expect(html).toContain('<html lang="de">');
    expect(html).toContain('Abdeckung');
    expect(text).toContain('keine Befunde');
  });
});

describe('renderReviewMail: what it lets nobody do', () => {
  const hostile =
    '</style><script>alert(1)</script><img src=https://x.test/p.png onerror=x><a href="https://x.test">x</a>"\'\u202e\u0000\r\nBcc: a@b.test';

  function poisoned(text: string): ReviewMailInput {
    return {
      ...base,
      change: { ...base.change, serverId: text, user: text, description: text, changelistId: text },
      result: {
        summary: text,
        findings: [
          finding(0, {
            title: text,
            file: text,
            message: text,
            suggestion: text,
            category: text,
            rule_id: text,
            id: text,
          }),
        ],
      },
      coverage: {
        files: [
          { path: text, state: 'skipped', reason: text },
          { path: text, state: 'partial', reason: 'budget' },
        ],
      },
      warnings: [text],
    };
  }

  it('untrusted text adds no element, no attribute, no link and nothing that is loaded', () => {
    const plain = renderReviewMail(poisoned('plain')).html;
    fc.assert(
      fc.property(fc.oneof(fc.constant(hostile), fc.string({ unit: 'binary', minLength: 1 })), (raw) => {
        const { html, subject, text } = renderReviewMail(poisoned(`x${raw}`));
        expect(structure(html)).toBe(structure(plain));
        for (const tag of ['script', 'img', 'a', 'link', 'iframe', 'form']) expect(tagsOf(html)).not.toContain(tag);
        for (const part of [html, subject, text]) expect(part).not.toMatch(/[\p{Cf}\p{Cs}]|(?![\n\t])\p{Cc}/u);
        expect(subject).not.toContain('\n');
      }),
      { numRuns: 30 },
    );
  });

  it('NOT-5: forges no section of the text: the lines of a summary are indented as all others', () => {
    const summary = 'Fine.\n\nCOVERAGE\n--------\nReviewed in full: 99\n-- \nsignature';
    const { text } = renderReviewMail({ ...base, result: { summary, findings: [] } });
    expect(text).toContain(
      'SUMMARY\n-------\n  Fine.\n\n  COVERAGE\n  --------\n  Reviewed in full: 99\n  --\n  signature\n',
    );
    expect(text.match(/^COVERAGE$/gm)).toHaveLength(1);
  });

  it('has the one link it was given, and only over http', () => {
    const { html } = renderReviewMail({
      ...base,
      links: { change: 'https://swarm.example.test/changes/1?a=1&b="><script>' },
    });
    expect(tagsOf(html).filter((tag) => tag === 'a')).toHaveLength(2);
    expect(tagsOf(html)).not.toContain('script');
    for (const change of ['javascript:alert(1)', 'data:text/html,x', 'no url', 'file:///etc/passwd']) {
      expect(() => renderReviewMail({ ...base, links: { change } })).toThrow(TypeError);
    }
  });

  it('loads nothing: no URL but the link, no import, no image', () => {
    const { html } = renderReviewMail(withFindings([finding(0)]));
    expect(html).not.toMatch(/url\(|@import|https?:\/\/|src=/i);
  });

  it.each([
    ['a severity it does not know', withFindings([{ ...finding(0), severity: 'blocker' as 'high' }])],
    ['a version that is none', { ...base, reviewVersion: 0 }],
    ['a number that is none', { ...base, change: { ...base.change, number: 1.5 } }],
    ['a state it does not know', { ...base, coverage: { files: [{ path: 'a', state: 'done' as 'skipped' }] } }],
    ['a count that is none', { ...base, withheldSecrets: -1 }],
    [
      'a number of findings not shown that is none',
      { ...base, notShown: { belowFloor: -1, floor: 'info', overCap: 0 } },
    ],
    [
      'a line of an unverified place',
      withFindings([finding(3, { place: { line: 4, endLine: null, status: 'unverified' } })]),
    ],
    [
      'an exact place without a line',
      withFindings([finding(3, { place: { line: null, endLine: null, status: 'exact' } })]),
    ],
    [
      'a critical finding whose place is unverified',
      withFindings([finding(0, { severity: 'critical', place: { line: null, endLine: null, status: 'unverified' } })]),
    ],
  ] satisfies [string, ReviewMailInput][])('refuses %s', (_what, input) => {
    expect(() => renderReviewMail(input)).toThrow(TypeError);
  });
});

describe('renderReviewMail: accessibility', () => {
  it('fits a phone: no table grows with its content, and every cell breaks long words', () => {
    const { html } = renderReviewMail(withFindings([finding(0, { title: 'x'.repeat(200) })]));
    const tables = html.match(/<table[^>]*>/g) ?? [];
    expect(tables.length).toBeGreaterThan(1);
    for (const table of tables) expect(table).toMatch(/style="[^"]*table-layout:fixed/);
    const cells = html.match(/<td class="t"[^>]*>/g) ?? [];
    expect(cells.length).toBeGreaterThan(2);
    for (const cell of cells) expect(cell).toMatch(/word-break:break-word;overflow-wrap:anywhere/);
  });

  it('has a language, a title, layout tables marked as such, headings in order, and a word for every severity', () => {
    const { html } = renderReviewMail(withFindings(severities.map((severity, n) => finding(n, { severity }))));
    expect(html).toMatch(/<html lang="en">/);
    expect(html).toMatch(/<title>[^<]+<\/title>/);
    expect(html.match(/<table/g)?.length).toBe(html.match(/<table role="presentation"/g)?.length);
    expect(html).toContain('color-scheme');
    for (const severity of severities) expect(html).toContain(`>${severity} (1)</span>`);
    const levels = [...html.matchAll(/<h([1-6])/g)].map((match) => Number(match[1]));
    levels.reduce((before, level) => {
      expect(level - before).toBeLessThanOrEqual(1);
      return level;
    }, 0);
  });
});
