import { isLocation, isStandIn, isWordLike, mixesDigits } from '../benign-values.js';
import { isSpace } from '../charset.js';
import { logicalLineAt } from '../logical-lines.js';
import type { Rule, Scan } from '../rule.js';
import { reachOf } from './reach.js';

const MOST_ROWS = 24;
const LONGEST_ROW = 400;
/** Between the head of a table and its rows in Markdown. */
const RULER = /^[\s|:-]+$/;

/** Passwords in the column that a table's head says holds them: Markdown, Gherkin. */
export function passwordTableRules(): Rule[] {
  return [column];
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
  if (!mixesDigits(value) || isWordLike(value) || isStandIn(value) || isLocation(value)) return;
  const start = bar + 1 + cell[0].indexOf(value);
  scan.report('password', start, start + value.length, 'low');
}
