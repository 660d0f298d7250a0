import { reportWord } from '../../grammar/commands/command-words.js';
import { pairedOption } from '../../grammar/commands/paired-options.js';
import { isBeforeCommand } from '../../grammar/commands/perforce-options.js';
import { positionalArgument } from '../../grammar/commands/positional-arguments.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { isBreak, isSpace } from '../../lexicon/charset.js';

/** A flag counts when its program stands at most this far before it. */
const REACH = 240;

/**
 * What a short flag means to one program. `pair`: the value is `user:password`; `percent`:
 * `user%password`. `joined`: the value follows without a space; `either`: with or without one.
 */
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
  { program: 'sqlcmd', flag: ' -p', form: 'either' },
  { program: 'bcp ', flag: ' -p', form: 'either' },
  { program: 'ldap', flag: ' -w', form: 'value' },
  { program: 'zip ', flag: ' -p', form: 'value' },
  { program: 'unzip ', flag: ' -p', form: 'value' },
  { program: '7z ', flag: ' -p', form: 'joined' },
  { program: '7za ', flag: ' -p', form: 'joined' },
  { program: '7zz ', flag: ' -p', form: 'joined' },
  { program: 'rar ', flag: ' -p', form: 'joined' },
  { program: 'rar ', flag: ' -hp', form: 'joined' },
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
  { program: 'net rpc', flag: ' -u', form: 'percent' },
  { program: 'net ads', flag: ' -u', form: 'percent' },
  { program: 'smbget', flag: ' -u', form: 'percent' },
  { program: 'etcdctl', flag: ' --user', form: 'pair' },
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

/** Passwords on command lines (RED-3): short flags of their program. Long options are assignments. */
export function commandLineRules(): Rule[] {
  return [commands, passOption, pairedOption, positionalArgument];
}

const commands: Rule = {
  triggers: [...PROGRAMS, ...FLAGS_BY_TRIGGER.keys()],
  confirm(scan, start, end, trigger) {
    const memory = scan.memo(commands, (): Memory => ({ program: '', at: -REACH }));
    if (PROGRAMS.has(trigger)) {
      // A dash in the first column may be a diff mark.
      const before = start === 1 || isBreak(scan.text.charCodeAt(start - 2)) ? 32 : scan.text.charCodeAt(start - 1);
      if (
        start > 0 &&
        before !== 110 &&
        trigger !== 'ldap' &&
        ((before >= 97 && before <= 122) || before === 95 || before === 45 || before === 46)
      )
        return;
      // `-S mysql.example.com`: a host.
      if (scan.text.charCodeAt(end) === 46 && !scan.text.startsWith('.exe', end)) return;
      memory.program = trigger;
      memory.at = start;
      return;
    }
    if (start - memory.at > REACH || !isOneCommand(scan, memory.at, start)) return;
    const flag = FLAGS_BY_TRIGGER.get(trigger)?.find((candidate) => candidate.program === memory.program);
    if (flag !== undefined) confirmFlag(scan, flag, memory.at, end);
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

/** `from`: where the program stands. */
function confirmFlag(scan: Scan, flag: Flag, from: number, end: number): void {
  const { text } = scan;
  const letter = text.charAt(end - 1);
  if (flag.flag === ' -b' && letter === 'B') return;
  if (flag.flag === ' -p' && (letter === 'P') !== UPPER_P.has(flag.program)) return;
  if (flag.program === 'p4 ' && !isBeforeCommand(text.slice(from + flag.program.length, end - flag.flag.length)))
    return;
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
