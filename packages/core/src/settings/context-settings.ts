import { z } from 'zod';
import { count, minute, ms } from './bounds.js';

/** What of a change's surroundings a review sees (GRD-3, GRD-4). */
export const reviewContext = z
  .strictObject({
    level: z
      .enum(['hunks', 'sections', 'wide'])
      .default('wide')
      .describe(
        'What a request shows besides hunks: `hunks`: nothing; `sections`: more lines of the changed files; `wide`: lines of other files too, where a `context` reader is wired (GRD-4).',
      ),
    publicHosts: z
      .enum(['sections', 'wide'])
      .default('sections')
      .describe('The widest level for a provider whose host is not inside the house, or that declares none.'),
    roots: z
      .array(z.string().startsWith('//'))
      .max(100)
      .nullable()
      .default(null)
      .describe(
        'Where files beside a change may be read: `//depot/dir/...` or `//depot/dir/file`, within the allow-list. null: below the first two folders of each changed file, `//depot/top/...`, which in a stream depot is its stream.',
      ),
    maxFiles: count(0, 1_000, 40, 'Files beside the change that are read for one review; 0: none.'),
    maxFileBytes: count(1, 16_777_216, 262_144, 'Longest file beside the change that is read, in bytes.'),
    maxTotalBytes: count(1, 268_435_456, 2_097_152, 'Bytes of files beside the change that are read for one review.'),
    maxSearches: count(
      0,
      1_000,
      24,
      'Look-ups by file name and searches for words in one review; 0: none, so that nothing beside the change is found.',
    ),
    maxHits: count(1, 10_000, 200, 'Files that one look-up, and lines that one search, may find.'),
    maxPieces: count(1, 1_000, 80, 'Definitions and uses that are kept for one review, in the snapshot.'),
    deadlineMs: ms(
      1_000,
      30 * minute,
      60_000,
      'Time for all reading beside one change. What is not read by then is left out; the review goes on.',
    ),
  })
  .prefault({})
  .describe('What a review sees of the surroundings of a change.');
