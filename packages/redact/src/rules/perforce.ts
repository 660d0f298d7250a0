import { isStandIn } from '../benign-values.js';
import { IDENTIFIER, isDigit, isIn, isSpace, WORD } from '../charset.js';
import { logicalLineAt } from '../logical-lines.js';
import type { Rule } from '../rule.js';

const TICKET_LENGTH = 32;
const TICKET = 'perforce-ticket';
/** Spec files and logs print a ticket within this many lines of the login. */
const LINES_AFTER_LOGIN = 4;

/** Perforce tickets in ticket files and `p4 login -p` output, passwords in forms. `P4PASSWD=` is an assignment, a password piped into `p4 login` a piped value. */
export function perforceRules(): Rule[] {
  return [ticketLine, afterLogin, specField];
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
      while (at < line.end && (isSpace(text.charCodeAt(at)) || text.charCodeAt(at) === 43 || text.charCodeAt(at) === 45)) at += 1;
      if (line.end - at >= TICKET_LENGTH && line.end - at <= TICKET_LENGTH + 2 && ticketAt(text, at))
        scan.report(TICKET, at, at + TICKET_LENGTH, 'high');
    }
  },
};

/** Other fields of the forms that hold a password: `p4 user`, `p4 ldap`. */
const FORM_FIELD =
  /(?:^|\n)[-+ ]?(?:User|Email|FullName|Update|Access|AuthMethod|Type|Name|Host|Port|BindMethod|Search(?:BaseDN|BindDN|Filter|Scope)):\t/;
const NEAR = 400;

/** A field of a form is whatever stands between the tab and the end of the line, a plain word included. */
const specField: Rule = {
  triggers: ['password:\t', 'searchpasswd:\t'],
  confirm(scan, start, end) {
    const { text } = scan;
    const before = text.charCodeAt(start - 1);
    const atStart =
      start === 0 || before === 10 || ((before === 43 || before === 45 || before === 32) && text.charCodeAt(start - 2) === 10);
    if (!atStart || !/^(?:Search)?Passw(?:or)?d:$/.test(text.slice(start, end - 1))) return;
    const { end: lineEnd } = logicalLineAt(text, end, 200, false);
    const value = text.slice(end, lineEnd);
    if (!/^\S{4,128}$/.test(value) || isStandIn(value)) return;
    if (FORM_FIELD.test(text.slice(Math.max(0, start - NEAR), start)) || FORM_FIELD.test(text.slice(lineEnd, lineEnd + NEAR)))
      scan.report('perforce-password', end, lineEnd, 'low');
  },
};
