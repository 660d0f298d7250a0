import { BETWEEN_STRINGS, isLocation, isStandIn, isWordLike } from '../benign-values.js';
import { isBreak, isQuote, isSpace } from '../charset.js';
import { isConcatenation } from '../concatenation.js';
import { quotedValueAt } from '../quoted-values.js';
import { looksRandom, makeUpOf } from '../randomness.js';
import type { Rule, Scan } from '../rule.js';
import { endsBehind, patternsByTrigger } from './patterns-by-trigger.js';

const RULE = 'command-line';
/** A flag counts when its program stands at most this far before it. */
const REACH = 240;
const MAX_VALUE = 256;
const SHORTEST_USER = 14;
const SHORTEST_HEX_USER = 20;

/** A flag at the end of a literal: what looks quoted is the code between that literal and the next. */
const BETWEEN_LITERALS = /^\s{0,8}[,;)\]}+](?:\s|\\+[nrt]|$)/;

/** What a short flag means to one program. `pair`: the value is `user:password`; `percent`: `user%password`. `joined`: the value follows without a space; `either`: with or without one. */
interface Flag {
  program: string;
  flag: string;
  form: 'value' | 'pair' | 'percent' | 'joined' | 'either';
}

const FLAGS: readonly Flag[] = [
  { program: 'curl', flag: ' -u', form: 'pair' },
  { program: 'curl', flag: ' --user', form: 'pair' },
  { program: 'curl', flag: ' --proxy-user', form: 'pair' },
  { program: 'wget', flag: ' --http-password', form: 'value' },
  { program: 'mysql', flag: ' -p', form: 'joined' },
  { program: 'mysqldump', flag: ' -p', form: 'joined' },
  { program: 'mysqladmin', flag: ' -p', form: 'joined' },
  { program: 'mariadb', flag: ' -p', form: 'joined' },
  { program: 'mongo', flag: ' -p', form: 'value' },
  { program: 'sshpass', flag: ' -p', form: 'either' },
  { program: 'openssl', flag: ' -k', form: 'value' },
  { program: 'smbclient', flag: ' -u', form: 'percent' },
  { program: 'docker login', flag: ' -p', form: 'value' },
  { program: 'podman login', flag: ' -p', form: 'value' },
  { program: 'az login', flag: ' -p', form: 'value' },
  { program: 'oc login', flag: ' -p', form: 'value' },
  { program: 'htpasswd', flag: ' -b', form: 'value' },
  { program: 'redis-cli', flag: ' -a', form: 'value' },
  { program: 'sqlcmd', flag: ' -p', form: 'value' },
  { program: 'bcp ', flag: ' -p', form: 'value' },
  { program: 'ldapsearch', flag: ' -w', form: 'value' },
  { program: 'ldapmodify', flag: ' -w', form: 'value' },
  { program: 'zip ', flag: ' -p', form: 'value' },
  { program: 'unzip ', flag: ' -p', form: 'value' },
  { program: '7z ', flag: ' -p', form: 'joined' },
  { program: 'rabbitmqadmin', flag: ' -p', form: 'value' },
  { program: 'ipmitool', flag: ' -p', form: 'value' },
  { program: 'psexec', flag: ' -p', form: 'value' },
  { program: 'twine ', flag: ' -p', form: 'value' },
  { program: 'ncftp', flag: ' -p', form: 'value' },
  { program: 'rdesktop', flag: ' -p', form: 'either' },
  { program: 'beeline', flag: ' -p', form: 'value' },
  { program: 'mosquitto_', flag: ' -p', form: 'value' },
  { program: 'winexe', flag: ' -u', form: 'percent' },
  { program: 'rpcclient', flag: ' -u', form: 'percent' },
  { program: 'p4 ', flag: ' -p', form: 'value' },
];

/** Programs whose password flag is an upper-case P; their `-p` is a port or an address. */
const UPPER_P = new Set(['p4 ', 'sqlcmd', 'bcp ', 'zip ', 'unzip ', 'ipmitool', 'mosquitto_']);

interface Memory {
  program: string;
  at: number;
}

const PROGRAMS = new Set(FLAGS.map(({ program }) => program));
const FLAGS_BY_TRIGGER = new Map<string, Flag[]>();
for (const flag of FLAGS) FLAGS_BY_TRIGGER.set(flag.flag, [...(FLAGS_BY_TRIGGER.get(flag.flag) ?? []), flag]);

/** Passwords on command lines (RED-3): short flags beside their program. Long options are assignments. */
export function commandLineRules(): Rule[] {
  return [commands, passOption, positional];
}

const commands: Rule = {
  triggers: [...PROGRAMS, ...FLAGS_BY_TRIGGER.keys()],
  confirm(scan, start, end, trigger) {
    const memory = scan.memo(commands, (): Memory => ({ program: '', at: -REACH }));
    if (PROGRAMS.has(trigger)) {
      // A dash in the first column may be a diff mark.
      const before = start >= 2 && isBreak(scan.text.charCodeAt(start - 2)) ? 32 : scan.text.charCodeAt(start - 1);
      if (start > 0 && before !== 110 && ((before >= 97 && before <= 122) || before === 95 || before === 45)) return;
      memory.program = trigger;
      memory.at = start;
      return;
    }
    if (start - memory.at > REACH || !isOneCommand(scan, memory.at, start)) return;
    const flag = FLAGS_BY_TRIGGER.get(trigger)?.find((candidate) => candidate.program === memory.program);
    if (flag !== undefined) confirmFlag(scan, flag, end);
  },
};

/** True when no line between ends without a backslash; then both ends stand in one command. */
function isOneCommand(scan: Scan, from: number, to: number): boolean {
  const { text } = scan;
  for (let line = scan.lines.startOf(to); line > from; ) {
    let end = line - 1;
    if (text.charCodeAt(end - 1) === 13) end -= 1;
    if (text.charCodeAt(end - 1) !== 92) return false;
    line = end;
    while (line > from && text.charCodeAt(line - 1) !== 10) line -= 1;
  }
  return true;
}

function confirmFlag(scan: Scan, flag: Flag, end: number): void {
  const { text } = scan;
  const letter = text.charAt(end - 1);
  if (flag.flag === ' -p' && (letter === 'P') !== UPPER_P.has(flag.program)) return;
  const next = text.charCodeAt(end);
  const separator = flag.form === 'pair' ? ':' : flag.form === 'percent' ? '%' : undefined;
  if (flag.form === 'joined' || (flag.form !== 'value' && !isSpace(next) && next !== 61)) {
    if (!isSpace(next)) reportWord(scan, end, separator);
    return;
  }
  if (!isSpace(next) && next !== 61) return;
  let at = end + 1;
  while (isSpace(text.charCodeAt(at)) && at - end < 8) at += 1;
  reportWord(scan, at, separator);
}

/** Reports a word of a command, or what stands in it behind the separator between user and password. */
function reportWord(scan: Scan, at: number, separator?: string): void {
  const { text } = scan;
  const quoted = quotedValueAt(text, at);
  let start = quoted?.start ?? at;
  const end = quoted?.end ?? endOfWord(text, at);
  if (separator !== undefined) {
    const user = text.slice(start, Math.min(end, start + MAX_VALUE)).indexOf(separator);
    // The shell joins literals: `ann:'v'`, `"ann":"v"`.
    const literal = quoted === undefined ? end : end + 2;
    if (
      (user < 0 || start + user + 1 === end) &&
      text.charCodeAt(literal - 1) === separator.charCodeAt(0) &&
      isQuote(text.charCodeAt(literal))
    ) {
      reportWord(scan, literal);
      return;
    }
    if (user < 0) return;
    // `curl -u KEY:` gives a key in the place of the user and no password, or a letter for one.
    if (separator === ':' && end - start - user <= 2 && isGeneratedUser(text, start, start + user)) {
      scan.report(RULE, start, start + user, 'low');
      return;
    }
    start += user + 1;
  }
  const value = text.slice(start, end);
  if (
    value.length < 3 ||
    value.length > MAX_VALUE ||
    isStandIn(value) ||
    isLocation(value) ||
    isConcatenation(value) ||
    value.startsWith('-')
  )
    return;
  if (quoted !== undefined) {
    const literal = text.slice(quoted.start, quoted.end);
    if (BETWEEN_LITERALS.test(literal) || BETWEEN_STRINGS.test(literal)) return;
  }
  if (separator === undefined && isWordLike(value) && value.length > 24) return;
  scan.report(RULE, start, end, 'low');
}

/** A key as chance makes it; hexadecimal digits are one from the length of a digest. */
function isGeneratedUser(text: string, start: number, end: number): boolean {
  const made = makeUpOf(text, start, end);
  if (end - start < SHORTEST_USER || made.digits < 2 || made.digits === made.length) return false;
  return made.hex ? made.length >= SHORTEST_HEX_USER : looksRandom(made);
}

function endOfWord(text: string, from: number): number {
  let at = from;
  while (at < text.length && at - from <= MAX_VALUE) {
    const code = text.charCodeAt(at);
    if (code <= 32 || code === 34 || code === 39 || code === 96 || code === 92 || code === 124 || code === 59 || code === 60 || code === 62)
      break;
    at += 1;
  }
  return at;
}

/** Options of SNMP's third version before its passphrases. */
const SNMP_AUTH = /^(?:-(?!A )\w{1,4} (?:[^\s-]\S{0,60} )?){0,10}-A /;
const SNMP_PRIVACY = /^(?:-(?!X )\w{1,4} (?:[^\s-]\S{0,60} )?){0,10}-X /;

/** Commands whose password is an argument by its place: what stands between the command and it. */
const ARGUMENTS = patternsByTrigger([
  ['net use ', /^(?:\S{1,3} )?\\\\\S{3,120} (?=["']?[^\s"'/*]\S{2,60}["']? \/user:)/i],
  ['net use ', /^(?:\S{1,3} )?\\\\\S{3,120} \/user:\S{1,60} (?=[^\s/])/i],
  ['signtool sign ', /^(?:\/(?!p )\w{1,12} (?:[^/\s]\S{0,120} )?){0,12}\/p /i],
  ['gh secret set ', /^\S{1,80} (?:-(?!b )-?(?!body)\w{1,12}[ =]\S{1,80} ){0,4}(?:--body|-b)[ =]/],
  ['git config ', /^(?:--\w{1,12} ){0,3}[\w.-]{0,60}(?:token|password|secret|passwd)\w{0,20} /i],
  ['htpasswd -', /^[a-zA-Z]*b[a-zA-Z]*(?: -[a-zA-Z]+)* \S{1,120} \S{1,60} /],
  ['vault login ', /^(?:-\S{1,40} )*(?=[^-\s])/],
  ['convertto-securestring ', /^(?:-string )?(?=\\?["'])/i],
  ['npm config set ', /^\S{1,120}(?:_authToken|_password|_auth)[ =]/],
  ['configure set aws_secret_access_key ', /^/],
  ['configure set aws_session_token ', /^/],
  ['net user ', /^[^\s/]\S{0,60} (?=[^\s/*]\S{3,60}(?: \/\w|\s{0,8}$))/im],
  ['schtasks ', /^(?:\/(?!rp )\w{1,8}(?: [^\s/]\S{0,80})? ){0,12}\/rp /i],
  ['xfreerdp ', /^(?:[^\s/]\S{0,80} |\/(?!p:)\S{1,80} ){0,12}\/p:/],
  ['nmcli ', /^(?!.{0,120}-file)[^\n|;]{0,120}? password /],
  ['addprinc ', /^(?:-(?!pw )\w{1,12} (?:[^\s-]\S{0,40} )?){0,6}-pw /],
  ['rabbitmqctl add_user ', /^\S{1,60} /],
  ['rabbitmqctl change_password ', /^\S{1,60} /],
  ['bundle config ', /^(?:--\w{1,12} |set ){0,3}[\w.-]{1,80}\.[a-z]{2,8} [^\s:]{1,60}:/],
  ['lftp ', /^(?:-[eop] \S{1,60} ){0,3}-u [^\s,]{1,60},/],
  ['http -a ', /^[^\s:]{1,60}:/],
  ['https -a ', /^[^\s:]{1,60}:/],
  ['snmpwalk ', SNMP_AUTH],
  ['snmpwalk ', SNMP_PRIVACY],
  ['snmpget ', SNMP_AUTH],
  ['snmpget ', SNMP_PRIVACY],
]);

const positional: Rule = {
  triggers: [...ARGUMENTS.keys()],
  confirm(scan, _start, end, trigger) {
    for (const at of endsBehind(scan.text, end, 240, ARGUMENTS.get(trigger))) reportWord(scan, at);
  },
};

/** OpenSSL and signing tools: `-passin pass:value`. */
const passOption: Rule = {
  triggers: ['pass:'],
  confirm(scan, start, end) {
    const before = scan.text.charCodeAt(start - 1);
    const option = scan.text.slice(Math.max(0, start - 12), start);
    if (
      (before === 32 || before === 34 || before === 39 || before === 61) &&
      /-pass(?:in|out)?[ =]["']?$|-(?:store|key)pass[ =]["']?$/.test(option)
    )
      reportWord(scan, end);
  },
};
