import { z } from 'zod';
import { age, day, minute, ms } from './bounds.js';

export const artifacts = z
  .strictObject({
    rawTtlMs: ms(minute, 7 * day, 7 * day, 'Life of raw artifacts; at most 7 days (ART-1).'),
    redactedTtlMs: ms(minute, 30 * day, 30 * day, 'Life of redacted artifacts; at most 30 days (ART-1).'),
  })
  .prefault({})
  .describe('How long artifacts live.');

export const retention = z
  .strictObject({
    finishedJobsMs: age(90 * day).describe(
      'Age at which a completed job, or a failed one without an open dead letter, is deleted with its outbox rows and closed dead letters (ruling R18); null: never. A deleted job is forgotten: its idempotency key, and its version of a change, may be submitted again and run again (NOT-1, NOT-2).',
    ),
  })
  .prefault({})
  .describe('How long the database keeps what has ended. Audit events and the egress log are never pruned.');
