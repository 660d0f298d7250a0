import { logicalLineAt } from '../../grammar/logical-lines.js';
import { quotedValueAt } from '../../grammar/quoted-values.js';
import { reachOf } from '../../grammar/reach.js';
import { reportPassword } from '../../grammar/report-password.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { isWordLike, mixesDigits } from '../../lexicon/benign-values.js';
import { ALNUM, DOT, isIn } from '../../lexicon/charset.js';

/** Lines of files whose layout alone says which column is the password, and recorded sessions. */
export function credentialFileRules(): Rule[] {
  return [
    passwordColumn,
    mailRelay,
    schemedPassword,
    generatedPassword,
    loginModule,
    loginBlock,
    passCommand,
    loginCommand,
    expectedLogin,
  ];
}

/** How a database's name may start. */
const COLUMN = ALNUM | DOT;

/** A column that ends its line, or the literal that the line stands in. */
const LAST_COLUMN = String.raw`(\S{3,128}?)(?=["'\`](?:[\],;:)}]|\s|$)|\s|$)`;
const DATABASE_USER_PASSWORD = new RegExp(String.raw`^([\w.*-]{1,64}):([\w.*@-]{1,64}):${LAST_COLUMN}`);
const USER_PASSWORD = new RegExp(String.raw`^[ \t]{0,20}[^\s:[\]]{1,80}:${LAST_COLUMN}`);

/** `.pgpass`: host, port, database, user and password between colons. */
const passwordColumn: Rule = {
  triggers: [':5432:', ':5433:', ':6432:', ':*:'],
  confirm(scan, start, end) {
    const { text } = scan;
    const first = text.charCodeAt(end);
    if (!(isIn(COLUMN, first) || first === 42) || !isColumn(scan, start)) return;
    const rest = DATABASE_USER_PASSWORD.exec(text.slice(end, end + 280));
    if (rest !== null && !AGES.test(rest[3] as string))
      reportPassword(scan, end + rest[0].length - (rest[3] as string).length, rest[3] as string);
  },
};

/** The last columns of `/etc/shadow`, whose locked accounts have a star for a password. */
const AGES = /^\d*(?::\d*){3,4}$/;

/** True when nothing but a host name stands between the start of the line and `at`. */
function isColumn(scan: Scan, at: number): boolean {
  const from = scan.lines.startOf(at);
  return at - from <= 100 && /^[-+ ]?[\w.*[\]-]{1,90}$/.test(scan.text.slice(from, at));
}

/** The rest of a mail host's name. */
const HOST = /^[\w.-]{1,80}(?::\d{2,5})?[ \t]{1,20}(?=[^\s:@]{1,60}@)/;

/** Postfix: `[relay]:587 user:password`, `smtp.example.com ann@example.com:password`. */
const mailRelay: Rule = {
  triggers: [']:587 ', ']:465 ', ']:25 ', ']:587\t', ']:465\t', ']:25\t', 'smtp.'],
  confirm(scan, start, host, trigger) {
    const { text } = scan;
    let end = host;
    if (trigger === 'smtp.') {
      const rest = scan.lines.startOf(start) === start ? HOST.exec(text.slice(host, host + 120)) : null;
      if (rest === null) return;
      end += rest[0].length;
    }
    if (text.charCodeAt(end) === 93) return;
    const login = USER_PASSWORD.exec(text.slice(end, end + 240));
    if (login !== null) reportPassword(scan, end + login[0].length - (login[1] as string).length, login[1] as string);
  },
};

/** Dovecot and its kin name how a password is kept, and some keep it as it is: `{PLAIN}password`. */
const schemedPassword: Rule = {
  triggers: ['{plain}'],
  confirm(scan, start, end) {
    const value = /^[^\s:;,"'`<>{}()]{4,128}/.exec(scan.text.slice(end, end + 130));
    if (value !== null && isSchemeOf(scan.text, start) && (mixesDigits(value[0]) || !isWordLike(value[0])))
      reportPassword(scan, end, value[0]);
  },
};

/** True where a value may begin: a path may have a part in braces. */
const isSchemeOf = (text: string, start: number): boolean => start === 0 || /[\s:="']/.test(text.charAt(start - 1));

/** Terraform's state tells the passwords that it made. */
const RESULT = /^[\s\S]{1,900}?"result":[ \t]?(?=")/;

const generatedPassword: Rule = {
  triggers: ['"random_password"'],
  confirm(scan, _start, end) {
    const { text } = scan;
    const result = RESULT.exec(text.slice(end, end + 940));
    const value = result === null ? undefined : quotedValueAt(text, end + result[0].length);
    if (value !== undefined) reportPassword(scan, value.start, text.slice(value.start, value.end));
  },
};

/** Kafka's brokers list their users among the options of a module of JAAS: `user_ann="password"`. */
const MODULE_USER = /\buser_[\w.-]{1,40}=\\?"([^"\\\n]{4,128})\\?"/g;
const LONGEST_MODULE = 1200;

const loginModule: Rule = {
  triggers: ['plainloginmodule ', 'digestloginmodule '],
  confirm(scan, _start, end) {
    const rest = scan.text.slice(end, end + LONGEST_MODULE);
    for (const user of rest.slice(0, rest.indexOf(';') + 1).matchAll(MODULE_USER)) {
      const value = user[1] as string;
      reportPassword(scan, end + user.index + user[0].indexOf(value, user[0].indexOf('=')), value);
    }
  },
};

/**
 * Expect and its kin answer a prompt: `expect "Password:"`, `send "password\r"`;
 * `child.expect('assword:')`, `child.sendline('password')`.
 */
const PROMPT = /(?:assword|assphrase)[^\n]{0,60}\s{0,40}$/;
const ANSWER = /^(?:-- )?b?(["'])([^"'\\$[\n]{4,80})(?:\\[rn]){0,2}\1/;

/** What ANSWER may start with. */
const MAY_ANSWER = '"\'b-';

const expectedLogin: Rule = {
  triggers: ['send ', 'sendline(', 'sendline ', '.write('],
  confirm(scan, start, end, trigger) {
    const { text } = scan;
    if (!MAY_ANSWER.includes(text.charAt(end))) return;
    const answer = ANSWER.exec(text.slice(end, end + 90));
    // A program goes on with commands.
    if (
      answer === null ||
      (trigger !== 'send ' && isWordLike(answer[2] as string) && !mixesDigits(answer[2] as string))
    )
      return;
    if (PROMPT.test(text.slice(Math.max(0, start - 160), start).replace(/\w{1,20}\.?$/, '')))
      reportPassword(scan, end + answer[0].indexOf(answer[1] as string) + 1, answer[2] as string);
  },
};

const MAX_LOGINS = 12;

/** Lines of names and passwords below the word that announces them: `chpasswd`, `<auth-user-pass>`. */
const loginBlock: Rule = {
  triggers: ['chpasswd:\n', 'chpasswd <<', '<auth-user-pass>\n'],
  confirm(scan, start, end, trigger) {
    const { text } = scan;
    const reach = reachOf(scan, loginBlock);
    if (start < reach.end) return;
    let line = logicalLineAt(text, end, 160, true);
    if (trigger === '<auth-user-pass>\n') {
      const password = logicalLineAt(text, line.next, 160, true);
      const value = text.slice(password.start, password.end);
      if (/^\S{4,128}$/.test(value) && !value.startsWith('<')) reportPassword(scan, password.start, value);
      return;
    }
    for (let count = 0; count < MAX_LOGINS; count += 1) {
      const login = /^[\s+-]{0,16}["']?[a-z_][\w-]{0,31}:(\S{4,128}?)["']?$/.exec(text.slice(line.start, line.end));
      if (login !== null)
        reportPassword(scan, line.start + login[0].lastIndexOf(login[1] as string), login[1] as string);
      reach.end = line.end;
      if (line.next === line.end) return;
      line = logicalLineAt(text, line.next, 160, true);
    }
  },
};

/** The end of a literal that the session stands in. */
const CLOSED_LITERAL = /["'`][,;)\]}]{0,4}$/;

/** A recorded session of FTP or POP: `PASS` on the line after `USER`. */
const passCommand: Rule = {
  triggers: ['\npass ', '\n+pass ', '> pass ', 'c: pass '],
  confirm(scan, start, end) {
    const { text } = scan;
    if (!text.startsWith('PASS ', end - 5) || !/USER \S{1,80}\s/.test(text.slice(Math.max(0, start - 160), start + 1)))
      return;
    const line = logicalLineAt(text, end, 200, false);
    const value = text.slice(end, line.end).replace(CLOSED_LITERAL, '');
    if (/^\S{4,128}$/.test(value)) reportPassword(scan, end, value);
  },
};

/** A recorded session of IMAP: a tag, `LOGIN`, the user and the password. */
const loginCommand: Rule = {
  triggers: [' login '],
  confirm(scan, start, end) {
    const { text } = scan;
    if (
      !text.startsWith(' LOGIN ', start) ||
      !/(?:^|\n|[:>] )\w{1,8}$/.test(text.slice(Math.max(0, start - 12), start))
    )
      return;
    const rest = text.slice(end, logicalLineAt(text, end, 200, false).end);
    const login = /^\S{1,80} (["']?)([^\s"']{4,128})\1$/.exec(rest);
    if (login !== null) reportPassword(scan, end + rest.lastIndexOf(login[2] as string), login[2] as string);
  },
};
