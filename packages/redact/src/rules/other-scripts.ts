import { isWordLike, mixesDigits } from '../benign-values.js';
import type { Rule } from '../rule.js';
import { isMadeByHand } from './made-up-words.js';
import { reportPassword } from './report-password.js';

/** Passwords told in Chinese, Japanese, Korean, Russian, Polish and Turkish (RED-3): names in letters that no trigger can have. */
export function otherScriptRules(): Rule[] {
  return [told];
}

/** The name, perhaps in quotes, what leads on from it, and a value that no name or word of those languages can be. Texts of one byte a character hold no such name. */
const TOLD =
  /(?:密[码碼]|暗証番号|口令|パスワード|비밀번호|비번|패스워드|암호|[Пп]арол[ья]|[Hh]asło|[Şş]ifre)["'`」]?[^\S\n]{0,2}(?:=>|[:：=＝]|[은는]|[は是为為]|это)[^\S\n]{0,3}["'`「“]?(?<value>[!-;=?-~]{6,64})/g;
/** One character of each name in TOLD: one is searched for twenty times as fast as an expression. */
const HEADS = [...'密暗口パ비패암ПпłŞş'];
/** Marks that close what stands round a value. */
const BEHIND = /["'`.,;:)\]}]{1,8}$/;

const told: Rule = {
  triggers: [],
  confirm() {},
  confirmText(scan) {
    if (scan.kind === 'lock' || scan.kind === 'opaque' || !HEADS.some((head) => scan.text.includes(head))) return;
    for (const found of scan.text.matchAll(TOLD)) {
      const written = found.groups?.value as string;
      const value = written.replace(BEHIND, '');
      if (value.length < 6 || !mixesDigits(value) || (isWordLike(value) && !isMadeByHand(value))) continue;
      reportPassword(scan, found.index + found[0].length - written.length, value);
    }
  },
};
