import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostileTexts, sampleReview } from '../../test/sample-review.js';
import { formatReview, type ReviewFormat, reviewFormats } from './format-review.js';

const root = '//depot/main';
const read = (format: ReviewFormat, texts?: readonly string[]) =>
  JSON.parse(formatReview(sampleReview(texts), format, { root }));
/** Everything but JSON, which is data: a viewer may take these for markup. */
const shown = reviewFormats.filter((format) => format !== 'json');

describe('formatReview', () => {
  it('GRD-2: every format has the resolved places and effective severities of the same findings', () => {
    const [run] = read('sarif').runs;
    expect(
      run.results.map(({ level, baselineState, locations, suppressions }: Record<string, unknown[]>) => [
        ...[level, baselineState, suppressions?.length ?? 0],
        locations?.[0],
      ]),
    ).toMatchObject([
      ...[
        ['error', 'new', 0, { physicalLocation: { region: { startLine: 12, endLine: 14 } } }],
        ['warning', 'new', 0, { physicalLocation: { artifactLocation: { uri: 'other/lib/b.c' } } }],
        ['error', 'new', 0, { physicalLocation: { artifactLocation: { uri: 'change' } } }],
        ['note', 'unchanged', 0, {}],
        ['note', 'absent', 0, {}],
        ['note', 'new', 1, {}],
      ],
    ]);
    expect(run.results[0].locations[0].physicalLocation.artifactLocation.uri).toBe('src/a%40b%20c.ts');
    const { diagnostics } = read('rdjson');
    const found = diagnostics.filter(({ code }: { code: { value: string } }) => code.value !== 'unread');
    expect(found.map(({ severity }: { severity: string }) => severity)).toEqual(['ERROR', 'WARNING', 'ERROR', 'INFO']);
    expect(found[0].location).toEqual({ path: 'src/a@b c.ts', range: { start: { line: 12 }, end: { line: 14 } } });
    const issues = read('gitlab').filter(({ check_name: name }: Record<string, string>) => name !== 'unread');
    expect(issues.map(({ severity }: { severity: string }) => severity)).toEqual([
      ...['blocker', 'major', 'critical', 'minor'],
    ]);
    expect(read('json').findings).toHaveLength(3);
  });

  it('GRD-6: fingerprints are the ids, which stay over versions, each once', () => {
    const prints = read('gitlab').map(({ fingerprint }: { fingerprint: string }) => fingerprint);
    expect(new Set(prints).size).toBe(prints.length);
    const [run] = read('sarif').runs;
    expect(run.results[0].partialFingerprints).toEqual({ 'criticizerFindingId/v1': '1'.padStart(16, '0') });
    expect(formatReview(sampleReview(), 'markdown')).toContain(
      'Since version 1: 3 new, 1 still open, 1 resolved, 0 not verifiable.',
    );
  });

  it.each(shown)('OUT-9: %s says what was not reviewed, and no list without findings reads as clean', (format) => {
    const empty = { ...sampleReview(), findings: [], earlier: [] };
    const inconclusive = { ...empty, state: { verdict: 'inconclusive', doubts: [] } } as const;
    const text = formatReview(inconclusive, format);
    expect(text).toContain('inconclusive');
    for (const part of ['binary', '1 of 4 hunks', 'hidden by suppressions', 'may not be read']) {
      expect(text.replaceAll('\\', '')).toContain(part);
    }
    expect(text).not.toContain('Not reviewed: deleted');
  });

  it('without an earlier review SARIF claims no baseline', () => {
    const [run] = JSON.parse(formatReview({ ...sampleReview(), history: null }, 'sarif')).runs;
    expect(run.results.every((result: object) => !('baselineState' in result))).toBe(true);
  });

  it.each(shown)('no text in %s acts as a mention, a link, an image, a tag or a placeholder', (format) => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...hostileTexts, 'a', '@x'), { minLength: 1, maxLength: 6 }), (texts) => {
        const made = formatReview(sampleReview(texts), format, { root });
        const text = format === 'markdown' ? made : JSON.stringify(JSON.parse(made)).replaceAll('src/a@b c.ts', '');
        expect(text).not.toMatch(/@[a-z]/i);
        expect(text.replace('"https://', '')).not.toMatch(/(?<!\\):\/\//);
        expect(text).not.toMatch(/(?<!\\)\](?=[(])/);
        expect(text).not.toMatch(/(?<!\\)<(?=[a-z!/])/i);
        expect(['\u202e', '\u0007'].filter((char) => text.includes(char))).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('Markdown fences code by more backticks than it has, and escapes text', () => {
    const excerpts = new Map([['1'.padStart(16, '0'), [{ line: 12, text: '````', isCited: true }]]]);
    const text = formatReview(sampleReview(['# *x*']), 'markdown', { root, excerpts });
    expect(text).toContain('\n`````\n> 12  ````\n`````\n');
    expect(text).toContain('### critical: \\# \\*x\\*\n\nsrc/a@\u200bb c\\.ts\\:12\\-14');
  });

  it('refuses an unknown format and a root that is none', () => {
    expect(() => formatReview(sampleReview(), 'xml' as never)).toThrow('formatReview: format: expected');
    expect(() => formatReview(sampleReview(), 'sarif', { root: '//depot/main/' })).toThrow(
      'without a slash at its end',
    );
  });
});
