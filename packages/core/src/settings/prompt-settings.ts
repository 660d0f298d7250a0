import { z } from 'zod';
import { count, day, minute, ms } from './bounds.js';

const share = (byDefault: number, text: string) => z.number().min(0).max(1).default(byDefault).describe(text);

const gates = z
  .strictObject({
    windowMs: ms(
      10 * minute,
      day,
      30 * minute,
      'The shortest time that is judged at once. Windows of 2, 4, 8 and 48 times as much are judged too: little traffic says enough only in a longer one.',
    ),
    minResponses: count(5, 100_000, 20, 'Fewer replies than these on a side say nothing of rejected ones.'),
    minJobs: count(5, 100_000, 20, 'Fewer reviews than these on a side say nothing of their findings.'),
    rejectedRatio: z
      .number()
      .min(1)
      .max(100)
      .default(2)
      .describe('Rolled back where the share of rejected replies is over so many times that of the baseline (PR-5).'),
    rejectedFloor: share(
      0.01,
      'A baseline that rejects less than this share counts as this share: three rejected replies in a thousand alarm nobody.',
    ),
    findingsShare: share(
      0.5,
      'Rolled back where valid findings a review are under so much of those of the baseline (PR-6).',
    ),
    findingsFloor: z
      .number()
      .min(0)
      .max(1_000)
      .nullable()
      .default(null)
      .describe(
        'Rolled back, too, where they are under this number and the baseline is not (PR-6). Null: no such floor.',
      ),
    droppedShare: share(
      0.1,
      'Promoted only where surely no more than this share of the findings that the model sent is dropped (PR-4).',
    ),
    promoteJobs: count(20, 1_000_000, 200, 'Promoted only after so many reviews of the candidate.'),
  })
  .prefault({})
  .describe('When a new prompt is rolled back by itself, and when it may be promoted.');

export const prompts = z
  .strictObject({
    gates,
    coolDownMs: ms(
      0,
      30 * day,
      day,
      'For so long after a roll-back by a gate nobody may release its latch without overriding the cool-down.',
    ),
  })
  .prefault({})
  .describe('The rollout of a new prompt (PR-4, PR-5, PR-6).');
