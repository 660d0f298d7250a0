import { expect, it } from 'vitest';
import { renderChecks } from './render-checks.js';

it('OPS-6: the doctor says in words what is wrong with the service, and which secrets are missing or old', () => {
  const old = [
    { secret: 'LLM_KEY_FILE', days: 84, state: 'ageing' },
    { secret: 'SMTP_PASSWORD_FILE', days: 91, state: 'expired' },
  ];
  const missing = [
    { secret: 'TRIGGER_SECRET', code: 'SECRET_MISSING' },
    { secret: 'ticket of main', code: 'SECRET_REJECTED' },
  ];
  const checks = {
    queue: { ok: true, due: 2, scheduled: 0, running: 1, oldestDueMs: 10 },
    secrets: { ok: false, code: 'SECRET_MISSING', missing, old },
    disk: { ok: false, code: 'DISK_FULL', freeMb: 12 },
  };
  expect(renderChecks(checks, 90).split('\n')).toEqual([
    '  queue       good  2 due, 0 scheduled, 1 running',
    '  secrets     SECRET_MISSING',
    '              TRIGGER_SECRET is missing or empty',
    '              ticket of main cannot be used (SECRET_REJECTED)',
    '              LLM_KEY_FILE is 84 days old: rotate it before 90',
    '              SMTP_PASSWORD_FILE is 91 days old, past its 90. To do: rotate it.',
    '  disk        DISK_FULL  12 MB free',
  ]);
  expect(renderChecks({ queue: { ok: false, code: 'SCHEMA_OLD' } }, 90)).toBe(
    '  queue       SCHEMA_OLD  To do: run migrate.',
  );
});
