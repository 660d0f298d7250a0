import { isStandIn, isWordLike } from '../benign-values.js';
import { IDENTIFIER, isDigit, isIn, isSpace, WORD } from '../charset.js';
import { logicalLineAt } from '../logical-lines.js';
import type { Rule, Scan } from '../rule.js';

const TICKET_LENGTH = 32;
const PASSWORD = 'perforce-password';
const TICKET = 'perforce-ticket';
/** Spec files and logs print a ticket within this many lines of the login. */
const LINES_AFTER_LOGIN = 4;

/** Perforce tickets and passwords: ticket files, `p4 login -p` output, values piped into `p4 login`. `P4PASSWD=` is an assignment. */
export function perforceRules(): Rule[] {
  return [ticketLine, afterLogin, pipedPassword];
}

/** 32 upper-case hex digits and nothing after them that would make it longer. */
function ticketAt(text: string, at: number): boolean {
  for (let i = at; i < at + TICKET_LENGTH; i += 1) {
    const code = text.charCodeAt(i);
    if (!isDigit(code) && !(code >= 65 && code <= 70)) return false;
  }
  return !isIn(WORD, text.charCodeAt(at + TICKET_LENGTH));
}

/** `server:1666=user:TICKET`, the lines of a ticket file. */
const ticketLine: Rule = {
  triggers: ['0=', '1=', '2=', '3=', '4=', '5=', '6=', '7=', '8=', '9='],
  confirm(scan, start, end) {
    const { text } = scan;
    let port = start;
    while (start - port < 5 && isDigit(text.charCodeAt(port - 1))) port -= 1;
    if (text.charCodeAt(port - 1) !== 58) return;
    const colon = scan.runEnd(IDENTIFIER, end);
    if (colon === end || colon - end > 128 || text.charCodeAt(colon) !== 58) return;
    if (ticketAt(text, colon + 1)) scan.report(TICKET, colon + 1, colon + 1 + TICKET_LENGTH, 'high');
  },
};

/** A ticket alone on a line shortly after `p4 login`. */
const afterLogin: Rule = {
  triggers: ['p4 login', 'login -ap', 'login -p'],
  confirm(scan, _start, end) {
    const { text } = scan;
    let line = logicalLineAt(text, end, 160, false);
    for (let count = 0; count < LINES_AFTER_LOGIN && line.next > line.end; count += 1) {
      line = logicalLineAt(text, line.next, 80, true);
      let at = line.start;
      while (at < line.end && (isSpace(text.charCodeAt(at)) || text.charCodeAt(at) === 43 || text.charCodeAt(at) === 45)) at += 1;
      if (line.end - at >= TICKET_LENGTH && line.end - at <= TICKET_LENGTH + 2 && ticketAt(text, at))
        scan.report(TICKET, at, at + TICKET_LENGTH, 'high');
    }
  },
};

/** `echo value | p4 login`. */
const pipedPassword: Rule = {
  triggers: ['| p4 ', '|p4 '],
  confirm(scan, start, end) {
    const { text } = scan;
    if (!/^(?:-[a-zA-Z] ?\S{1,80} ){0,4}login/.test(text.slice(end, end + 240))) return;
    let stop = start;
    while (isSpace(text.charCodeAt(stop - 1))) stop -= 1;
    const command = Math.max(scan.quotes.lineStart(start), stop - 200);
    const echo = lastEcho(scan, command, stop);
    if (echo < 0) return;
    let from = echo;
    const quote = text.charCodeAt(from);
    if ((quote === 34 || quote === 39) && text.charCodeAt(stop - 1) === quote) {
      from += 1;
      stop -= 1;
    }
    const value = text.slice(from, stop);
    if (value.length >= 3 && !isStandIn(value) && !(isWordLike(value) && value.includes(' '))) scan.report(PASSWORD, from, stop, 'low');
  },
};

/** Start of what the last `echo` before the pipe prints, or -1. */
function lastEcho(scan: Scan, from: number, to: number): number {
  const command = scan.text.slice(from, to);
  const folded = command.toLowerCase();
  for (const word of ['echo ', 'printf ', 'write-output ']) {
    const at = folded.lastIndexOf(word);
    if (at < 0 || (at > 0 && isIn(WORD, command.charCodeAt(at - 1)))) continue;
    let value = at + word.length;
    if (command.startsWith('-n ', value)) value += 3;
    while (isSpace(command.charCodeAt(value))) value += 1;
    return from + value;
  }
  return -1;
}
