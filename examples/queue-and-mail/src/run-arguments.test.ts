import { expect, it } from 'vitest';
import { readRunArguments, UsageError } from './run-arguments.js';

it('asks for help with null', () => {
  expect(readRunArguments(['--help'], {})).toBeNull();
});

it.each([
  [['--workers', '0'], '--workers'],
  [['--customers', 'many'], '--customers'],
  [['--kill', '--workers', '1'], '--kill'],
  [['--month', '2026-13'], '--month'],
  [['--nonsense'], '--nonsense'],
  [['--state', '/dev/null/x'], '--state'],
])('%j gets one line that names what to fix', (args, named) => {
  let line = 'accepted';
  try {
    readRunArguments(args, {});
  } catch (error) {
    line = error instanceof UsageError ? error.message : `not a UsageError: ${String(error)}`;
  }
  expect(line).toContain(named);
  expect(line.split('\n')).toHaveLength(1);
  expect(line).not.toContain('not a UsageError');
});
