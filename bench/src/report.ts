import { versionOf } from './machine.ts';
import type { Configured, Outcome, Row, Target } from './measurement.ts';
import { median } from './statistics.ts';

export interface Section extends Outcome {
  name: string;
  title: string;
}

/** Three significant digits, whole from 100 on. */
export function figure(value: number): string {
  if (value === 0) return '0';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(3);
}

function columns(lines: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const line of lines) for (const [i, cell] of line.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return lines.map((line) =>
    line
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function rowLine(row: Row): string[] {
  if (row.failed !== undefined) return [row.contender, row.metric, 'FAILED', row.failed.split('\n')[0] as string];
  const shown = row.rounds.length > 1 ? row.rounds.map(figure).join(' · ') : '';
  return [row.contender, row.metric, `${figure(median(row.rounds))} ${row.unit}`, shown];
}

function targetLine({ id, says, value, target, better, pass }: Target): string[] {
  const mark = pass === null ? '-' : pass ? 'ok' : 'MISS';
  return [
    mark,
    id,
    value === null ? 'not measured' : figure(value),
    `${better === 'higher' ? '>=' : '<='} ${target}`,
    says,
  ];
}

const contenderLine = ({ name, library, settings }: Configured): string[] => [
  name,
  library === undefined ? '' : `${library}@${versionOf(library)}`,
  JSON.stringify(settings).replaceAll('"', ''),
];

export function sectionText({ title, rows, contenders, notes = [] }: Section): string {
  const lines = [
    ...columns(rows.map(rowLine)),
    ...notes,
    ...(contenders.length > 0 ? ['settings:'] : []),
    ...columns(contenders.map(contenderLine)),
  ];
  return [`\n${title}`, ...lines.map((line) => `  ${line}`)].join('\n');
}

export function targetsText(targets: readonly Target[]): string {
  const count = (pass: boolean | null): number => targets.filter((one) => one.pass === pass).length;
  const lines = columns(targets.map(targetLine)).map((line) => `  ${line}`);
  return ['\nTargets', ...lines, `${count(true)} met, ${count(false)} missed, ${count(null)} not measured`].join('\n');
}

/** What `--json` writes of a section: the rows with their medians. */
export const sectionJson = ({ name, title, rows, contenders, notes = [] }: Section) => ({
  name,
  title,
  contenders: contenders.map(({ name, library, settings }) => ({ name, library: library ?? null, settings })),
  rows: rows.map((row) => ({
    ...row,
    median: row.failed === undefined && row.rounds.length > 0 ? median(row.rounds) : null,
  })),
  notes,
});
