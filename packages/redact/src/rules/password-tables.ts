import { isWordLike, mixesDigits } from '../benign-values.js';
import { isSpace } from '../charset.js';
import { logicalLineAt } from '../logical-lines.js';
import type { Rule, Scan } from '../rule.js';
import { reachOf } from './reach.js';
import { reportPassword } from './report-password.js';

const MOST_ROWS = 24;
const LONGEST_ROW = 400;
/** Between the head of a table and its rows in Markdown. */
const RULER = /^[\s|:-]+$/;

/** Passwords in the column that a table's head says holds them: Markdown, Gherkin. */
export function passwordTableRules(): Rule[] {
  return [column, field];
}

const column: Rule = {
  triggers: ['| password ', '|password|', '| passwd ', '| pwd ', '| pass '],
  confirm(scan, start, end, trigger) {
    const { text } = scan;
    const reach = reachOf(scan, column);
    if (start < reach.end || scan.kind === 'source') return;
    let bar = trigger.endsWith('|') ? end - 1 : end;
    while (isSpace(text.charCodeAt(bar)) && bar - end < 40) bar += 1;
    if (text.charCodeAt(bar) !== 124) return;
    const head = scan.lines.startOf(start);
    if (start - head > LONGEST_ROW) return;
    const index = barsIn(text, head, start);
    let line = logicalLineAt(text, head, LONGEST_ROW, true);
    for (let rows = 0; rows < MOST_ROWS && line.next > line.end; rows += 1) {
      line = logicalLineAt(text, line.next, LONGEST_ROW, true);
      reach.end = line.end;
      if (!/^[-+ ]?[ \t]{0,24}\|/.test(text.slice(line.start, line.end))) return;
      if (!RULER.test(text.slice(line.start, line.end))) reportCell(scan, line.start, line.end, index);
    }
  },
};

/** Columns of exports: a head of names with one separator between them. */
const HEAD = /^\ufeff?[\w .()-]{0,40}(?:([,;\t])[\w .()-]{0,40}){1,20}$/;
const MOST_RECORDS = 2_000;

/** Passwords in exports of accounts: `name,url,username,password`, and a line for each. */
const field: Rule = {
  triggers: [',password', ';password', '\tpassword'],
  confirm(scan, start, end) {
    const { text } = scan;
    const reach = reachOf(scan, field);
    if (start < reach.end || scan.kind === 'source' || !',;\t\r\n'.includes(text.charAt(end) || '\n')) return;
    const from = scan.lines.startOf(start);
    let line = logicalLineAt(text, from, LONGEST_ROW, true);
    const names = text.slice(line.start, line.end);
    const separator = HEAD.exec(names)?.[1];
    if (separator === undefined || separator !== text.charAt(start)) return;
    const index = text.slice(line.start, start + 1).split(separator).length - 1;
    const count = names.split(separator).length;
    for (let rows = 0; rows < MOST_RECORDS && line.next > line.end; rows += 1) {
      line = logicalLineAt(text, line.next, LONGEST_ROW, true);
      const cells = text.slice(line.start, line.end).split(separator);
      if (cells.length !== count) return;
      reach.end = line.end;
      const before = cells.slice(0, index).reduce((sum, cell) => sum + cell.length + 1, 0);
      reportValue(scan, line.start + before, cells[index] as string);
    }
  },
};

/** Reports a cell without quotes, when it has a digit and is no word. */
function reportValue(scan: Scan, start: number, cell: string): void {
  const quoted = /^"[^"]*"$/.test(cell) ? 1 : 0;
  const value = quoted === 0 ? cell : cell.slice(1, -1);
  if (!/^\S{6,128}$/.test(value) || !mixesDigits(value) || isWordLike(value)) return;
  reportPassword(scan, start + quoted, value);
}

function barsIn(text: string, from: number, to: number): number {
  let bars = 0;
  for (let at = from; at < to; at += 1) if (text.charCodeAt(at) === 124) bars += 1;
  return bars;
}

/** Reports what stands behind as many bars as stand before the column's own, when it has a digit and is no word. */
function reportCell(scan: Scan, from: number, to: number, index: number): void {
  const { text } = scan;
  let bar = from - 1;
  for (let count = 0; count <= index; count += 1) {
    bar = text.indexOf('|', bar + 1);
    if (bar < 0 || bar >= to) return;
  }
  const cell = /^[ \t]{0,40}([`"']?)([^\s|`"']{6,128})\1[ \t]{0,40}\|/.exec(text.slice(bar + 1, to));
  if (cell === null) return;
  const value = cell[2] as string;
  reportValue(scan, bar + 1 + cell[0].indexOf(value), value);
}
