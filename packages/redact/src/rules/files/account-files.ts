import type { AccountLayout } from '../../grammar/account-layout.js';
import { reportPassword } from '../../grammar/report-password.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { isWordLike, mixesDigits } from '../../lexicon/benign-values.js';

/** Longer lines are no accounts. */
const LONGEST_LINE = 400;
const MOST_LINES = 10_000;

/** A line by its layout: the last group that took part is the password. */
const LINES: Readonly<Partial<Record<AccountLayout, RegExp>>> = {
  'third-column':
    /^(?:"[^"]{1,120}"|[^\s"#]\S{0,200})[ \t]{1,40}(?:"[^"]{1,120}"|[^\s"]\S{0,120})[ \t]{1,40}(?:"([^"]{3,200})"|([^\s"]\S{2,128}))/,
  addressed: /^https?:\/\/\S{3,200}[ \t]{1,40}[^\s"]{1,80}[ \t]{1,40}(?:"([^"]{3,200})"|([^\s"]\S{2,128}))/,
  relay: /^[^\s#]\S{0,120}[ \t]{1,40}[^\s:]{1,80}:(\S{3,128})$/,
  'between-colons': /^[^\s:#]{1,120}:[^\s:]{1,80}:(\S{3,128})$/,
  'quoted-pair': /^"[^"]{1,80}"[ \t]{1,40}"([^"]{3,200})"/,
  realm: /^[^\s:=#]{1,80}[ \t]{0,8}[:=][ \t]{0,8}([^\s,]{3,200})(?:,|$)/,
};

/** Passwords in files whose name tells the layout of their lines (RED-3): no word names them. */
export function accountFileRules(): Rule[] {
  return [accounts];
}

const accounts: Rule = {
  triggers: [],
  confirm() {},
  confirmText(scan) {
    const { layout } = scan;
    if (layout === undefined) return;
    const pattern = LINES[layout];
    if (pattern !== undefined) reportLines(scan, pattern);
    else reportOnly(scan, layout === 'two-lines' ? 2 : 1);
  },
};

function reportLines(scan: Scan, pattern: RegExp): void {
  for (const [start, end] of linesOf(scan)) {
    const line = scan.text.slice(start, end);
    const found = pattern.exec(line);
    const value = found?.[2] ?? found?.[1];
    if (found === null || value === undefined) continue;
    reportPassword(scan, start + line.lastIndexOf(value, found[0].length - 1), value);
  }
}

/** No assignment, no element and no call: those have a name of their own for it. */
const SECRET_ALONE = /^(?!\w[\w.-]{1,40}[=:])[\w.+/!?@#$%^&*=:;,~-]{6,200}$/;

/** A file of so many words, one a line, of which the last is the secret: generated, or as people make them. */
function reportOnly(scan: Scan, count: number): void {
  const words: [start: number, value: string][] = [];
  for (const [start, end] of linesOf(scan)) {
    const value = scan.text.slice(start, end).trimEnd();
    if (value === '') continue;
    if (words.length === count || !/^\S{2,200}$/.test(value)) return;
    words.push([start, value]);
  }
  const last = words[count - 1];
  if (last === undefined || !SECRET_ALONE.test(last[1]) || !mixesDigits(last[1]) || isWordLike(last[1])) return;
  reportPassword(scan, ...last);
}

/** Start, past the mark of a diff and the indentation, and end of each line. */
function* linesOf({ text, diff }: Scan): Generator<[start: number, end: number]> {
  let from = 0;
  for (let count = 0; count < MOST_LINES && from < text.length; count += 1) {
    const next = text.indexOf('\n', from);
    const stop = next < 0 ? text.length : next;
    const end = text.charCodeAt(stop - 1) === 13 ? stop - 1 : stop;
    let start = from;
    if (diff === true && start < end && '+- '.includes(text.charAt(start))) start += 1;
    while (start < end && (text.charCodeAt(start) === 32 || text.charCodeAt(start) === 9)) start += 1;
    if (end > start && end - start <= LONGEST_LINE) yield [start, end];
    from = stop + 1;
  }
}
