import { reportPassword } from '../../grammar/report-password.js';
import type { Rule } from '../../grammar/rule.js';

/** Longest part of a message before the field. */
const REACH = 400;
/** Fields are set off by SOH, which logs show as a bar, a caret or in words. */
const LOGON = /(?:^|[^ -~]|[|^;]|<SOH>|\^A)35=(?:A|BE)(?:[^ -~]|[|^;]|<SOH>)/;
const SEPARATOR = /(?:[^ -~]|[|^;]|<SOH>|\^A)$/;
const VALUE = /^(?:(?![|^;<])[!-~]){3,200}(?=[^ -~]|[|^;]|<SOH>)/;

/**
 * Passwords in the logon of a FIX session (RED-3): Password (554), NewPassword (925), and RawData
 * (96), which holds either or a signature.
 */
export function fixLogonRules(): Rule[] {
  return [logon];
}

const logon: Rule = {
  triggers: ['554=', '925=', '96='],
  confirm(scan, start, end) {
    const { text, lines } = scan;
    if (!SEPARATOR.test(text.slice(Math.max(0, start - 5), start))) return;
    const value = VALUE.exec(text.slice(end, end + 210));
    if (value !== null && LOGON.test(text.slice(Math.max(lines.startOf(start), start - REACH), start)))
      reportPassword(scan, end, value[0]);
  },
};
