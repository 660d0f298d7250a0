import { z } from 'zod';
import { count, minute, ms } from './bounds.js';

export const intake = z
  .strictObject({
    skipUsers: z.array(z.string()).default([]).describe('Perforce users whose changes are not reviewed.'),
    kinds: z
      .array(z.enum(['submitted', 'shelved', 'pending']))
      .default(['submitted', 'shelved'])
      .describe('Kinds of change that are reviewed.'),
    skipTags: z
      .array(z.string().min(1))
      .default(['#noreview'])
      .describe('Words in the description that ask for no review.'),
    skipPaths: z
      .array(
        z.union([
          z.enum(['unreal', 'unity', 'node', 'generated']),
          z.string().regex(/^-?\/\//, 'expected a preset, or a pattern that begins with // or -//'),
        ]),
      )
      .default([])
      .describe(
        'Files kept from the model: names of presets (text that engines and tools write) and Perforce patterns, `//depot/dir/...`, `//.../*.csv`; a leading `-` keeps paths in the review. The last entry that matches decides; case is ignored. Such files are still scanned for secrets, and coverage counts them as `filtered`.',
      ),
    shelves: z
      .enum(['in_review', 'tagged', 'all'])
      .nullable()
      .default(null)
      .describe(
        'Which shelves that a watcher or a trigger notices are reviewed: those that P4 Code Review calls its test for, those with a word of `tags` in their description, or all. null: `in_review` where P4 Code Review is configured, else `tagged`. Reviews that the host submits by itself are not asked.',
      ),
    tags: z
      .array(z.string().min(1))
      .default(['#review'])
      .describe('Words in the description of a shelf that ask for a review; `#review-12` counts as `#review`.'),
    maxFiles: count(
      1,
      1_000_000,
      2_000,
      'Changes with more files, those under `skipPaths` not counted, are bulk operations and stored as skipped.',
    ),
  })
  .prefault({})
  .describe('Which changes are reviewed; every other one ends as a stored skip reason (INT-1).');

export const watch = z
  .strictObject({
    quietMs: ms(
      0,
      60 * minute,
      3 * minute,
      'How long a shelf that a watcher, a trigger or P4 Code Review notices has to stay as it is before it is reviewed: of several contents within that time only the newest is.',
    ),
  })
  .prefault({})
  .describe('How noticed changes come in.');

export const fetch = z
  .strictObject({
    maxFiles: count(
      1,
      100_000,
      500,
      'Files whose text is fetched, those under `intake.skipPaths` last; the rest is counted as skipped.',
    ),
    maxFileBytes: count(1, 1 << 30, 1 << 20, 'Largest side of a file that is fetched.'),
    maxTotalBytes: count(1, 1 << 30, 16 << 20, 'Text fetched in all.'),
    contextLines: count(0, 100, 5, 'Unchanged lines round each hunk.'),
    maxNewTextBytes: count(
      0,
      1 << 24,
      128 << 10,
      'Longest new side of a file, in bytes, that is kept whole beside its hunks; 0: none. It is redacted and stored like them.',
    ),
  })
  .prefault({})
  .describe('How much of a change is read.');
