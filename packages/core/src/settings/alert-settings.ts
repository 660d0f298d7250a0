import { z } from 'zod';
import { day, minute, ms } from './bounds.js';

export const alerts = z
  .strictObject({
    everyMs: ms(
      1_000,
      10 * minute,
      15_000,
      'How often what is wrong is read from the store: by one of all processes, in turn. What this process sees itself is reported at once.',
    ),
    sendTimeoutMs: ms(100, minute, 10_000, 'What one call of a pager may take; then it is tried again.'),
    outageForMs: ms(
      0,
      24 * 60 * minute,
      5 * minute,
      'How long an outage must park work before anybody is paged: most end by themselves.',
    ),
    keepMs: ms(
      0,
      60 * minute,
      5 * minute,
      'How long an outage must be over before its page is resolved, so that one that flickers pages once.',
    ),
    killSwitchReminderMs: z
      .number()
      .int()
      .min(minute)
      .max(30 * day)
      .nullable()
      .default(4 * 60 * minute)
      .describe(
        'How long the kill switch stops something before somebody is paged, and how often again while it does; null: nobody is.',
      ),
  })
  .prefault({})
  .describe('Alerts, and the pagers that are called for them (OPS-3).');
