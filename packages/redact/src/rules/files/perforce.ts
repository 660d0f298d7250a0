import { reportWord } from '../../grammar/commands/command-words.js';
import { isBeforeCommand } from '../../grammar/commands/perforce-options.js';
import { logicalLineAt } from '../../grammar/logical-lines.js';
import { quotedValueAt } from '../../grammar/quoted-values.js';
import { reportPassword } from '../../grammar/report-password.js';
import type { Rule } from '../../grammar/rule.js';
import { isStandIn } from '../../lexicon/benign-values.js';

/**
 * Passwords in the forms of Perforce (RED-3), and among the arguments of its client in a list.
 * `P4PASSWD=` is an assignment, a password piped into `p4 login` a piped value.
 */
export function perforceRules(): Rule[] {
  return [specField, listedArgument, argumentString];
}

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
      start === 0 ||
      before === 10 ||
      ((before === 43 || before === 45 || before === 32) && text.charCodeAt(start - 2) === 10);
    if (!atStart || !/^(?:Search)?Passw(?:or)?d:$/.test(text.slice(start, end - 1))) return;
    const { end: lineEnd } = logicalLineAt(text, end, 200, false);
    const value = text.slice(end, lineEnd);
    if (!/^\S{4,128}$/.test(value) || isStandIn(value)) return;
    if (
      FORM_FIELD.test(text.slice(Math.max(0, start - NEAR), start)) ||
      FORM_FIELD.test(text.slice(lineEnd, lineEnd + NEAR))
    )
      scan.report('perforce-password', end, lineEnd, 'low');
  },
};

/** `['p4', '-p', 'server:1666', '-u', 'ann', '-P', 'value']`, where `-p` is the server. */
const CLIENT = /\bp4|\b1666\b|["']-u["']/i;
const LONGEST_LIST = 240;

const listedArgument: Rule = {
  triggers: ['"-p", "', "'-p', '", '"-p","', "'-p','"],
  confirm(scan, start, end) {
    const { text } = scan;
    if (text.charCodeAt(start + 2) !== 80 || !CLIENT.test(text.slice(Math.max(0, start - LONGEST_LIST), start))) return;
    const value = quotedValueAt(text, end - 1);
    if (value !== undefined && value.end - value.start >= 4)
      reportPassword(scan, value.start, text.slice(value.start, value.end));
  },
};

/** `Process.Start("p4", "-u build -P value sync")`: the program, then a literal with all its arguments. */
const PROGRAM_AND_OPTIONS = /["'](?:[^"'\n]{0,80}[\\/])?p4(?:\.exe)?["'][^"'\n]{0,40}["']([^"'\n]{0,160})$/i;

const argumentString: Rule = {
  triggers: [' -p ', '"-p ', "'-p "],
  confirm(scan, start, end) {
    const { text } = scan;
    if (text.charCodeAt(end - 2) !== 80) return;
    const from = text.charCodeAt(start) === 32 ? start : start + 1;
    const before = PROGRAM_AND_OPTIONS.exec(text.slice(Math.max(0, from - LONGEST_LIST), from));
    if (before !== null && isBeforeCommand(before[1] as string)) reportWord(scan, end);
  },
};
