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
    expect(readDemoArguments([], {})).toEqual({ reviewVersion: 1, databaseUrl: null, state: null, fresh: false, dryRunTo: null });
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

  it.each(['P4PORT', 'SMTP_URL', 'OPENAI_API_KEY'])('refuses %s until its defence has landed', (name) => {
    expect(complaint([], { [name]: 'x' })).toContain(name);
    expect(complaint([], { [name]: '' })).toBe('accepted');
  });

  it('takes DATABASE_URL, shows nothing of it, and refuses what is none of PostgreSQL', () => {
    const url = 'postgresql://ada@db.example.test/demo';
    expect(readDemoArguments([], { DATABASE_URL: url })).toMatchObject({ databaseUrl: url });
    expect(readDemoArguments([], { DATABASE_URL: '' })).toMatchObject({ databaseUrl: null });
    for (const wrong of ['mysql://ada@db.example.test/demo', 'db.example.test', 'postgres://[']) {
      expect(complaint([], { DATABASE_URL: wrong })).toContain('DATABASE_URL');
      expect(complaint([], { DATABASE_URL: wrong })).not.toContain(wrong);
    }
  });
});
