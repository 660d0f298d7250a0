import { QUIET_KINDS } from '../../grammar/path-kind.js';
import { reportPassword } from '../../grammar/report-password.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { isWordLike, mixesDigits } from '../../lexicon/benign-values.js';
import { isMadeByHand } from '../../lexicon/made-up-words.js';

/**
 * Passwords named in Chinese, Japanese, Korean, Russian, Polish and Turkish (RED-3): names in
 * letters that no trigger can have.
 */
export function otherScriptRules(): Rule[] {
  return [otherScripts];
}

/**
 * The name, perhaps in quotes, what leads on from it, and a value that no name or word of those
 * languages can be, without quotes. Texts of one byte a character hold no such name.
 */
const TOLD =
  /(?:密[码碼]|暗証番号|口令|パスワード|비밀번호|비번|패스워드|암호|[Пп]арол[ья]|[Hh]asło|[Şş]ifre)["'`」]?[^\S\n]{0,2}(?:=>|[:：=＝]|[은는]|[は是为為]|это)[^\S\n]{0,3}["'`「“]?(?<value>[!#-&(-;=?-_a-~]{6,64})/y;
/**
 * One character of each name in TOLD but the Turkish, and where it stands in it: one is searched
 * for twenty times as fast as an expression, but for one of whose bytes text is full, as of `ş` and
 * the underscore.
 */
const MARKS: readonly (readonly [character: string, offset: number])[] = [
  ...[...'密暗口パ비패암'].map((character) => [character, 0] as const),
  ['р', 2],
  ['ł', 3],
];
/** Marks that close what stands round a value. */
const BEHIND = /["'`.,;:)\]}]{1,8}$/;

const otherScripts: Rule = {
  triggers: ['ifre'],
  skipKinds: QUIET_KINDS,
  confirm(scan, start) {
    if (start > 0 && scan.text.charCodeAt(start - 1) > 255) confirmTold(scan, start - 1);
  },
  confirmText(scan) {
    if (scan.isNarrow) return;
    for (const [character, offset] of MARKS)
      for (let at = scan.text.indexOf(character); at >= 0; at = scan.text.indexOf(character, at + 1))
        confirmTold(scan, at - offset);
  },
};

function confirmTold(scan: Scan, start: number): void {
  TOLD.lastIndex = start;
  const found = start < 0 ? null : TOLD.exec(scan.text);
  if (found === null) return;
  const written = found.groups?.value as string;
  const value = written.replace(BEHIND, '');
  if (value.length < 6 || !mixesDigits(value) || (isWordLike(value) && !isMadeByHand(value))) return;
  reportPassword(scan, start + found[0].length - written.length, value);
}
