import { isCriticizerError } from '@criticizer/core';
import { describe, expect, it } from 'vitest';
import { commandArguments, type P4Command, type P4CommandName } from './p4-command.js';

const code = (command: P4Command): string => {
  try {
    commandArguments(command);
    return 'ok';
  } catch (error) {
    return isCriticizerError(error) ? error.code : 'untyped';
  }
};
const command = (name: string, flags: string[], operands: string[], operandsPerBatch?: number): P4Command => ({
  name: name as P4CommandName,
  flags,
  operands,
  operandsPerBatch,
});

describe('p4 command', () => {
  it('P4-7: builds one token an argument', () => {
    expect(commandArguments(command('describe', ['-s', '-m', '11'], ['7']))).toEqual({
      options: [],
      tokens: ['describe', '-s', '-m', '11', '7'],
      operandInput: null,
    });
    expect(commandArguments(command('print', ['-k'], ['//d/a#1', '//d/b c@=2'], 50))).toEqual({
      options: ['-b', '50', '-x', '-'],
      tokens: ['print', '-k'],
      operandInput: '//d/a#1\n//d/b c@=2\n',
    });
    expect(commandArguments(command('changes', ['-s', 'submitted'], ['//d/...@7,@9'])).tokens).toEqual([
      'changes',
      '-s',
      'submitted',
      '//d/...@7,@9',
    ]);
  });

  it('GRD-4: files and lines are listed as of a change', () => {
    expect(code(command('files', ['-e', '-m', '9'], ['//d/...@7', '//d/.../a/b.h@7', '//d/b.h@7'], 64))).toBe('ok');
    expect(code(command('grep', ['-n', '-s', '-F', '-e', 'Step'], ['//d/e/...@7', '//d/b.h@7']))).toBe('ok');
    expect(code(command('fstat', ['-Ol'], ['//d/b.h@7']))).toBe('ok');
  });

  it.each([
    command('set', [], []),
    command('tickets', [], []),
    command('trust', ['-y'], []),
    command('constructor', [], []),
    command('print', ['-o'], ['//d/a#1']),
    command('print', ['toString'], ['//d/a#1']),
    command('print', [], []),
    command('print', [], ['-o/tmp/evil']),
    command('print', [], ['//d/a']),
    command('print', [], ['//d/...#1']),
    command('print', [], ['//d/a#1\n-o/tmp/evil'], 5),
    command('print', [], ['//d/a#head']),
    command('print', [], ['//d/a#1,#2']),
    command('print', [], [''], 5),
    command('describe', ['-s'], []),
    command('describe', ['-s'], ['7', '-S']),
    command('describe', ['-s'], ['-S']),
    command('describe', ['-m', '-1'], ['7']),
    command('describe', ['-m'], ['7']),
    command('describe', ['-s'], ['7'], 5),
    command('users', [], ['*']),
    command('users', [], ['-a']),
    command('reviews', ['-c', '1;2'], []),
    command('changes', [], ['//...']),
    command('changes', [], ['//d/...@1']),
    command('changes', [], ['//d/...@1,@x']),
    command('changes', [], ['//d/...@1,@2@3,@4']),
    command('files', ['-e'], ['//d/a']),
    command('files', ['-e'], ['//d/.../x/...@7']),
    command('files', ['-a'], ['//d/...@7']),
    command('files', ['-e'], ['//.../x@7']),
    command('files', ['-e'], ['//d/*@7']),
    command('grep', ['-n'], ['-e']),
    command('grep', ['-F', '-e', 'a|b c'], ['//d/...@7']),
    command('grep', ['-F', '-e', '-o'], ['//d/...@7']),
    command('grep', ['-F', '-e', 'a'], ['//d/...']),
    command('grep', ['-F', '-e', 'a'], ['//...@7']),
    command('fstat', ['-Ol'], ['//d/...@7']),
    command('protects', ['-u', 'ann'], []),
    command('info', [], ['//d/a#1']),
  ])('P4-7: refuses %j', (refused) => {
    expect(code(refused)).toBe('P4_COMMAND_REFUSED');
  });
});
