import { reportWord } from '../../grammar/commands/command-words.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { isStandIn, isWordLike } from '../../lexicon/benign-values.js';
import { isIn, isQuote, isSpace, WORD } from '../../lexicon/charset.js';

/**
 * Programs that read a password from their standard input: what must follow their name, and whether
 * `user:` stands before the password.
 */
const READERS: readonly (readonly [trigger: string, rest: RegExp, pair: boolean])[] = [
  ['p4 ', /^(?:-[a-zA-Z] ?\S{1,80} ){0,4}(?:login|passwd)/, false],
  ['sudo ', /^(?:-\w+ ){0,3}-S/, false],
  ['passwd ', /^(?:--stdin|-s |[a-z])/, false],
  ['chpasswd', /^/, true],
  ['docker login', /^.{0,120}--password-stdin/, false],
  ['podman login', /^.{0,120}--password-stdin/, false],
  ['helm registry login', /^.{0,120}--password-stdin/, false],
  ['gh auth login', /^/, false],
  ['kinit', /^/, false],
  ['vault login', /^/, false],
  ['cryptsetup ', /^/, false],
  ['gpg ', /^.{0,80}--passphrase-fd 0/, false],
  ['wrangler secret put ', /^/, false],
];

const LONGEST_COMMAND = 200;
/** What `printf` prints its argument by. */
const FORMAT = /^(["'])%s(?:\\n)?\1 /;

/** Passwords that a program reads from its standard input (RED-3): `echo value | p4 login`, `p4 login <<< value`. */
export function pipedValueRules(): Rule[] {
  return [piped, hereString];
}

const PRINTERS = ['echo ', 'printf ', 'write-output '];

interface Memory {
  printedAt: number;
}

const piped: Rule = {
  triggers: [...PRINTERS, ...READERS.flatMap(([trigger]) => [`| ${trigger}`, `|${trigger}`])],
  confirm(scan, start, end, trigger) {
    const { text } = scan;
    const memory = scan.memo(piped, (): Memory => ({ printedAt: -LONGEST_COMMAND }));
    if (PRINTERS.includes(trigger)) memory.printedAt = start;
    if (PRINTERS.includes(trigger)) return;
    const isPrinted = start - memory.printedAt <= LONGEST_COMMAND;
    if (!isPrinted && !isQuote(text.charCodeAt(start - 2)) && !isQuote(text.charCodeAt(start - 1))) return;
    const program = trigger.replace(/^\| ?/, '');
    const reader = READERS.find(([name]) => name === program);
    if (reader === undefined || !reader[1].test(text.slice(end, end + 240))) return;
    let stop = start;
    while (isSpace(text.charCodeAt(stop - 1))) stop -= 1;
    const command = Math.max(scan.lines.startOf(start), stop - LONGEST_COMMAND);
    let from = startOfEchoed(scan, command, stop);
    if (from < 0) from = startOfLiteral(text, command, stop);
    if (from < 0) return;
    const quote = text.charCodeAt(from);
    if ((quote === 34 || quote === 39) && text.charCodeAt(stop - 1) === quote) {
      from += 1;
      stop -= 1;
    }
    if (reader[2]) from += text.slice(from, stop).indexOf(':') + 1;
    const value = text.slice(from, stop);
    if (value.length < 3 || isStandIn(value) || (isWordLike(value) && value.includes(' '))) return;
    scan.report(program === 'p4 ' ? 'perforce-password' : 'command-line', from, stop, 'low');
  },
};

/** PowerShell prints a literal that stands alone: `'value' | p4 login`. */
function startOfLiteral(text: string, from: number, to: number): number {
  if (!isQuote(text.charCodeAt(to - 1))) return -1;
  const before = /(?:^|[({;=]\s{0,4})\s{0,40}(["'])[^"'\n]{3,128}\1$/.exec(text.slice(from, to));
  return before === null ? -1 : from + before.index + before[0].indexOf(before[1] as string);
}

/** Start of what the last `echo` before the pipe prints, or -1. */
function startOfEchoed(scan: Scan, from: number, to: number): number {
  const command = scan.text.slice(from, to);
  const folded = command.toLowerCase();
  for (const word of PRINTERS) {
    const at = folded.lastIndexOf(word);
    if (at < 0 || (at > 0 && isIn(WORD, command.charCodeAt(at - 1)))) continue;
    let value = at + word.length;
    const format = FORMAT.exec(command.slice(value));
    if (format !== null) value += format[0].length;
    if (command.startsWith('-n ', value) || command.startsWith('-e ', value)) value += 3;
    while (isSpace(command.charCodeAt(value))) value += 1;
    return from + value;
  }
  return -1;
}

const hereString: Rule = {
  triggers: ['<<<'],
  confirm(scan, start, end) {
    const { text, lines } = scan;
    if (!isSpace(text.charCodeAt(start - 1)) || text.charCodeAt(end) === 60) return;
    const command = text.slice(Math.max(lines.startOf(start), start - LONGEST_COMMAND), start);
    const isRead = READERS.some(([name, rest, pair]) => {
      const at = command.toLowerCase().lastIndexOf(name);
      return !pair && at >= 0 && rest.test(command.slice(at + name.length));
    });
    if (isRead) reportWord(scan, isSpace(text.charCodeAt(end)) ? end + 1 : end);
  },
};
