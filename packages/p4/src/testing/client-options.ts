import { dirname, join } from 'node:path';
import type { OutputMode } from './render-events.js';

/** A command line, understood as the client understands it. */
export interface ClientCommandLine {
  mode: OutputMode;
  tagged: boolean;
  port: string | null;
  user: string | null;
  client: string | null;
  /** `-x`: where operands are read; `-b`: how many to a command. */
  operandFile: string | null;
  batch: number;
  /** `--script`: a Lua program the client would run. */
  script: string | null;
  /** `-v net.maxwait=N`: seconds that the client waits for the server; null: for ever. */
  maxWaitS: number | null;
  /** `-V`. */
  showsVersion: boolean;
  command: string;
  args: readonly string[];
}

/** Parsing stops at a bad option: what the client then prints. */
export type ParsedCommandLine = { ok: true; line: ClientCommandLine } | { ok: false; message: string };

const withValue = new Set('bcCdEFHMpPlLQruvxzZ');
const withoutValue = new Set('?heGRqsVI');
/** Name -> whether it takes a value. */
const longOptions = new Map([
  ['aliases', true],
  ['field', true],
  ['script', true],
  ['no-script', false],
]);

/** Global options end at the first word without a dash; `--` is an option the client does not have. */
export function parseClientArguments(argv: readonly string[]): ParsedCommandLine {
  const values = new Map<string, string>();
  const flags = new Set<string>();
  let at = 0;
  for (; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (!word.startsWith('-') || word === '-') break;
    if (word.startsWith('--')) {
      const [name = '', attached] = word.slice(2).split('=', 2);
      if (!longOptions.has(name)) return { ok: false, message: `Invalid option: ${word}.` };
      if (longOptions.get(name) === true) values.set(name, attached ?? argv[++at] ?? '');
      continue;
    }
    for (let letter = 1; letter < word.length; letter += 1) {
      const option = word[letter] ?? '';
      if (withoutValue.has(option)) flags.add(option);
      else if (withValue.has(option)) {
        const attached = word.slice(letter + 1);
        const value = attached === '' ? argv[++at] : attached;
        if (value === undefined) return { ok: false, message: `Option: -${option} needs argument.` };
        if (option === 'z' && value === 'tag') flags.add('tag');
        values.set(option, value);
        break;
      } else return { ok: false, message: `Invalid option: -${word.slice(letter)}.` };
    }
  }
  const mode = flags.has('s') ? 'script' : flags.has('G') ? 'marshal' : values.get('M') === 'j' ? 'json' : 'plain';
  const [command = 'help', ...args] = argv.slice(at);
  const line = {
    mode,
    tagged: flags.has('tag'),
    port: values.get('p') ?? null,
    user: values.get('u') ?? null,
    client: values.get('c') ?? null,
    operandFile: values.get('x') ?? null,
    batch: Number(values.get('b') ?? 128),
    script: values.get('script') ?? null,
    maxWaitS: readMaxWait(values.get('v')),
    showsVersion: flags.has('V'),
    command,
    args,
  } as const;
  return { ok: true, line };
}

/** 0 means for ever, as no setting does. */
function readMaxWait(setting: string | undefined): number | null {
  const seconds = Number(/^net\.maxwait=([0-9]+)$/.exec(setting ?? '')?.[1] ?? 0);
  return seconds === 0 ? null : seconds;
}

/** They run programs, write files, change the output or name another identity. */
const dangerous =
  /^P4(?:EXTENSIONS|LOGINSSO|DEBUG|LOG|DIFF.*|MERGE.*|PAGER|COLORS|ZEROSYNC|ALTSYNC|INITROOT|LANGUAGE|HOST)$/;

/** Reads a file as text; null where there is none. */
export type ReadText = (path: string) => string | null;

/** What the client takes from files and variables where no option is given. */
export interface ClientSettings {
  values: ReadonlyMap<string, string>;
  /**
   * Files of the machine that took part, such as a P4CONFIG in a parent directory, and variables no
   * contained client is given.
   */
  violations: readonly string[];
}

/** A P4CONFIG file beats the environment, which beats the P4ENVIRO file. P4CONFIG is looked for from PWD upwards. */
export function readClientSettings(
  env: Readonly<Record<string, string | undefined>>,
  readText: ReadText,
): ClientSettings {
  const values = new Map<string, string>();
  const violations: string[] = [];
  const take = (path: string): void => {
    const text = readText(path);
    if (text === null) return;
    violations.push(`read ${path}`);
    for (const [, key, value] of text.matchAll(/^(P4[A-Z]+)=(.*)$/gm))
      if (key !== undefined && value !== undefined) values.set(key, value);
  };
  const enviro = env['P4ENVIRO'] ?? (env['HOME'] === undefined ? null : join(env['HOME'], '.p4enviro'));
  if (enviro !== null && enviro !== '/dev/null') take(enviro);
  for (const [key, value] of Object.entries(env))
    if (key.startsWith('P4') && value !== undefined) values.set(key, value);
  const config = values.get('P4CONFIG') ?? '';
  let directory = env['PWD'] ?? '/';
  while (config !== '') {
    const path = join(directory, config);
    if (readText(path) !== null) {
      take(path);
      break;
    }
    if (dirname(directory) === directory) break;
    directory = dirname(directory);
  }
  const aliases = env['P4ALIASES'] ?? (env['HOME'] === undefined ? null : join(env['HOME'], '.p4aliases'));
  if (aliases !== null && aliases !== '/dev/null' && readText(aliases) !== null) violations.push(`read ${aliases}`);
  for (const key of values.keys()) if (dangerous.test(key)) violations.push(`took ${key}`);
  return { values, violations };
}
