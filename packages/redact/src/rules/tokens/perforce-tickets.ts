import { logicalLineAt } from '../../grammar/logical-lines.js';
import type { Rule } from '../../grammar/rule.js';
import { isDigit, isIn, isSpace, WORD } from '../../lexicon/charset.js';

const TICKET_LENGTH = 32;
const TICKET = 'perforce-ticket';
/** Spec files and logs print a ticket within this many lines of the login. */
const LINES_AFTER_LOGIN = 4;
const REACH = 100;
const LONGEST_RECORD = 600;

/** `server:1666=user:`, `localhost:ServerID=user:`, before a ticket in a ticket file. */
const IN_TICKET_FILE = /[\w.\]-]:[\w.-]{1,80}=[\w.@-]{1,80}:$/;
/** `"ticket": "`, `setAuthTicket("`, and `-P`, as a command and as a list of arguments have it. */
const SAID_TO_BE_ONE =
  /ticket\w{0,12}["'`]?\]?\s{0,4}(?:=>|[:=(,])\s{0,4}["'`]?$|(?:^|[\s"'(,])-P["']?(?:,\s{0,4}|\s{1,4})["']?$/i;
/** A record of a checkpoint or a journal about a user, with the digest of the password, or about a ticket. */
const RECORD = /^[-+ ]?@[prd]v@ \d+ @db\.(?:user|ticket)@ /;

/**
 * Perforce tickets (RED-2): in ticket files, in what `p4 login -p` prints, in checkpoints, under
 * their name and behind `-P`.
 */
export function perforceTicketRules(): Rule[] {
  return [ticket, afterLogin];
}

/** 32 upper-case hex digits and nothing after them that would make it longer. */
function ticketAt(text: string, at: number): boolean {
  for (let i = at; i < at + TICKET_LENGTH; i += 1) {
    const code = text.charCodeAt(i);
    if (!isDigit(code) && !(code >= 65 && code <= 70)) return false;
  }
  return !isIn(WORD, text.charCodeAt(at + TICKET_LENGTH));
}

const ticket: Rule = {
  triggers: [],
  confirm() {},
  confirmRun(scan, start, end) {
    const { text, lines } = scan;
    const at = end - TICKET_LENGTH;
    if ((at !== start && at !== start + 1) || !ticketAt(text, at)) return;
    // `-P` and the ticket in one word.
    if (at > start) {
      if (text.startsWith('-P', start - 1)) scan.report(TICKET, at, end, 'low');
      return;
    }
    const before = text.slice(Math.max(0, at - REACH), at);
    if (IN_TICKET_FILE.test(before)) scan.report(TICKET, at, end, 'high');
    else if (SAID_TO_BE_ONE.test(before)) scan.report(TICKET, at, end, 'low');
    else if (text.charCodeAt(at - 1) === 64) {
      const line = lines.startOf(at);
      if (at - line < LONGEST_RECORD && RECORD.test(text.slice(line, at))) scan.report(TICKET, at, end, 'low');
    }
  },
};

interface Memory {
  lineEnd: number;
}

/** A ticket alone on a line shortly after `p4 login`. */
const afterLogin: Rule = {
  triggers: ['p4 login', 'login -ap', 'login -p'],
  confirm(scan, _start, end) {
    const { text } = scan;
    const memory = scan.memo(afterLogin, (): Memory => ({ lineEnd: 0 }));
    if (end < memory.lineEnd) return;
    let line = logicalLineAt(text, end, 160, false);
    memory.lineEnd = line.end;
    for (let count = 0; count < LINES_AFTER_LOGIN && line.next > line.end; count += 1) {
      line = logicalLineAt(text, line.next, 80, true);
      let at = line.start;
      while (
        at < line.end &&
        (isSpace(text.charCodeAt(at)) || text.charCodeAt(at) === 43 || text.charCodeAt(at) === 45)
      )
        at += 1;
      if (line.end - at >= TICKET_LENGTH && line.end - at <= TICKET_LENGTH + 2 && ticketAt(text, at))
        scan.report(TICKET, at, at + TICKET_LENGTH, 'high');
    }
  },
};
