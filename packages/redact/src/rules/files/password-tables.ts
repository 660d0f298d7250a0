import { endOfName, judgeName } from '../../grammar/assignments/judged-names.js';
import { logicalLineAt } from '../../grammar/logical-lines.js';
import { QUIET_KINDS } from '../../grammar/path-kind.js';
import { reachOf } from '../../grammar/reach.js';
import { reportPassword } from '../../grammar/report-password.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { isWordLike, mixesDigits } from '../../lexicon/benign-values.js';
import { isQuote, isSpace } from '../../lexicon/charset.js';
import type { KeyStrength } from '../../lexicon/key-names.js';
import { makeUpOf } from '../../lexicon/randomness.js';
import { reportListed } from './listed-values.js';

const LONGEST_ROW = 400;
const MOST_ROWS = 2_000;
const LONGEST_NAME = 40;
/** Between small letters, capitals and digits: types and algorithms, which tables tell of too, have fewer. */
const FEWEST_CHANGES = 4;
/** Between the head of a table and its rows in Markdown. */
const RULER = /^[\s|:+-]+$/;
/** Names with one separator between them: an export. */
const EXPORT_HEAD =
  /^\ufeff?(?:"[^"]{0,40}"|[\p{L}\w .()-]{0,40})(?:([,;\t])(?:"[^"]{0,40}"|[\p{L}\w .()-]{0,40})){1,40}$/u;
const WIKI_HEAD = /^[-+ ]?[ \t]{0,24}\|\|/;
const TABLE_ROW = /^[-+ ]?[ \t]{0,24}\|/;

/**
 * Secrets in the column that a table's head says holds them (RED-3): Markdown, Gherkin, exports
 * with commas, semicolons or tabs.
 */
export function passwordTableRules(): Rule[] {
  return [column];
}

/** Where a cell may end behind its name. */
const endsCell = (text: string, at: number): boolean => at >= text.length || ',;\t|"*`\r\n'.includes(text.charAt(at));

const column: Rule = {
  triggers: ['pass', 'pwd', 'secret', 'token', 'key', 'psk', 'kennwort', 'contrase', 'senha', 'clave'],
  skipKinds: ['source', ...QUIET_KINDS],
  confirm(scan, start, end) {
    const { text } = scan;
    const next = text.charCodeAt(end);
    // An assignment, the common case.
    if (next === 61 || next === 58 || next === 40) return;
    let after = endOfName(scan, end);
    while (isSpace(text.charCodeAt(after)) && text.charCodeAt(after) !== 9 && after - end < LONGEST_NAME) after += 1;
    const reach = reachOf(scan, column);
    if (!endsCell(text, after) || start < reach.end) return;
    const lineStart = scan.lines.startOf(start);
    if (start - lineStart > LONGEST_ROW) return;
    const head = logicalLineAt(text, lineStart, LONGEST_ROW, true);
    reach.end = head.end;
    const separator = separatorOf(text.slice(head.start, head.end));
    if (separator === undefined) return;
    if (isRow(text, lineStart, separator)) {
      reportNext(scan, cellsOf(text, head.start, head.end, separator), start);
      return;
    }
    const cells = cellsOf(text, head.start, head.end, separator);
    // Wikis of Atlassian's have two bars between the cells of a head: every other cell is empty.
    const names = WIKI_HEAD.test(text.slice(head.start, head.end))
      ? cells.filter((_, index) => index % 2 === 0)
      : cells;
    const columns = names.map(([from, to]) => strengthOf(text.slice(from, to)));
    if (columns.some((strength) => strength !== 'none')) reach.end = readRows(scan, head.next, separator, columns);
  },
};

/** True for a line below one with the same separator: a row. */
function isRow(text: string, lineStart: number, separator: string): boolean {
  const above = text.slice(Math.max(0, lineStart - LONGEST_ROW), Math.max(0, lineStart - 1));
  return above.includes(separator, above.lastIndexOf('\n') + 1);
}

/** `| API key | v |`, `7;smtp_password;v;ann`: a row of settings has a name in one cell and its value in the next. */
function reportNext(scan: Scan, cells: readonly (readonly [number, number])[], at: number): void {
  const index = cells.findIndex(([start, end]) => start <= at && at < end);
  const [name, value] = [cells[index], cells[index + 1]];
  if (name === undefined || value === undefined) return;
  const strength = strengthOf(scan.text.slice(...name));
  if (strength === 'none' || (strength === 'password' && makeUpOf(scan.text, ...value).changes < FEWEST_CHANGES))
    return;
  reportListed(scan, ...value, strength);
}

function separatorOf(head: string): string | undefined {
  return TABLE_ROW.test(head) ? '|' : EXPORT_HEAD.exec(head)?.[1];
}

/** What the name of a column says; a key or a token and nothing else may be any. */
function strengthOf(cell: string): KeyStrength {
  if (cell.length > LONGEST_NAME) return 'none';
  const { strength } = judgeName(cell);
  return strength === 'weak' || strength === 'vendor' ? 'none' : strength;
}

/** Reads lines of as many cells as the head has; gives the end of the last. */
function readRows(scan: Scan, from: number, separator: string, columns: readonly KeyStrength[]): number {
  const { text } = scan;
  let reached = from;
  for (let rows = 0; rows < MOST_ROWS && reached < text.length; rows += 1) {
    const line = logicalLineAt(text, reached, LONGEST_ROW, true);
    const isRuler = separator === '|' && RULER.test(text.slice(line.start, line.end));
    const cells = isRuler ? [] : cellsOf(text, line.start, line.end, separator);
    if (!isRuler && cells.length !== columns.length) return reached;
    cells.forEach(([start, end], index) => {
      reportCell(scan, start, end, columns[index] as KeyStrength);
    });
    if (line.next === line.end) return line.end;
    reached = line.next;
  }
  return reached;
}

/** White space, quotes and what Markdown sets off a cell with. */
const isDecoration = (code: number): boolean => code <= 32 || code === 42 || isQuote(code);

/**
 * Start and end of what stands in each cell, its quotes and decoration aside. A separator in quotes
 * separates nothing.
 */
function cellsOf(text: string, from: number, to: number, separator: string): [start: number, end: number][] {
  const cells: [number, number][] = [];
  const code = separator.charCodeAt(0);
  let start = from;
  let quoted = false;
  for (let at = from; at <= to; at += 1) {
    if (at < to && text.charCodeAt(at) === 34 && code !== 124) quoted = !quoted;
    if (at < to && (quoted || text.charCodeAt(at) !== code)) continue;
    let end = at;
    while (start < end && isDecoration(text.charCodeAt(start))) start += 1;
    while (end > start && isDecoration(text.charCodeAt(end - 1))) end -= 1;
    cells.push([start, end]);
    start = at + 1;
  }
  return cells;
}

/** A password has a digit and is no word; a key is what chance made. */
function reportCell(scan: Scan, start: number, end: number, strength: KeyStrength): void {
  if (strength === 'none') return;
  if (strength !== 'password') {
    reportListed(scan, start, end, strength);
    return;
  }
  const value = scan.text.slice(start, end);
  if (/^(?!\(?v?\d+\.\d)\S{6,128}$/.test(value) && mixesDigits(value) && !isWordLike(value))
    reportPassword(scan, start, value);
}
