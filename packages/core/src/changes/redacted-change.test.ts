import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RedactionResult, RedactionSession } from '../foundation/redactor.js';
import { createMarkerRedactor } from '../testing/support/marker-redactor.js';
import type { Change, ChangedFile, Hunk } from './change.js';
import { redactChange } from './redact-change.js';
import { hiddenPathsOf, readRedactedChange, type SecretPlacement } from './redacted-change.js';

const redactor = createMarkerRedactor();
const SECRET = ['secret', 'abcd1234'].join('-');

function hunk(newStart: number, lines: readonly string[]): Hunk {
  return { oldStart: newStart, oldLines: lines.length, newStart, newLines: lines.length, lines };
}

function file(path: string, hunks: readonly Hunk[] = [], change: Partial<ChangedFile> = {}): ChangedFile {
  return {
    path,
    oldPath: null,
    action: 'edit',
    fileType: 'text',
    revision: 2,
    bytes: 10,
    skipped: null,
    hunks,
    addedLines: 1,
    removedLines: 0,
    encoding: 'utf8',
    ...change,
  };
}

function change(files: readonly ChangedFile[], more: Partial<Change> = {}): Change {
  return {
    serverId: 'p4',
    number: 12,
    changelistId: 'p4/12',
    kind: 'submitted',
    user: 'u',
    description: 'Fix it',
    changedAt: new Date(0),
    userMail: 'person@example.test',
    reviewerMails: ['other@example.test'],
    jobs: [],
    files,
    visibility: 'complete',
    deniedFiles: 0,
    contentDigest: 'ab',
    ...more,
  };
}

function sessionOf(redact: (text: string) => string): RedactionSession {
  return { redact: (text): RedactionResult => ({ text: redact(text), findings: [], counts: {} }) };
}

describe('redacted change', () => {
  it('R15: every free text goes through the session: description, user, jobs, paths, diffs; no mail address enters', () => {
    const raw = change([file(`//d/${SECRET}/a.c`, [hunk(1, [`+key = ${SECRET}`])], { oldPath: `//d/old-${SECRET}` })], {
      description: `With ${SECRET}`,
      user: SECRET,
      jobs: [SECRET],
    });
    const redacted = redactChange(raw, redactor.session(), redactor.rules);
    const text = JSON.stringify(redacted);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('example.test');
    expect(redacted.redactions).toEqual({ marked: 6 });
    expect(redacted.files[0]?.redactions).toEqual({ marked: 3 });
    expect(redacted.rules).toEqual(redactor.rules);
  });

  it('R15: a path that may not be shown gets an alias that leads back, the source of a rename too', () => {
    const paths = [
      '//d/plain.c',
      `//d/${SECRET}/a.c`,
      '//d/hidden\u202Ename.c',
      '//d/two\nlines.c',
      '//d/%40alias-9.c',
    ];
    const sources = [`//d/old/${SECRET}/a.c`, '//d/plain.c', `//d/${SECRET}/a.c`, null, null];
    const raw = change(paths.map((path, at) => file(path, [], { oldPath: sources[at] ?? null })));
    const redacted = redactChange(raw, redactor.session(), redactor.rules);
    expect(redacted.files.map(({ path }) => path)).toEqual([
      '//d/plain.c',
      '//d/@alias-2/a.c',
      '//d/@alias-3.c',
      '//d/@alias-4.c',
      '//d/@alias-5.c',
    ]);
    expect(redacted.files.map(({ oldPath }) => oldPath)).toEqual([
      '//d/old/@alias-6/a.c',
      '//d/plain.c',
      '//d/@alias-2/a.c',
      null,
      null,
    ]);
    const hidden = hiddenPathsOf(redacted);
    expect(hidden.map(({ alias, file: at, side }) => [alias, raw.files[at]?.[side]])).toEqual([
      ['//d/old/@alias-6/a.c', sources[0]],
      ['//d/@alias-2/a.c', paths[1]],
      ['//d/@alias-3.c', paths[2]],
      ['//d/@alias-2/a.c', sources[2]],
      ['//d/@alias-4.c', paths[3]],
      ['//d/@alias-5.c', paths[4]],
    ]);
    expect(hidden[1]?.shown).toMatch(/^\/\/d\/\[REDACTED:/);
  });

  it('RED-8: the redacted snapshot has no digest of what was redacted', () => {
    const redacted = redactChange(change([], { contentDigest: 'f'.repeat(64) }), redactor.session(), redactor.rules);
    expect(JSON.stringify(redacted)).not.toContain('f'.repeat(64));
  });

  it('RED-1: all hunks of a file are one text, so that a secret over lines and hunks is seen; marks and hunks stay', () => {
    const seen: string[] = [];
    const session = sessionOf((text) => {
      seen.push(text);
      return text.replace(/BEGIN.*END/s, (block) => block.replace(/[a-z]+/g, 'x'));
    });
    const raw = change([file('//d/key', [hunk(3, [' BEGIN', '+abc']), hunk(9, ['-def', '+END', '+tail'])])]);
    const redacted = redactChange(raw, session, redactor.rules);
    expect(seen).toContain(' BEGIN\n+abc\n-def\n+END\n+tail');
    expect(redacted.files[0]?.hunks.map(({ lines, newStart }) => [newStart, lines])).toEqual([
      [3, [' BEGIN', '+x']],
      [9, ['-x', '+END', '+tail']],
    ]);
  });

  it('RED-1: the heading of a hunk and the whole new text go through the session, each place counted once', () => {
    const sections = [{ ...hunk(2, ['+b', `+${SECRET}`]), section: `f(key = ${SECRET})` }, hunk(9, ['+z'])];
    const newText = [`f(key = ${SECRET})`, 'b', SECRET, 'tail', `${SECRET} ${SECRET}`, ''].join('\r\n');
    const whole = redactChange(change([file('//d/a', sections, { newText })]), redactor.session(), redactor.rules);
    expect(JSON.stringify(whole)).not.toContain(SECRET);
    expect(whole.files[0]?.hunks[0]?.section).toMatch(/^f\(key = \[REDACTED:/);
    expect(whole.files[0]?.newText?.split('\r\n').slice(3)).toEqual(['tail', expect.not.stringContaining(SECRET), '']);
    // One in the hunk, one in the heading's line, two in the tail: the hunk's line counts once.
    expect(whole.redactions).toEqual({ marked: 4 });
    const twice = sections.map((one) => ({ ...one, section: `f(key = ${SECRET})` }));
    const headed = redactChange(change([file('//d/a', twice)]), redactor.session(), redactor.rules);
    expect(headed.redactions).toEqual({ marked: 2 });
    expect(headed.files[0]).not.toHaveProperty('newText');
  });

  it('EGR-5: names file, line of the new side and rule of each redaction, and never what was hidden', () => {
    const hunks = [
      hunk(10, [' a', `-old ${SECRET}`, `+b ${SECRET}`, '+c', `+d ${SECRET}`]),
      { ...hunk(50, [`+e ${SECRET}`]), section: `f ${SECRET}` },
    ];
    const newText = `first ${SECRET}\n${'x\n'.repeat(80)}`;
    const raw = change([file('//d/a', hunks, { newText }), file('//d/b')], { description: `With ${SECRET}` });
    const redacted = redactChange(raw, redactor.session(), redactor.rules);
    const marked = (where: SecretPlacement, line: number | null = null) => ({
      rule: 'marked',
      line,
      where,
      confidence: 'high',
    });
    expect(redacted.secrets).toEqual([marked('description')]);
    // The removed line's value is on the new side still: nothing was removed.
    expect(redacted.files.map(({ secrets }) => secrets)).toEqual([
      [marked('added', 11), marked('added', 13), marked('added', 50), marked('unchanged', 1)],
      undefined,
    ]);
    expect(readRedactedChange(JSON.parse(JSON.stringify(redacted)))).toEqual(redacted);
    expect(JSON.stringify(redacted)).not.toContain('abcd1234');
  });

  it('GRD-7: tells what a change adds from what it removes, leaves as it is, and has in a path or in its own texts', () => {
    const value = (name: string) => ['secret', name].join('-');
    const lines = [` kept ${value('kept')}`, `-gone ${value('gone')}`, `+new ${value('fresh')}`];
    const paths = { oldPath: `//d/${value('former')}/a` };
    const raw = change([file(`//d/${value('named')}/a`, [hunk(10, lines)], paths)], {
      user: value('user'),
      jobs: [value('job0')],
    });
    const redacted = redactChange(raw, redactor.session(), redactor.rules);
    expect(redacted.secrets?.map(({ where }) => where)).toEqual(['user', 'job']);
    expect(redacted.files[0]?.secrets).toMatchObject([
      { where: 'path', line: null },
      { where: 'oldPath', line: null },
      { where: 'unchanged', line: 10 },
      { where: 'removed', line: null, oldLine: 11 },
      { where: 'added', line: 11 },
    ]);
  });

  it('GRD-7: of more places than a file keeps, those that the change adds stay', () => {
    const kept = Array.from({ length: 120 }, (_, at) => ` ${['secret', `old${at}x`].join('-')}`);
    const raw = change([file('//d/a', [hunk(1, [...kept, `+${SECRET}`])])]);
    const places = redactChange(raw, redactor.session(), redactor.rules).files[0]?.secrets;
    expect(places).toHaveLength(100);
    expect(places?.at(-1)).toMatchObject({ where: 'added', line: 121 });
  });

  it('RED-1: what only the whole text gives away is hidden in the hunk too, and counted once', () => {
    const session: RedactionSession = {
      redact(text, context) {
        const at = context?.diff === true ? -1 : text.indexOf('under kind');
        if (at < 0 || !text.includes('kind: Secret')) return { text, findings: [], counts: {} };
        const line = text.slice(0, at).split('\n').length;
        const found = { rule: 'kept', start: at, end: at + 10, line, confidence: 'low', fingerprint: 'f' } as const;
        return { text: text.replace('under kind', '[REDACTED:kept:1]'), findings: [found], counts: { kept: 1 } };
      },
    };
    const raw = file('//d/a.yaml', [hunk(3, [' data:', '-  a: old', '+  a: under kind', '+  b: 1'])], {
      newText: 'kind: Secret\r\nmetadata:\r\ndata:\r\n  a: under kind\r\n  b: 1\r\n',
    });
    const redacted = redactChange(change([raw]), session, redactor.rules).files[0];
    expect(redacted?.hunks[0]?.lines).toEqual([' data:', '-  a: old', '+  a: [REDACTED:kept:1]', '+  b: 1']);
    expect(redacted?.redactions).toEqual({ kept: 1 });
    expect(redacted?.secrets).toEqual([{ rule: 'kept', line: 4, where: 'added', confidence: 'low' }]);
  });

  it('RED-1: heading and whole text are redacted as text of their file', () => {
    const paths: (string | undefined)[] = [];
    const session: RedactionSession = {
      redact(text, context) {
        if (text === 'whole' || text === 'heading') paths.push(context?.path);
        return { text, findings: [], counts: {} };
      },
    };
    const raw = file('//d/a', [{ ...hunk(1, ['+a']), section: 'heading' }], { newText: 'whole' });
    redactChange(change([raw]), session, redactor.rules);
    expect(paths).toEqual(['//d/a', '//d/a']);
  });

  it('RED-10: a redaction that adds, removes or unmarks lines is refused', () => {
    const marked = { ...hunk(1, ['+a', '+b']), section: 'heading' };
    const raw = change([file('//d/a', [marked], { newText: 'whole\ntext' })]);
    for (const redact of [
      (text: string) => text.replace('\n+b', ''),
      (text: string) => `${text}\n`,
      (text: string) => text.replace('+a', '-a'),
      (text: string) => text.replace('Fix it', 'Fix\nit'),
      (text: string) => text.replace('whole\ntext', 'whole'),
      (text: string) => text.replace('heading', 'head\ning'),
    ]) {
      expect(() => redactChange(raw, sessionOf(redact), redactor.rules)).toThrow(
        expect.objectContaining({ code: 'REDACTION_BROKEN_LINES', category: 'policy' }),
      );
    }
    const twoLines = change([file('//d/a', [hunk(1, ['+a\n+b', '+c'])])]);
    expect(() => redactChange(twoLines, redactor.session(), redactor.rules)).toThrow(
      expect.objectContaining({ code: 'REDACTION_BROKEN_LINES' }),
    );
    const throwing: RedactionSession = {
      redact() {
        throw new RangeError('rule');
      },
    };
    expect(() => redactChange(raw, throwing, redactor.rules)).toThrow(RangeError);
  });

  it('ART-6: is plain JSON and reads back equal; anything else is refused without quoting it', () => {
    const line = fc
      .tuple(fc.constantFrom(' ', '+', '-'), fc.string({ unit: 'binary', maxLength: 12 }))
      .map(([mark, text]) => mark + text.replaceAll('\n', ''));
    fc.assert(
      fc.property(fc.array(fc.array(line, { maxLength: 5 }), { maxLength: 4 }), fc.string(), (hunks, description) => {
        const raw = change(
          [
            file(
              '//d/a.c',
              hunks.map((lines, at) => hunk(at * 10 + 1, lines)),
            ),
          ],
          { description },
        );
        const redacted = redactChange(raw, redactor.session(), redactor.rules);
        expect(readRedactedChange(JSON.parse(JSON.stringify(redacted)))).toEqual(redacted);
        expect(redacted.files[0]?.hunks.map(({ lines }) => lines)).toEqual(hunks);
      }),
      { numRuns: 60 },
    );
    const stored = JSON.parse(JSON.stringify(redactChange(change([]), redactor.session(), redactor.rules)));
    for (const broken of [null, [], {}, { ...stored, extra: SECRET }, { ...stored, files: [{ path: SECRET }] }]) {
      try {
        readRedactedChange(broken);
        expect.unreachable();
      } catch (error) {
        expect(error).toMatchObject({ code: 'REDACTED_CHANGE_INVALID', category: 'validation' });
        expect(JSON.stringify(error) + String(error)).not.toContain(SECRET);
      }
    }
    expect(() => readRedactedChange({ ...stored, format: 2 })).toThrow(
      expect.objectContaining({ code: 'STORED_FORMAT_UNKNOWN', category: 'validation' }),
    );
  });
});
