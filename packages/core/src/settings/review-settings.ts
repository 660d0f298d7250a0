import { z } from 'zod';
import { age, count, day, minute, ms } from './bounds.js';
import { reviewContext } from './context-settings.js';

const severity = z.enum(['critical', 'high', 'medium', 'low', 'info']);

/** Bytes of the instructions of one rule, and of all rules: requests hold them in addition to the change. */
const maxInstructions = 4_096;
const maxAllInstructions = 16_384;

const rule = z
  .strictObject({
    paths: z
      .array(z.string().startsWith('//'))
      .min(1)
      .max(100)
      .describe('Perforce patterns as in `egress.policy`. Case is ignored.'),
    instructions: z
      .string()
      .refine((text) => Buffer.byteLength(text) <= maxInstructions, `expected at most ${maxInstructions} bytes`)
      .default('')
      .describe(
        'What the reviewer is told beside its own prompt, at most 4,096 bytes (16,384 for all rules). A request has those of every rule that matches a file of it, in this order. Trusted text: write it yourself, never take it from a change.',
      ),
    severityFloor: severity
      .optional()
      .describe('In place of `review.severityFloor` for findings in these files; the last rule with one decides.'),
    provider: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Id of the provider that reviews these files where `egress.policy` lets it see them; the last rule with one decides. Left out, or where it may not: as without a rule.',
      ),
  })
  .refine(
    ({ instructions, severityFloor, provider }) =>
      instructions.trim() !== '' || severityFloor !== undefined || provider !== undefined,
    'expected instructions, severityFloor or provider',
  );

export const review = z
  .strictObject({
    severityFloor: severity
      .default('info')
      .describe('Findings whose effective severity is below this are counted, not mailed (INT-3).'),
    maxFindings: count(
      1,
      1_000,
      50,
      'Findings in a mail; the rest is counted there and kept in the stored review, which holds up to 5,000 (INT-3).',
    ),
    fullFindings: z
      .int()
      .min(0)
      .nullable()
      .default(null)
      .describe('Findings that a mail shows in full, gravest first; the others by title and place. null: all.'),
    context: reviewContext,
    rules: z
      .array(rule)
      .max(100)
      .refine(
        (rules) =>
          rules.reduce((sum, { instructions }) => sum + Buffer.byteLength(instructions), 0) <= maxAllInstructions,
        `expected at most ${maxAllInstructions} bytes of instructions in all rules together`,
      )
      .default([])
      .describe('The team’s own rules, by path.'),
    check: z
      .enum(['off', 'high', 'all'])
      .default('high')
      .describe(
        'Which findings go back to the model once, with more of the code round them than it was shown, to be kept, lowered or dropped with a stored reason: those of effective severity high and above, all, or none. At most one request more for each request of the review.',
      ),
    incremental: z
      .enum(['off', 'shelves', 'always'])
      .default('shelves')
      .describe(
        'Where only what changed since the reviewed version before is sent: for shelves (and what is pending), for every change, or never. A hunk whose lines and enclosing functions are as a review of the change read them is not sent again, unless model, prompt, rules or redaction are others; its findings stay as they are.',
      ),
    followUps: z
      .boolean()
      .default(true)
      .describe(
        'Whether a model is asked, once a version, if the code still has earlier findings of the change that were not reported again. Without an answer they stay open. At most one request more for each request of the review.',
      ),
    suppressions: z
      .strictObject({
        roles: z
          .array(z.string().min(1).max(512))
          .max(100)
          .default(['suppressor'])
          .describe(
            'Roles of an actor who may suppress by rule, path, category, severity or confidence, and hide a withheld credential. `[]`: nobody (GRD-8).',
          ),
        maxRuleMs: ms(
          minute,
          365 * day,
          90 * day,
          'The longest life of a suppression by rule, path, category, severity or confidence.',
        ),
      })
      .prefault({})
      .describe('Who may hide more than one finding of one change, and for how long.'),
    maxAgeMs: z
      .strictObject({
        shelved: age(72 * 60 * minute).describe('For a shelf, and for what is pending.'),
        submitted: age(7 * day).describe('For a submitted change.'),
      })
      .prefault({})
      .describe(
        'How long, in milliseconds, a review may have waited when it is fetched, counted from its submit and its `delayMs`; by default 72 hours for a shelf (and what is pending), 7 days for a submitted change. An older one ends as the stored skip reason `stale`, so that reviews do not come like a flood after a long outage. Not where the submit names recipients, nor in a replay. null: never.',
      ),
  })
  .prefault({})
  .describe('What a review is told, reads and shows.');

export const mail = z
  .strictObject({
    whenNothingToSay: z
      .boolean()
      .default(true)
      .describe(
        'Send a mail for a review that has nothing to say: no finding at `review.severityFloor` or above, no other withheld value, no text left unread (INT-3).',
      ),
    recipientsTimeoutMs: ms(
      100,
      10 * minute,
      30_000,
      'What the recipient resolver may take; after that the notify stage is retried.',
    ),
    ambiguity: z
      .enum(['resend', 'hold'])
      .default('resend')
      .describe(
        'After an attempt that may have been accepted and cannot be looked up: send again and flag the row, or hold it for an operator.',
      ),
    maxAttempts: count(1, 100, 5, 'Attempts for one recipient (ERR-5).'),
    reconcileAfterMs: ms(
      1_000,
      30 * day,
      60 * minute,
      'Age at which a mail marked sent is looked up once more, where the mailer can (NOT-8); never before its settle time.',
    ),
    leaseMs: ms(
      1_000,
      60 * minute,
      minute,
      'Lease of an outbox row, renewed every third of it while the mail is being sent.',
    ),
    concurrency: count(1, 100, 4, 'Mails sent at a time in this process.'),
    maxPerMinute: z
      .number()
      .int()
      .min(1)
      .max(100_000)
      .nullable()
      .default(null)
      .describe(
        'Mails that this process sends by each mailer in any 60 seconds, so that a backlog does not leave at once after an outage; a waiting mail spends no attempt. Each process counts its own. null: not limited.',
      ),
  })
  .prefault({})
  .describe('Delivery.');
