import { z } from 'zod';
import { age, agesFrom, day, minute, ms } from './bounds.js';

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
    mailsMs: age(90 * day).describe(
      'Age at which an outbox row that has ended, and whose job is gone or never was, is deleted; null: never. Rows of an open dead letter stay (ruling R18).',
    ),
    closedLettersMs: age(90 * day).describe(
      'Age, from its last change, at which a closed dead letter is deleted; null: never, but with its job. Open ones stay.',
    ),
    egressMs: age(730 * day).describe(
      'Age at which a record of what left is deleted; null: never. Until then nobody can delete it (EGR-1).',
    ),
    samplesMs: agesFrom(2 * day, 90 * day).describe(
      'Age at which bucketed counts, such as spent tokens, are deleted; null: never.',
    ),
    documentsMs: agesFrom(2 * day, 90 * day).describe(
      'Age, from its last change, at which a document of a model or a budget (`llm.…`) is deleted; null: never. Switches, flags and rollouts stay.',
    ),
    cursorsMs: agesFrom(30 * day, null).describe(
      'Age, from its last move, at which the cursor of a watcher is deleted; null, the default: never. A server whose cursor is gone is watched from its newest change on, so set it only where servers come and go.',
    ),
    artifactRowsMs: age(90 * day).describe(
      'Age at which the row of an artifact whose bytes are proven gone is deleted; null: never.',
    ),
    suppressionsMs: age(90 * day).describe(
      'Age, from its expiry or withdrawal, at which a suppression is deleted; null: never. One in force stays.',
    ),
  })
  .prefault({})
  .describe(
    'How long the database keeps what has ended. A change under a legal hold keeps everything; audit events go by their own verb alone.',
  );
