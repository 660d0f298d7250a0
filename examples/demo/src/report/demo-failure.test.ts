import { CriticizerError } from '@criticizer/core';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../settings/usage-error.js';
import { complaintOf, createTroubleWatch } from './demo-failure.js';

describe('a complaint', () => {
  it.each<[string, Error, string[]]>([
    ['a wrong option', new UsageError('--out needs a folder.'), ['--out']],
    [
      'a refused secret',
      new CriticizerError('SECRET_REJECTED', 'refused: mode', { details: { name: 'KEY' } }),
      ['SECRET_REJECTED', 'KEY', '--fresh'],
    ],
    [
      'wrong settings',
      new TypeError('settings.a: unknown\nsettings.b: unknown'),
      ['settings.a', 'settings.b', 'review-service.ts'],
    ],
    [
      'a full disk',
      Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
      ['ENOSPC', '--state'],
    ],
    [
      'a torn database',
      Object.assign(new Error('disk image\nis malformed'), { code: 'ERR_SQLITE_ERROR' }),
      ['ERR_SQLITE_ERROR', 'malformed'],
    ],
    [
      'a database that refuses',
      new CriticizerError('PG_FORBIDDEN', 'refused', { details: { sqlState: '42501' } }),
      ['PG_FORBIDDEN', '42501', 'DATABASE_URL'],
    ],
  ])('about %s is one line that names it', (_what, error, named) => {
    const line = complaintOf(error);
    for (const part of named) expect(line).toContain(part);
    expect(line?.split('\n')).toHaveLength(1);
  });

  it('is none about a bug: that keeps its stack', () => {
    expect(complaintOf(new RangeError('x'))).toBeNull();
    expect(complaintOf('x')).toBeNull();
  });
});

describe('the trouble watch', () => {
  it.each([
    'SQLITE_FULL',
    'SQLITE_CORRUPT',
    'ARTIFACT_STORE_UNAVAILABLE',
    'KEY_UNKNOWN',
    'SECRET_MISSING',
    'PG_FORBIDDEN',
    'SMTP_AUTH',
    'SMTP_CLIENT_REFUSED',
    'ENOSPC',
  ])('%s ends the demo', (code) => {
    const watch = createTroubleWatch();
    watch.check();
    watch.logger.warn({ code }, 'stage failed');
    expect(() => watch.check()).toThrow(UsageError);
    expect(() => watch.check()).toThrow(code);
  });

  it.each(['SQLITE_BUSY', 'PG_CONNECTION', 'SMTP_CONNECTION', 'SMTP_RATE_LIMITED', 'ECONNREFUSED', undefined])(
    '%s may pass',
    (code) => {
      const watch = createTroubleWatch();
      watch.logger.error({ code }, 'mail failed');
      expect(() => watch.check()).not.toThrow();
    },
  );
});
