import { describe, expect, it } from 'vitest';
import { help, readDemoArguments } from './demo-arguments.js';
import { UsageError } from './usage-error.js';

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
    expect(readDemoArguments([], {})).toEqual({
      reviewVersion: 1,
      databaseUrl: null,
      shelf: false,
      state: null,
      fresh: false,
      dryRunTo: null,
      perforce: null,
      model: null,
      mail: null,
      notes: [],
    });
    expect(readDemoArguments(['--help'], {})).toBeNull();
  });

  it('resolves folders against where npm was called', () => {
    expect(readDemoArguments(['--dry-run', '--out', 'here'], { INIT_CWD: '/somewhere' })).toMatchObject({
      dryRunTo: '/somewhere/here',
    });
  });

  it.each([
    [['--dry-run'], '--out'],
    [['--out', 'x'], '--dry-run'],
    [['--dry-run', '--out', 'x', '--fresh'], '--fresh'],
    [['--shelf', '--review-version', '2'], '--review-version'],
    [['--review-version', '0'], '--review-version'],
    [['--review-version', 'two'], '--review-version'],
    [['--nonsense'], '--nonsense'],
    [['stray'], 'stray'],
    [['--state', ''], '--state'],
  ])('%j gets one line that names what to fix', (args, named) => {
    expect(complaint(args)).toContain(named);
    expect(complaint(args).split('\n')).toHaveLength(1);
  });

  it('says that a key for another program is not used', () => {
    expect(readDemoArguments([], { OPENAI_API_KEY: 'x' })?.notes).toEqual([expect.stringContaining('OPENAI_API_KEY')]);
    expect(readDemoArguments([], { OPENAI_API_KEY: '' })?.notes).toEqual([]);
  });

  it('takes a Perforce server with all that belongs to it', () => {
    const named = { P4PORT: 'ssl:p4.example.test:1666', P4USER: 'bot' };
    const defaults = {
      port: named.P4PORT,
      user: 'bot',
      executable: '/usr/local/bin/p4',
      fingerprint: undefined,
      ticketFile: undefined,
    };
    expect(readDemoArguments([], named)?.perforce).toEqual({ ...defaults, allow: [], changes: [] });
    const more = {
      P4_TICKET_FILE: 'ticket',
      P4_FINGERPRINT: 'AB',
      ALLOW: '//a/...,//b/c',
      P4_EXECUTABLE: '/opt/p4',
      INIT_CWD: '/home/ada',
    };
    expect(readDemoArguments(['--change', '7', '--change', '9'], { ...named, ...more })?.perforce).toEqual({
      port: named.P4PORT,
      user: 'bot',
      executable: '/opt/p4',
      fingerprint: 'AB',
      ticketFile: '/home/ada/ticket',
      allow: ['//a/...', '//b/c'],
      changes: [7, 9],
    });
    expect(complaint([], { P4PORT: 'p4:1666' })).toContain('P4USER');
    expect(complaint(['--change', '7'])).toContain('P4PORT');
    expect(complaint(['--change', '0'], named)).toContain('--change');
    expect(complaint([], { ...named, P4PASSWD: 'x' })).toContain('P4_TICKET_FILE');
  });

  const named = ['P4PORT', 'P4USER', 'P4_TICKET_FILE', 'P4_FINGERPRINT', 'ALLOW', 'P4_EXECUTABLE', '--change'];
  const endpoints = [
    'LLM_PROTOCOL',
    'LLM_BASE_URL',
    'LLM_MODEL',
    'LLM_KEY_FILE',
    'LLM_CONTEXT_TOKENS',
    'LLM_MAX_OUTPUT_TOKENS',
  ];
  it.each([...named, ...endpoints, 'SMTP_URL', 'SMTP_PASSWORD_FILE', 'MAIL_TO', 'MAIL_FROM'])(
    'names %s in its help',
    (name) => {
      expect(help).toContain(name);
    },
  );

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
