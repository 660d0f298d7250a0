import { isLogin, reportWord } from '../../grammar/commands/command-words.js';
import { quotedValueAt } from '../../grammar/quoted-values.js';
import type { Rule } from '../../grammar/rule.js';

/** Passwords among the arguments of a program, each a literal of its own (RED-3). */
export function argumentListRules(): Rule[] {
  return [listedPair, listedJoined];
}

const LONGEST_LIST = 240;

/** Programs that take `user:password` behind `-u`. */
const TAKES_PAIR = /["'](?:[^"'\n]{0,80}[\\/])?(?:curl|etcdctl)(?:\.exe)?["'][^\n]{0,240}$/;

/** `["curl", "-u", "admin:value"]`; of another program what looks like a login. */
const listedPair: Rule = {
  triggers: ['-u', '--user', '--proxy-user'].flatMap((option) => [
    ...[`"${option}", "`, `"${option}","`],
    ...[`'${option}', '`, `'${option}','`],
  ]),
  confirm(scan, start, end) {
    const { text } = scan;
    const literal = quotedValueAt(text, end - 1);
    if (literal === undefined) return;
    const value = text.slice(literal.start, literal.end);
    const takesPair = (): boolean => TAKES_PAIR.test(text.slice(Math.max(0, start - LONGEST_LIST), start));
    if (isLogin(value) || takesPair()) reportWord(scan, end - 1, ':');
  },
};

/** Programs that take a password right behind `-p`. */
const TAKES_JOINED =
  /["'](?:[^"'\n]{0,80}[\\/])?(?:mysql(?:dump|admin|import|check|show)?|mariadb(?:-\w{1,8})?|7za?|7zz|rar|sshpass)(?:\.exe)?["'][^\n]{0,240}$/;

/** `["mysql", "-uroot", "-pvalue"]`. */
const listedJoined: Rule = {
  triggers: ['"-p', "'-p"],
  confirm(scan, start, end) {
    const { text } = scan;
    const literal = quotedValueAt(text, start);
    if (literal === undefined || literal.end <= end || text.charCodeAt(end - 1) !== 112) return;
    if (!TAKES_JOINED.test(text.slice(Math.max(0, start - LONGEST_LIST), start))) return;
    if (literal.end - end >= 4) reportWord(scan, end);
  },
};
