import { describe, expect, it } from 'vitest';
import { readDemoArguments, UsageError } from './demo-arguments.js';

const complaint = (args: string[], environment: NodeJS.ProcessEnv = {}): string => {
  try {
    readDemoArguments(args, environment);
  } catch (error) {
    return error instanceof UsageError ? error.message : `not a UsageError: ${String(error)}`;
  }
  return 'accepted';
};

describe('demo arguments', () => {
  it('has a default for everything', () => {
    expect(readDemoArguments([], {})).toEqual({ reviewVersion: 1, state: null, fresh: false, dryRunTo: null });
    expect(readDemoArguments(['--help'], {})).toBeNull();
  });

  it('resolves folders against where npm was called', () => {
    expect(readDemoArguments(['--dry-run', '--out', 'here'], { INIT_CWD: '/somewhere' })).toMatchObject({ dryRunTo: '/somewhere/here' });
  });

  it.each([
    [['--dry-run'], '--out'],
    [['--out', 'x'], '--dry-run'],
    [['--dry-run', '--out', 'x', '--fresh'], '--fresh'],
    [['--review-version', '0'], '--review-version'],
    [['--review-version', 'two'], '--review-version'],
    [['--nonsense'], '--nonsense'],
    [['stray'], 'stray'],
    [['--state', ''], '--state'],
  ])('%j gets one line that names what to fix', (args, named) => {
    expect(complaint(args)).toContain(named);
    expect(complaint(args).split('\n')).toHaveLength(1);
  });

  it.each(['P4PORT', 'SMTP_URL', 'DATABASE_URL', 'OPENAI_API_KEY'])('refuses %s until its defence has landed', (name) => {
    expect(complaint([], { [name]: 'x' })).toContain(name);
    expect(complaint([], { [name]: '' })).toBe('accepted');
  });
});
