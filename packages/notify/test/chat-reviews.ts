import type { ChannelReview, ReviewMailContent, ReviewMailFinding } from '@criticizer/core/ports';
import { channelReview } from '@criticizer/core/testing';
import fc from 'fast-check';

const pieces = [
  ...[
    '<!channel>',
    '<!here|here>',
    '<@U123>',
    '<#C123>',
    '<https://evil.example|open>',
    '&lt;',
    '@everyone',
    '<at>Ada</at>',
  ],
  ...['*bold*', '_it_', '~gone~', '`code`', '```', '> quote', '- item', '1. item', '# head', '**b**', '__u__'],
  ...[
    '[open](https://evil.example)',
    '![x](https://evil.example/x.png)',
    '<b>tag</b>',
    ':tada:',
    'https://evil.example',
  ],
  ...[
    '{{DATE(2026-01-01T00:00:00Z,SHORT)}}',
    '{{TIME(2026-01-01T00:00:00Z)}}',
    '@{triggerBody()}',
    '\\',
    '|',
    '\n',
    '\t',
  ],
  ...['\u202e', '\ud83d\ude00', '\ud83d', '\u0000', '\u200b', '\u65e5\u672c', ' ', 'word'],
];

/** What a model or the author of a change could write: markup of every chat, hidden and astral characters. */
export const foreignText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'grapheme', maxLength: 8 })), {
    minLength: 1,
    maxLength: 12,
  })
  .map((parts) => parts.join(''));

const severities = ['critical', 'high', 'medium', 'low', 'info'] as const;

/** A review with the text wherever a text of others can be, and so many findings. */
export function reviewOf(foreign: string, count = 3): ChannelReview {
  const review = channelReview('chat', 1, 'code');
  const finding = (n: number): ReviewMailFinding => ({
    id: `f${n}`,
    severity: severities[n % 5] ?? 'low',
    ...{ category: foreign, title: foreign, file: `//depot/${foreign}`, message: foreign, suggestion: foreign },
    ...{ place: { line: n + 1, endLine: null, status: 'exact' as const }, rule_id: foreign },
    excerpt: [{ line: n + 1, text: foreign, isCited: true }],
  });
  const sample = review.content;
  if (sample === null) throw new TypeError('expected content');
  const content: ReviewMailContent = {
    ...sample,
    change: { ...sample.change, user: foreign, description: foreign },
    result: { summary: foreign, findings: Array.from({ length: count }, (_, n) => finding(n)) },
    coverage: {
      files: Array.from({ length: 8 }, () => ({
        path: `//depot/${foreign}`,
        state: 'skipped' as const,
        reason: foreign,
      })),
    },
    warnings: [foreign, foreign],
    withheldSecrets: 2,
    sinceVersion: {
      ...{ reviewVersion: 1, new: 1, reportedAgain: 1, open: 3, resolved: 4, notVerifiable: 2 },
      notReported: Array.from({ length: 9 }, (_, n) => ({
        id: `e${n}`,
        state: (['open', 'resolved', 'not_verifiable'] as const)[n % 3] ?? 'open',
        severity: 'high',
        ...{ title: foreign, file: foreign, line: 7, reason: foreign },
      })),
    },
  };
  return { ...review, content };
}
