import { describe, expect, it } from 'vitest';
import { contextSample } from '../testing/support/context-sample.js';
import { createMarkerRedactor } from '../testing/support/marker-redactor.js';
import type { Change } from './change.js';
import { type ChangeContext, withholdContext } from './change-context.js';
import { redactChange } from './redact-change.js';
import { hiddenPathsOf, readRedactedChange } from './redacted-change.js';

const redactor = createMarkerRedactor();
const SECRET = ['secret', 'abcd1234'].join('-');
const of = [{ file: 0, hunks: [0] }];
const context: ChangeContext = {
  files: [
    { path: '//depot/game/src/loop.cpp', text: `// ${SECRET}\nvoid loop() {\n  Step("${SECRET}");\n}\n` },
    { path: `//depot/${SECRET}/b.cpp`, text: 'int b;\n' },
  ],
  pieces: [
    { file: 0, kind: 'user', name: 'Step', form: 'lines', startLine: 2, endLine: 3, of },
    { file: 1, kind: 'definition', name: SECRET, form: 'signature', startLine: 1, endLine: 1, of },
  ],
};
const redact = (change: Change) => redactChange(change, redactor.session(), redactor.rules);

describe('redacted context', () => {
  it('GRD-4: is redacted in the session of the change, text, name and path', () => {
    const change = { ...contextSample.change, description: `uses ${SECRET}`, context };
    const redacted = redact(change);
    expect(JSON.stringify(redacted)).not.toContain(SECRET);
    const mark = /\[REDACTED:marked#\d\]/.exec(redacted.description)?.[0] ?? '';
    expect(redacted.context).toEqual([
      {
        path: '//depot/game/src/loop.cpp',
        displayPath: null,
        kind: 'user',
        name: 'Step',
        form: 'lines',
        startLine: 2,
        text: `void loop() {\n  Step("${mark}");`,
        of,
      },
      {
        path: '//depot/@alias-3/b.cpp',
        displayPath: `//depot/${mark}/b.cpp`,
        kind: 'definition',
        name: mark,
        form: 'signature',
        startLine: 1,
        text: 'int b;',
        of,
      },
    ]);
    expect(redacted.redactions, 'a secret beside the change is none of the change').toEqual({ marked: 1 });
  });

  it('RED-1: a file is one text, so that a secret which begins outside the shown lines is seen', () => {
    const seen: string[] = [];
    redactChange(
      { ...contextSample.change, context },
      {
        redact(text) {
          seen.push(text);
          return { text, findings: [], counts: {} };
        },
      },
      redactor.rules,
    );
    expect(seen).toContain(context.files[0]?.text);
  });

  it('RED-10: is not used where redaction changed the lines of a file', () => {
    const session = { redact: (text: string) => ({ text: text.replace('{\n', '{'), findings: [], counts: {} }) };
    const change = { ...contextSample.change, context };
    expect(() => redactChange(change, session, redactor.rules)).toThrow(/changed the lines/);
  });

  it('R15: a hidden path leads back by its place after the files', () => {
    const [hidden, ...others] = hiddenPathsOf(redact({ ...contextSample.change, context }));
    expect(others).toEqual([]);
    expect(hidden).toMatchObject({ alias: '//depot/@alias-3/b.cpp', file: 2, side: 'path' });
  });

  it('ART-5: the stored form is read with context and without', () => {
    for (const change of [contextSample.change, { ...contextSample.change, context }]) {
      const redacted = redact(change);
      expect('context' in redacted).toBe('context' in change);
      expect(readRedactedChange(JSON.parse(JSON.stringify(redacted)))).toEqual(redacted);
    }
  });

  it('GRD-4: a withheld piece keeps its place and nothing else', () => {
    const { context: pieces = [] } = redact({ ...contextSample.change, context });
    const shown = withholdContext(pieces, (place) => place === 0);
    expect(shown[1]).toEqual(pieces[1]);
    expect(JSON.stringify(shown[0])).not.toMatch(/loop|Step|depot/);
    expect(shown[0]?.of).toEqual([]);
  });
});
