import { z } from 'zod';
import { count, minute, ms } from './bounds.js';

const breaker = z
  .strictObject({
    outageAfter: z
      .number()
      .int()
      .min(1)
      .max(1_000)
      .nullable()
      .default(5)
      .describe(
        'Failures in a row that count as an outage of a destination; a refused connection or credential counts at once. While it is out, nothing of it is claimed and no attempt is spent (ruling R9). null: no breaker, the schedule alone.',
      ),
    parkMs: ms(1_000, 60 * minute, 5 * minute, 'Longest time between two probes of a destination that is out.'),
    drainPerSecond: count(
      1,
      100_000,
      50,
      'Events a second that leave for a destination after an outage, until its backlog is gone. Per process.',
    ),
  })
  .prefault({})
  .describe('Outages of a destination.');

export const audit = z
  .strictObject({
    concurrency: count(1, 1_000, 8, 'Audit events sent to one destination at a time in this process.'),
    sendTimeoutMs: ms(100, 100_000, 20_000, 'What one send of an audit event may take; then it is a failed attempt.'),
    breaker,
  })
  .prefault({})
  .describe('Delivery of audit events to sinks.');
