import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseReview } from '../review/read/parse-review.js';
import { builtInVariant } from './built-in-variant.js';
import { renderRepairNote } from './repair-note.js';

const versions = { schema_version: builtInVariant.schemaVersion, prompt_version: builtInVariant.promptVersion };
const noteFor = (text: string): string =>
  renderRepairNote(
    parseReview({
      text,
      stop: 'complete',
      expected: builtInVariant,
      changedFiles: [{ path: '//depot/a.c', hunks: [] }],
      diagnostics: { redact: (value) => value },
    }).diagnostics,
    builtInVariant,
  );

describe('renderRepairNote', () => {
  it.each([
    ['prose', 'Fine.', '- the whole: invalid_json. Answer with exactly one JSON object'],
    ['no findings key', JSON.stringify(versions), '- findings: missing_required_field. It is required.'],
    [
      'another version',
      JSON.stringify({ ...versions, prompt_version: '9.9', findings: [] }),
      `incompatible_version. Write "schema_version"`,
    ],
    ['no object', '[1]', '- the whole: '],
  ])('R8: names the fault of %s', (_what, text, expected) => {
    expect(noteFor(text)).toContain(expected);
  });

  it('names twenty findings of one fault, and counts the rest', () => {
    const findings = Array.from({ length: 25 }, () => ({ id: 'f' }));
    const note = noteFor(JSON.stringify({ ...versions, findings }));
    expect(note).toMatch(/- severity: missing_required_field, in findings 0, 1, .* 19 and 5 more \(counted from 0\)/);
    expect(note.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(1);
  });

  it('R15: holds no text of any reply, whatever its keys and values are', () => {
    const word = fc.stringMatching(/^zq[a-z]{6,12}$/);
    const value = fc.oneof(word, fc.integer(), fc.constant(null));
    const anyFinding = fc
      .tuple(
        fc.dictionary(word, value),
        fc.dictionary(fc.constantFrom('id', 'severity', 'category', 'file', 'line', 'title'), value),
      )
      .map(([own, known]) => ({ ...own, ...known }));
    fc.assert(
      fc.property(
        fc.array(anyFinding, { minLength: 1, maxLength: 5 }),
        fc.dictionary(word, value),
        (findings, more) => {
          expect(noteFor(JSON.stringify({ ...versions, findings, ...more }))).not.toContain('zq');
        },
      ),
    );
  });
});
