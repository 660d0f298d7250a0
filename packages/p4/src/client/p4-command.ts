import { CriticizerError } from '@criticizer/core/ports';
import { parseDepotPath } from './depot-path.js';
import { isP4UserName } from './p4-port.js';

/** The sub-commands that exist for this package: reads only, none that the client runs by itself (P4-7). */
export type P4CommandName =
  | 'info'
  | 'login'
  | 'describe'
  | 'print'
  | 'fstat'
  | 'filelog'
  | 'files'
  | 'grep'
  | 'users'
  | 'groups'
  | 'reviews'
  | 'changes'
  | 'fixes'
  | 'protects';

/** One call of the client. */
export interface P4Command {
  name: P4CommandName;
  /** Tokens before the operands, such as `['-s', '-m', '10001']`. */
  flags: readonly string[];
  operands: readonly string[];
  /** Operands go through standard input (`-x -`), this many to one server command. Else they stand in argv. */
  operandsPerBatch?: number | undefined;
}

type Grammar = {
  /** Flag -> what its value must be; null for none. */
  flags: Readonly<Record<string, RegExp | null>>;
  operand: (value: string) => boolean;
  mayBatch: boolean;
  needs: 'none' | 'one' | 'some' | 'any';
};

const digits = /^[1-9][0-9]{0,9}$/;
const isChange = (value: string): boolean => digits.test(value);
const isDepotPath = (value: string): boolean => parseDepotPath(value).ok;
/** `//depot/file#3`, `//depot/file@=12`. */
const isRevision = (value: string): boolean => {
  const match = /^([^#@]+)(?:#[1-9][0-9]{0,9}|@=[1-9][0-9]{0,9})$/.exec(value);
  return match?.[1] !== undefined && isDepotPath(match[1]);
};
const isScope = (value: string): boolean => isDepotPath(value.endsWith('/...') ? `${value.slice(0, -4)}/x` : value);
/** `//depot/dir/...`, or only its changes of a range, `//depot/dir/...@12,@34`. */
const isScopeOfChanges = (value: string): boolean => isScope(value.replace(/@[1-9][0-9]{0,9},@[1-9][0-9]{0,9}$/, ''));
/** `//depot/file@12`: the file as it was then. */
const isAsOf = (value: string): boolean => {
  const match = /^([^#@]+)@[1-9][0-9]{0,9}$/.exec(value);
  return match?.[1] !== undefined && isDepotPath(match[1]);
};
/** `//depot/dir/...@12`, `//depot/dir/.../name@12` or a file as of a change. */
const isScopeAsOf = (value: string): boolean => {
  const [, scope = '', name] = /^([^#@]+?)\/\.\.\.(\/[^#@]+)?@[1-9][0-9]{0,9}$/.exec(value) ?? [];
  return isAsOf(value) || (scope !== '' && isDepotPath(`${scope}${name ?? '/x'}`) && isDepotPath(`${scope}/x`));
};
/** What `grep -F` looks for: an identifier, a key, a file name. */
const searchWord = /^[\p{L}\p{N}_$][\p{L}\p{N}_$.-]{0,127}$/u;
const never = (): boolean => false;

const grammars: Readonly<Record<P4CommandName, Grammar>> = {
  info: { flags: { '-s': null }, operand: never, mayBatch: false, needs: 'none' },
  login: { flags: { '-s': null }, operand: never, mayBatch: false, needs: 'none' },
  describe: { flags: { '-s': null, '-S': null, '-m': digits }, operand: isChange, mayBatch: false, needs: 'some' },
  print: { flags: { '-k': null }, operand: isRevision, mayBatch: true, needs: 'some' },
  fstat: {
    flags: { '-Ol': null, '-Or': null, '-Rs': null, '-e': digits },
    // A bare path is meant with `-e`: the file as that shelf has it.
    operand: (value) => isRevision(value) || isAsOf(value) || isDepotPath(value),
    mayBatch: true,
    needs: 'some',
  },
  files: { flags: { '-e': null, '-m': digits }, operand: isScopeAsOf, mayBatch: true, needs: 'some' },
  grep: {
    flags: { '-n': null, '-s': null, '-F': null, '-e': searchWord },
    operand: isScopeAsOf,
    mayBatch: true,
    needs: 'some',
  },
  filelog: { flags: { '-m': digits }, operand: isRevision, mayBatch: true, needs: 'some' },
  users: { flags: { '-a': null, '-m': digits }, operand: isP4UserName, mayBatch: false, needs: 'any' },
  groups: { flags: { '-i': null, '-v': null }, operand: isP4UserName, mayBatch: false, needs: 'one' },
  reviews: { flags: { '-c': digits }, operand: never, mayBatch: false, needs: 'none' },
  changes: {
    flags: { '-l': null, '-m': digits, '-s': /^(?:submitted|pending|shelved)$/, '-e': digits },
    operand: isScopeOfChanges,
    mayBatch: false,
    needs: 'any',
  },
  fixes: { flags: { '-c': digits }, operand: never, mayBatch: false, needs: 'none' },
  protects: { flags: { '-m': null }, operand: never, mayBatch: false, needs: 'none' },
};

/**
 * The tokens of a command after the global options, checked against the lists above: nothing the
 * caller passes can be read as another flag or reach a client-side command. Throws
 * `P4_COMMAND_REFUSED`, which is a bug of the caller and names no operand.
 */
export function commandArguments(command: P4Command): {
  options: string[];
  tokens: string[];
  operandInput: string | null;
} {
  const grammar: Grammar | undefined = Object.hasOwn(grammars, command.name) ? grammars[command.name] : undefined;
  if (grammar === undefined) throw refused('unknown', 'command');
  checkFlags(command, grammar);
  const count = command.operands.length;
  const fits =
    grammar.needs === 'any' ||
    (grammar.needs === 'none' ? count === 0 : grammar.needs === 'one' ? count === 1 : count > 0);
  if (!fits) throw refused(command.name, 'operand count');
  if (!command.operands.every(grammar.operand)) throw refused(command.name, 'operand');
  const tokens = [command.name, ...command.flags];
  if (command.operandsPerBatch === undefined)
    return { options: [], tokens: [...tokens, ...command.operands], operandInput: null };
  if (!grammar.mayBatch || !digits.test(String(command.operandsPerBatch))) throw refused(command.name, 'batch');
  // A line of the operand file is parsed as the command line is; each begins with `//` and holds no line break.
  return {
    options: ['-b', String(command.operandsPerBatch), '-x', '-'],
    tokens,
    operandInput: `${command.operands.join('\n')}\n`,
  };
}

function checkFlags(command: P4Command, grammar: Grammar): void {
  for (let at = 0; at < command.flags.length; at += 1) {
    const flag = command.flags[at] ?? '';
    const value = Object.hasOwn(grammar.flags, flag) ? grammar.flags[flag] : undefined;
    if (value === undefined) throw refused(command.name, 'flag');
    if (value !== null) {
      at += 1;
      if (!value.test(command.flags[at] ?? '')) throw refused(command.name, 'flag value');
    }
  }
}

function refused(name: string, part: string): CriticizerError {
  return new CriticizerError(
    'P4_COMMAND_REFUSED',
    `A p4 command was refused before it ran: its ${part} is not on the list.`,
    {
      category: 'policy',
      details: { command: name, part },
    },
  );
}
