import { mixesDigits } from '../../lexicon/benign-values.js';
import { isSpace } from '../../lexicon/charset.js';
import type { Rule } from '../rule.js';
import { endOfWord, isLogin, reportWord } from './command-words.js';
import { isBeforeCommand } from './perforce-options.js';

/** A user before the option, in the same command. */
const REACH = 200;
const USER =
  /[ \t](?:-[uUl]|--?(?:\w{0,12}user(?:name)?|login)|-name)[ =]["']?[^\s"'|;&-][^\s"'|;&]{0,80}["']?(?:[ \t][^|;&]{0,160})?$/;
/** The client of Perforce, and what stands between it and the option. */
const PERFORCE = /(?:^|[^\w-])p4(?:\.exe)?[ \t]([^|;&]*)$/;
/** An address, a port, a path, a version, where to look. */
const OTHER = /^["']?(?:@|[\d.:x-]+$|v?\d+(?:\.\d+)+|\w+:\d|[A-Za-z]:\\|\d+:|\w+\.\w{2,4}$)/;

/**
 * Passwords of programs that no table names (RED-3): by an option that means a password where
 * another one said who logs in, `tool -u ann -p value`. What stands there mixes letters and digits:
 * `-p` is a port, a path or a project of many programs.
 */
export const pairedOption: Rule = {
  triggers: [' -p', ' -pw', ' -pas', ' -pass', ' -w', ' -u'],
  confirm(scan, start, end, trigger) {
    const { text, lines } = scan;
    if (!isSpace(text.charCodeAt(end))) return;
    const value = text.slice(end + 1, endOfWord(text, end + 1 + (isQuoteAt(text, end + 1) ? 1 : 0)));
    if (trigger === ' -u') {
      if (isLogin(isQuoteAt(text, end + 1) ? value.slice(1) : value)) reportWord(scan, end + 1, ':');
      return;
    }
    if (!mixesDigits(value) || value.includes('/') || OTHER.test(value)) return;
    const lead = text.slice(Math.max(lines.startOf(start), start - REACH), start);
    const client = PERFORCE.exec(lead);
    if (client !== null && !isBeforeCommand(client[1] as string)) return;
    if (USER.test(lead)) reportWord(scan, end + 1);
  },
};

const isQuoteAt = (text: string, at: number): boolean => text.charCodeAt(at) === 34 || text.charCodeAt(at) === 39;
