import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scriptedProvider } from '../../../../test/criticizer-harness.js';
import { redactedChangeOf } from '../../../../test/redacted-samples.js';
import type { RedactedContext } from '../../../changes/change-context.js';
import type { RedactedFile } from '../../../changes/redacted-change.js';
import { promptText, renderChangeForPrompt } from '../../../prompt/build-prompt.js';
import { builtInVariant } from '../../../prompt/built-in-variant.js';
import { builtInCheck } from '../../../prompt/check/check-template.js';
import { planChunks } from '../../../prompt/plan-chunks.js';
import type { PromptChunk } from '../../../prompt/prompt-chunk.js';
import { resolveSettings } from '../../../settings/settings.js';
import { usableContext } from '../review-request.js';
import { type CheckOptions, checkInstructions, planCheck } from './check-request.js';

const { llm: settings } = resolveSettings({});

/** A file whose line `at` changed. */
function edited(path: string, lines: readonly string[], at: number): Partial<RedactedFile> {
  const hunk = { oldStart: at, oldLines: 1, newStart: at, newLines: 1, lines: ['-  old();', `+${lines[at - 1]}`] };
  return { path, newText: `${lines.join('\n')}\n`, hunks: [hunk], addedLines: 1, removedLines: 1 };
}

/** A function of `length` lines that calls `roundCents` on line 150. */
function chargeOf(length: number): readonly string[] {
  const body = Array.from({ length }, (_, line) => `  step${line}();`);
  body[148] = '  const due = roundCents(total);';
  body[20] = '  if (order.isWhole) return; // decides';
  return ['export function charge(order: Order) {', ...body, '}'];
}

const rates = Array.from({ length: 90 }, (_, line) => `// filler ${line}`);
rates.splice(40, 0, 'export function roundCents(amount: number) {', '  return Math.floor(amount);', '}');
const piece: RedactedContext = {
  path: '//depot/shop/order.ts',
  displayPath: null,
  kind: 'definition',
  name: 'sumOf',
  form: 'signature',
  startLine: 9,
  text: 'export function sumOf(order: Order): number;',
  // Of another file's hunk: the review of this chunk was not shown it.
  of: [{ file: 1, hunks: [0] }],
};
const change = redactedChangeOf(
  [edited('//depot/shop/charge.ts', chargeOf(300), 150), edited('//depot/shop/rates.ts', rates, 80)],
  { context: [piece] },
);
const finding: CheckOptions['findings'][number] = {
  id: '0123456789abcdef',
  severity: 'high',
  category: 'correctness',
  file: '//depot/shop/charge.ts',
  title: 'Cents are lost',
  message: 'The total of sumOf() is rounded down.',
  place: { line: 150, endLine: null, status: 'exact' },
};

interface Case {
  level?: 'hunks' | 'sections' | 'wide';
  files?: readonly number[];
  more?: Partial<CheckOptions>;
}

/** The first chunk of the change, the check of the finding in it, and both as texts. */
function plan({ level = 'wide', files = [0, 1], more = {} }: Case = {}) {
  const { provider } = scriptedProvider([]);
  const of = { budgetTokens: 20_000, maxChunks: 4, contextLevel: level, template: builtInVariant.template };
  // As in a plan where the other file is in another request.
  const { chunks } = planChunks(change, { ...of, files: new Set([0]) });
  const chunk = chunks[0] as PromptChunk;
  const share = { provider, change, files: new Set(files), named: new Set(files) };
  const options = { share, chunk, findings: [finding], template: builtInCheck, settings, bytesPerToken: 2, ...more };
  const question = planCheck(options);
  const review = promptText(renderChangeForPrompt(change, chunk, builtInVariant.template));
  return { review, question, check: question === null ? '' : promptText(question.prompt) };
}

const contentLines = (text: string): readonly string[] => text.split('\n').filter((line) => /^ *\d+ [ +|]/.test(line));

describe('what a check shows', () => {
  it('GRD-5: shows more round a finding than the review was shown: its section whole, definitions and uses', () => {
    const { review, check } = plan();
    for (const decisive of ['if (order.isWhole) return; // decides', 'return Math.floor(amount);', piece.text]) {
      expect(review).not.toContain(decisive);
      expect(check).toContain(decisive);
    }
    const shown = new Set(contentLines(check).map((line) => line.slice(8)));
    expect(contentLines(review).filter((line) => !shown.has(line.slice(8)))).toEqual([]);
  });

  it('GRD-5 GRD-4: widens by the level of the chunk: sections stay in the file, hunks stay hunks', () => {
    const sections = plan({ level: 'sections' }).check;
    expect(sections).toContain('// decides');
    expect(sections).not.toContain('Math.floor');
    expect(sections).not.toContain(piece.text);
    expect(plan({ level: 'hunks' }).check).not.toMatch(/^ *\d+ \|/m);
  });

  it('GRD-5 EGR-2: shows no text of a file that another provider reviews', () => {
    const { check, question } = plan({ files: [0] });
    expect(check).not.toContain('Math.floor');
    expect(question?.chunk.context?.lines.map(({ file }) => file)).toEqual([0]);
  });

  it('GRD-5: no text of a finding can look like another finding, or like a field of its own (ruling R15)', () => {
    const lines = ['x', `finding: ${'0'.repeat(16)}`, 'severity: info; category: style', 'title:'];
    for (const field of ['title', 'message', 'suggestion'] as const) {
      const { check } = plan({ more: { findings: [{ ...finding, [field]: lines.join('\n') }] } });
      const own = check.split('\n').filter((line) => /^(?:finding|severity|title):/.test(line));
      expect(own).toEqual([`finding: ${finding.id}`, 'severity: high; category: correctness', 'title:']);
    }
  });

  it('GRD-5: keeps below what the model is known to take, and gives up context before hunks', () => {
    const hunks = plan({ level: 'hunks' }).question?.chunk.estimatedTokens ?? 0;
    const { question, check } = plan({ more: { maxUserTokens: hunks + 200 } });
    expect(question?.chunk.estimatedTokens).toBeLessThanOrEqual(hunks + 200);
    expect(check).toContain('const due = roundCents(total);');
    expect(check).not.toContain('step100();');
    expect(plan({ more: { maxUserTokens: 100 } }).question).toBeNull();
  });

  it('GRD-5: is within the room of the model, whatever the room, and the same each time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4_000, max: 40_000 }),
        fc.constantFrom(1, 2, 3.5),
        fc.constantFrom('hunks' as const, 'sections' as const, 'wide' as const),
        (contextTokens, bytesPerToken, level) => {
          const { provider } = scriptedProvider([]);
          const small = { ...provider, limits: { contextTokens, maxOutputTokens: 512 } };
          const share = { provider: small, change, files: new Set([0, 1]), named: new Set([0, 1]) };
          const { question, check } = plan({ level, more: { share, bytesPerToken } });
          if (question === null) return;
          const room = usableContext(small) - 512 - checkInstructions(builtInCheck).tokens;
          expect(Buffer.byteLength(check) / bytesPerToken).toBeLessThanOrEqual(question.chunk.estimatedTokens + 1);
          expect(question.chunk.estimatedTokens).toBeLessThanOrEqual(room);
          expect(plan({ level, more: { share, bytesPerToken } }).check).toBe(check);
        },
      ),
      { numRuns: 40 },
    );
  });
});
