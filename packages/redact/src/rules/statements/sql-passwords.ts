import { isSecretValue, type ValueContext } from '../../grammar/assignments/assigned-values.js';
import { judgeName } from '../../grammar/assignments/judged-names.js';
import { logicalLineAt } from '../../grammar/logical-lines.js';
import { quotedValueAt } from '../../grammar/quoted-values.js';
import { reachOf } from '../../grammar/reach.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { mixesDigits } from '../../lexicon/benign-values.js';
import { BARE_VALUE } from '../../lexicon/charset.js';

const LONGEST = 512;
const CONTEXT: ValueContext = { quoted: true, loose: false, config: true, generated: false };
const CLAUSE =
  /(?:by|with[ \t]{1,4}[\w"'`]{1,40}[ \t]{1,4}(?:by|as))[ \t]{1,4}(?:password[ \t]{1,4}|values[ \t]{1,4})?/iy;

/** What is identified so in a statement; prose has other subjects. */
const ACCOUNT = /\b(?:user|role|login)\b/i;

/**
 * Passwords of SQL accounts (RED-3): `IDENTIFIED BY 'v'`, `IDENTIFIED WITH plugin BY 'v'`.
 * `PASSWORD 'v'` is an assignment.
 */
export function sqlPasswordRules(): Rule[] {
  return [identifiedBy, inserted, copied];
}

const identifiedBy: Rule = {
  triggers: ['identified '],
  confirm(scan, start, end) {
    const { text } = scan;
    CLAUSE.lastIndex = end;
    if (!CLAUSE.test(text)) return;
    const at = CLAUSE.lastIndex;
    if (!(text.startsWith('IDENTIFIED', start) || ACCOUNT.test(text.slice(Math.max(0, start - 120), start)))) return;
    const quote = text.charCodeAt(at);
    const literal = quote === 96 ? undefined : quotedValueAt(text, at);
    const from = literal?.start ?? at;
    const stop = literal?.end ?? scan.runEnd(BARE_VALUE, at);
    if (stop - from >= LONGEST) return;
    // Comments in code quote names so: without single quotes a digit must tell the password from them.
    const certain = literal !== undefined && (quote === 39 || scan.kind !== 'source');
    if (!certain && !(mixesDigits(text, from, stop) && /["';\\\s]/.test(text.charAt(stop)))) return;
    if (isSecretValue(text.slice(from, stop), 'password', CONTEXT)) scan.report('password', from, stop, 'low');
  },
};

/** A table, its columns, and the bracket of the first row. */
const COLUMNS = /^[\w.`"[\]]{1,80}\s{0,4}\(([^()]{1,400})\)\s{0,8}values\s{0,8}\(/i;
/** One value of a row, up to the comma or bracket behind it; a value in a call of one argument: `MD5('v')`. */
const CELL = /\s{0,8}(?:N?'((?:[^'\\\n]|''|\\[^\n]){0,300})'|[\w.+:-]{0,60})\s{0,4}([,)])/y;
const CALLED_CELL = /\s{0,8}[\w.]{1,24}\([ \t]{0,4}N?'((?:[^'\\\n]|''|\\[^\n]){0,300})'[ \t]{0,4}\)\s{0,4}([,)])/y;
const NEXT_ROW = /\s{0,4},\s{0,8}\(/y;
const MOST_ROWS = 50;
const MOST_COLUMNS = 40;

/** `INSERT INTO users (login, password) VALUES ('ann', 'v'), (…)`: what stands in the column of that name. */
const inserted: Rule = {
  triggers: ['insert into '],
  confirm(scan, start, end) {
    const { text } = scan;
    const reach = reachOf(scan, inserted);
    if (start < reach.end) return;
    const head = COLUMNS.exec(text.slice(end, end + 520));
    if (head === null) return;
    const index = passwordAmong((head[1] as string).split(','));
    if (index < 0 || index > MOST_COLUMNS) return;
    let at = end + head[0].length;
    for (let row = 0; row < MOST_ROWS && at > 0; row += 1) {
      at = readRow(scan, at, index);
      reach.end = Math.max(reach.end, at);
      NEXT_ROW.lastIndex = at;
      if (at <= 0 || !NEXT_ROW.test(text)) return;
      at = NEXT_ROW.lastIndex;
    }
  },
};

/** Which of some columns holds the password, -1 for none. */
function passwordAmong(columns: readonly string[]): number {
  return columns.findIndex((name) => judgeName(name.replace(/[^\w]/g, '')).strength === 'password');
}

/** Reports the value at a place in a row; gives the end of the row, or -1 where it cannot be read. */
function readRow(scan: Scan, from: number, index: number): number {
  let at = from;
  for (let column = 0; column < MOST_COLUMNS; column += 1) {
    const cell = cellAt(CELL, scan.text, at) ?? cellAt(CALLED_CELL, scan.text, at);
    if (cell === null) return -1;
    const value = cell[1];
    if (column === index && value !== undefined && isSecretValue(value, 'password', CONTEXT)) {
      const start = at + cell[0].indexOf("'") + 1;
      scan.report('password', start, start + value.length, 'low');
    }
    at += cell[0].length;
    if (cell[2] === ')') return at;
  }
  return -1;
}

const COPIED_COLUMNS = /copy [\w."]{1,80} {0,2}\(([^()]{1,400})\) $/i;
const MOST_COPIED = 2_000;
const LONGEST_ROW = 4096;

/** `COPY users (login, password) FROM stdin;` and, on the lines below, a tab between two values. */
const copied: Rule = {
  triggers: ['from stdin;'],
  confirm(scan, start, end) {
    const { text } = scan;
    const columns = COPIED_COLUMNS.exec(text.slice(Math.max(0, start - 500), start))?.[1];
    if (columns === undefined) return;
    const names = columns.split(',');
    const index = passwordAmong(names);
    if (index < 0) return;
    let line = logicalLineAt(text, end, LONGEST_ROW, true);
    for (let row = 0; row < MOST_COPIED && line.next > line.end; row += 1) {
      line = logicalLineAt(text, line.next, LONGEST_ROW, true);
      const cells = text.slice(line.start, line.end).split('\t');
      if (cells.length !== names.length) return;
      const value = cells[index] as string;
      const from = line.start + cells.slice(0, index).reduce((sum, cell) => sum + cell.length + 1, 0);
      if (value !== '\\N' && isSecretValue(value, 'password', CONTEXT))
        scan.report('password', from, from + value.length, 'low');
    }
  },
};

function cellAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
