import type { BenchRow } from './run-bench.js';

const percent = (value: number | null): string => (value === null ? '–' : (100 * value).toFixed(1));
const number = (value: number | null, digits = 2): string => (value === null ? '–' : value.toFixed(digits));

const columns: readonly (readonly [title: string, cell: (row: BenchRow) => string])[] = [
  ['reviewer', ({ reviewer }) => reviewer],
  ['context', ({ level }) => level],
  ['precision %', ({ score }) => percent(score.precision)],
  ['recall %', ({ score }) => percent(score.recall)],
  ['in file %', ({ score }) => percent(score.recallInFile)],
  ['across files %', ({ score }) => percent(score.recallCrossFile)],
  ['F1 %', ({ score }) => percent(score.f1)],
  ['place %', ({ score }) => percent(score.place)],
  ['noise a change', ({ score }) => number(score.noise)],
  ['failed', ({ failed }) => String(failed)],
  ['tokens in', ({ tokens }) => (tokens === null ? '–' : String(tokens.input))],
  ['tokens out', ({ tokens }) => (tokens === null ? '–' : String(tokens.output))],
  ['cost', ({ cost }) => number(cost)],
  ['s', ({ seconds }) => number(seconds, 1)],
];

/** A Markdown table, a row for each reviewer and level. */
export function renderTable(rows: readonly BenchRow[]): string {
  const cells = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, cell]) => cell(row)))];
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = cells;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body.map(line)].join('\n');
}

const ratio = (part: number, whole: number): string =>
  `${part} of ${whole} (${percent(whole === 0 ? null : part / whole)} %)`;

/** How many defects the prompts showed with their evidence, and which they did not. Empty where none were recorded. */
export function renderEvidence({ reviewer, level, evidence }: BenchRow, { names = true } = {}): string {
  if (evidence === null) return '';
  const { inFile, crossFile, missing } = evidence;
  const lines = [
    `Evidence in the prompts of ${reviewer}, context ${level}:`,
    `  in file:      ${ratio(inFile.inPrompt, inFile.defects)}, in hunks alone ${ratio(inFile.inHunks, inFile.defects)}`,
    `  across files: ${ratio(crossFile.inPrompt, crossFile.defects)}, in hunks alone ${ratio(crossFile.inHunks, crossFile.defects)}`,
  ];
  const gaps = missing.map(
    ({ id, language, kind, evidence: lost }) =>
      `  missing ${id} ${language} ${kind}: ${lost.map(({ path, line }) => `${path}:${line}`).join(', ')}`,
  );
  return [...lines, ...(names ? gaps : [])].join('\n');
}
