import type { Rule, Scan } from '../../grammar/rule.js';
import { isStandIn, mixesDigits } from '../../lexicon/benign-values.js';
import { IDENTIFIER, isAlnum, isDigit, isIn, URI_PASSWORD } from '../../lexicon/charset.js';
import { distinctCharacters } from '../../lexicon/entropy.js';
import { looksRandom, makeUpOf } from '../../lexicon/randomness.js';

/** Longest user info looked at; long enough for tokens in place of passwords. */
const MAX_USERINFO = 2048;
/** No web server has a password so short; what explains or tests addresses writes `http://a:b@c`. */
const MOST_OF_SAMPLE = 4;
/** Longest name of a host. */
const LONGEST_HOST = 100;
/** How far past a slash a database password with a raw slash is looked for. */
const MAX_RAW = 256;

const DATABASE_SCHEME =
  /(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|redis|rediss|amqps?|mssql|sqlserver|oracle|cockroachdb|clickhouse|smtps?|ftps?|sftp|ldaps?|nats|mqtts?|cassandra|neo4j|bolt|snowflake|kafka)$/i;

/** Words that stand for a password in documentation. */
const DOCUMENTED = /^(?:[a-z_-]*passw(?:or)?d|passwd|pass|pwd|secret|token|user|username|pw|key|\*+|x+|\.+)$/i;

/** `ACCESS_KEY`, `API_TOKEN`, in capitals; `user[:password]@`, as manuals say that it may be left out. */
const CAPITALS = /^(?:[A-Z]+_)*(?:API|SECRET|AUTH|ACCESS)?_?(?:KEY|TOKEN|SECRET|PASSWORD|DOMAIN|ID)$/;

/**
 * Passwords and tokens in the user info of a URI of any scheme (RED-5). The user, the host and
 * everything else stay.
 */
export function connectionUriRules(): Rule[] {
  return [
    {
      triggers: ['://', ':\\/\\/'],
      confirm(scan, start, end) {
        if (isAlnum(scan.text.charCodeAt(start - 1))) confirmUserinfo(scan, start, end);
      },
    },
    escapedUri,
    sip,
    tcpDsn,
    withoutScheme,
    oracleLogin,
    oneTimeSecret,
  ];
}

function confirmUserinfo(scan: Scan, schemeEnd: number, from: number): void {
  const { text } = scan;
  let at = -1;
  let colon = -1;
  let end = from;
  for (; end < text.length && end - from < MAX_USERINFO; end += 1) {
    const code = text.charCodeAt(end);
    if (endsAuthority(code)) break;
    if (code === 64) at = end;
    else if (code === 58 && colon < 0 && at < 0) colon = end;
  }
  if (at < 0 && colon > 0) at = rawPasswordEnd(scan, schemeEnd, colon, end);
  if (at < 0 || !startsHost(text.charCodeAt(at + 1))) return;
  if (colon > 0) {
    // A token before the colon, with `x-oauth-basic` or its secret behind it: no name of an account looks so.
    if (isWeb(text, schemeEnd) && isToken(text, from, colon)) scan.report('uri-password', from, colon, 'high');
    if (at - colon > MOST_OF_SAMPLE || !isWeb(text, schemeEnd)) reportPassword(scan, colon + 1, at);
  } else reportTokenUser(scan, schemeEnd, from, at);
}

/** White space, quotes, `/ ? #`, angle brackets and backslash end an authority. */
function endsAuthority(code: number): boolean {
  return (
    code <= 32 ||
    code === 47 ||
    code === 63 ||
    code === 35 ||
    code === 34 ||
    code === 39 ||
    code === 96 ||
    code === 60 ||
    code === 62 ||
    code === 92
  );
}

function startsHost(code: number): boolean {
  return (
    isAlnum(code) ||
    code === 91 ||
    code === 36 ||
    code === 123 ||
    code === 37 ||
    code === 95 ||
    code === 46 ||
    code > 127
  );
}

/** People write `/ ? #` raw in database passwords: look on to an `@` when what follows the colon is no port. */
function rawPasswordEnd(scan: Scan, schemeEnd: number, colon: number, end: number): number {
  const { text } = scan;
  const stop = text.charCodeAt(end);
  if (stop !== 47 && stop !== 63 && stop !== 35) return -1;
  let port = colon + 1;
  while (isDigit(text.charCodeAt(port))) port += 1;
  if (port === end) return -1;
  const schemeStart = Math.max(0, schemeEnd - 16);
  if (!DATABASE_SCHEME.test(text.slice(schemeStart, schemeEnd))) return -1;
  const raw = scan.runEnd(URI_PASSWORD, end);
  return raw - end < MAX_RAW && text.charCodeAt(raw) === 64 ? raw : -1;
}

/** What a manual tells to change; some host has it still. */
const TO_BE_CHANGED = /^change[-_]?(?:me|it)$/i;
/** Hosts of manuals and of the machine itself, and those that are filled in later. */
const NO_HOST =
  /^(?:localhost|127\.|0\.0\.0\.0|\[::1\]|example\.|[^/:?#]*(?:\.(?:example|test|invalid|localhost)\b|example\.(?:com|net|org)))|[<>{}$%*]|^(?:your|my)[-_.]/i;
const HOST = /^[^\s/?#"'`<>\\]{1,253}/;

/** `postgres://app:changeme@db.studio.example`: a password that stands for another, on a host that may take it. */
function isLeftAsItWas(text: string, value: string, end: number): boolean {
  if (!TO_BE_CHANGED.test(value)) return false;
  const host = HOST.exec(text.slice(end + 1, end + 254))?.[0] ?? '';
  return host.includes('.') && !NO_HOST.test(host);
}

function reportPassword(scan: Scan, start: number, end: number): void {
  const value = scan.text.slice(start, end);
  if (isLeftAsItWas(scan.text, value, end)) {
    scan.report('uri-password', start, end, 'low');
    return;
  }
  if (
    value.length === 0 ||
    DOCUMENTED.test(value) ||
    CAPITALS.test(value) ||
    scan.text.startsWith('[:', start - 2) ||
    isTemplate(value)
  )
    return;
  scan.report('uri-password', start, end, 'high');
}

/**
 * `${PASS}`, `<password>`, `{password}`, `%s`, `***`, `•••`, `your-password`: written for a reader
 * or filled in later.
 */
function isTemplate(value: string): boolean {
  return (
    /^(?:\$\{?[A-Za-z_(]|%[A-Za-z_]+%$|%[-+]?\d*[sdvq]$)/.test(value) ||
    /^(?:\{.*\}|\[.*\]|<.*>|\(.*\)|[*\u2022]+|x+)$/i.test(value) ||
    /^(?:your|my|the)[-_]?pass(?:word|wd)?$|^change[-_]?me$|^placeholder$|^redacted$/i.test(value) ||
    /^(?:your(?:[-_][a-z]{2,12}){1,4}|(?:[a-z]{2,6}[-_])?x{8,}|(__|@@)[a-z_]{3,40}\1)$/i.test(value) ||
    value.includes(`\${`)
  );
}

const isWeb = (text: string, schemeEnd: number): boolean =>
  /https?$/i.test(text.slice(Math.max(0, schemeEnd - 5), schemeEnd));

/**
 * `https://TOKEN@host`: a user without a password that only chance makes is a token; names of
 * people and builders are not, whatever number stands at their end.
 */
function reportTokenUser(scan: Scan, schemeEnd: number, start: number, end: number): void {
  const { text } = scan;
  if (!isWeb(text, schemeEnd)) return;
  const user = text.slice(start, end);
  if (
    user.length < 16 ||
    isStandIn(user) ||
    !/\d/.test(user) ||
    !/[A-Za-z]/.test(user) ||
    distinctCharacters(user) < 8 ||
    user.includes('@')
  )
    return;
  if (isToken(text, start, end)) scan.report('uri-password', start, end, 'high');
  else if (!isNameOfUser(user)) scan.report('uri-password', start, end, 'low');
}

/** `build-agent-linux-01`, `anna.lindqvist2`: words, and numbers behind them. */
const NAME_OF_USER = /^[A-Za-z]+\d{0,4}(?:[-_.][A-Za-z]*\d{0,4})*$/;

const isNameOfUser = (user: string): boolean =>
  NAME_OF_USER.test(user) &&
  (/[-_.]/.test(user) ? user.split(/[-_.]/).every((part) => !mixesDigits(part.replace(/\d{1,4}$/, ''))) : true);

/** True for one run of letters and digits that only chance makes. */
function isToken(text: string, start: number, end: number): boolean {
  if (end - start < 20 || end - start > 256 || !/^\w+$/.test(text.slice(start, end))) return false;
  const made = makeUpOf(text, start, end);
  return made.hex ? made.digits >= 4 && made.distinct >= 8 : looksRandom(made);
}

/** The same escaped for a query: `https%3A%2F%2Fuser%3Apassword%40host`. */
const escapedUri: Rule = {
  triggers: ['%3a%2f%2f'],
  confirm(scan, _start, end) {
    const login = /^[\w.+-]{0,64}%3a((?:[^\s%&"'<>/]|%(?!40|2f|3a)[\da-f]{2}){3,128})%40[\w[]/i.exec(
      scan.text.slice(end, end + 480),
    );
    if (login === null) return;
    const from = end + login[0].length - 4 - (login[1] as string).length;
    reportPassword(scan, from, from + (login[1] as string).length);
  },
};

/** SIP addresses have no slashes; Asterisk registers with one. */
const sip: Rule = {
  triggers: ['sip:', 'sips:', 'register => '],
  confirm(scan, start, end) {
    if (isAlnum(scan.text.charCodeAt(start - 1))) return;
    const address = /^[\w.+-]{1,64}:([^\s@:;"'<>/]{3,128})@[\w[]/.exec(scan.text.slice(end, end + 200));
    if (address !== null) reportPassword(scan, end + address[0].indexOf(':') + 1, end + address[0].length - 2);
  },
};

/** Go's MySQL data source: `user:password@tcp(host)/db`. */
const tcpDsn: Rule = {
  triggers: ['@tcp(', '@unix('],
  confirm(scan, start) {
    reportBefore(scan, start);
  },
};

/** `user:password@db.internal:5432/app`: no scheme, but the port of a database. */
const withoutScheme: Rule = {
  triggers: [':5432', ':3306', ':27017', ':6379', ':5672'],
  confirm(scan, start, end) {
    const host = isDigit(scan.text.charCodeAt(end)) ? -1 : startOfHost(scan.text, start);
    if (host > 0) reportBefore(scan, host - 1);
  },
};

/** Where the host before a port starts, if an `@` stands before it; 0 otherwise. */
function startOfHost(text: string, port: number): number {
  let from = port;
  while (from > 0 && port - from < LONGEST_HOST && isIn(IDENTIFIER, text.charCodeAt(from - 1))) from -= 1;
  return from < port && text.charCodeAt(from - 1) === 64 ? from : 0;
}

/** Reports the password of `user:password` before the `@` at `at`. */
function reportBefore(scan: Scan, at: number): void {
  const { text } = scan;
  let from = at;
  let colon = -1;
  while (from > 0 && at - from < 128) {
    const code = text.charCodeAt(from - 1);
    // Behind a slash there is a scheme before it, which has a rule of its own.
    if (code === 47) return;
    if (code <= 32 || code === 34 || code === 39 || code === 96 || code === 61 || code === 40) break;
    if (code === 58) colon = from - 1;
    from -= 1;
  }
  if (colon > from) reportPassword(scan, colon + 1, at);
}

/** Oracle: `sqlplus user/password@service`, `CONNECT user/password@service`, `jdbc:oracle:thin:user/password@host`. */
const oracleLogin: Rule = {
  triggers: [
    'sqlplus ',
    'connect ',
    'oracle:thin:',
    'oracle:oci:',
    'oracle:oci8:',
    'sqlldr ',
    'expdp ',
    'impdp ',
    'rman target ',
    ' catalog ',
    'oracle.connect(',
    'oracledb.connect(',
  ],
  confirm(scan, start, end, trigger) {
    const { text } = scan;
    // Elsewhere than at the start of a statement `connect` is a word.
    if (trigger === 'connect ' && !/(?:^|[\n>;"'])[ \t+-]{0,8}$/.test(text.slice(Math.max(0, start - 9), start)))
      return;
    const login =
      /^(?:-\w+ |userid=){0,3}["']?[A-Za-z][\w-]{0,30}\/\\?(["']?)([^\s"'@/\\]{3,64})\\?\1@(?:\/\/)?\w/i.exec(
        text.slice(end, end + 140),
      );
    if (login === null) return;
    const stop = end + login[0].lastIndexOf(login[2] as string) + (login[2] as string).length;
    reportPassword(scan, stop - (login[2] as string).length, stop);
  },
};

/** What an authenticator is set up with: `otpauth://totp/name?secret=…`, in base32. */
const OTP_SECRET = /^[^\s"'`<>]{0,200}?[?&]secret=([A-Z2-7]{16,128}={0,6})(?![\w=])/i;

const oneTimeSecret: Rule = {
  triggers: ['otpauth://'],
  confirm(scan, _start, end) {
    const found = OTP_SECRET.exec(scan.text.slice(end, end + 340));
    const secret = found?.[1];
    if (found === null || secret === undefined || distinctCharacters(secret) < 8 || isStandIn(secret)) return;
    const stop = end + found[0].length;
    scan.report('secret', stop - secret.length, stop, 'low');
  },
};
