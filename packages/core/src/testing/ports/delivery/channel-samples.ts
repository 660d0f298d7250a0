import { outboxKey } from '../../../outbox/outbox-key.js';
import { postRecipient } from '../../../outbox/senders/post-sender.js';
import type { ChannelReview } from '../../../stages/notify/channel.js';
import type { ReviewMailContent, ReviewMailCounts, ReviewMailFinding } from '../../../stages/notify/mail-composer.js';

/** Markup of every channel, all of it inert where a channel does its work. */
const hostile = '<!channel> <@U123> @everyone [link](https://evil.example) **bold** `code` & <b>tag</b>';

const finding = (more: Partial<ReviewMailFinding>): ReviewMailFinding => ({
  id: 'f1',
  severity: 'high',
  category: 'correctness',
  title: `A title ${hostile}`,
  file: '//depot/secret-plan.ts',
  place: { line: 42, endLine: null, status: 'exact' },
  message: `A message ${hostile}`,
  suggestion: `A suggestion ${hostile}`,
  ...more,
});

function contentOf(n: number, hasCode: boolean): ReviewMailContent {
  const excerpt = [{ line: 42, oldLine: null, text: 'const secretPlan = 1;', isCited: true }];
  const first = finding(hasCode ? { excerpt } : {});
  return {
    change: {
      serverId: 'main',
      number: 4_711 + n,
      changelistId: `main/${4_711 + n}`,
      user: 'ada.lovelace',
      description: `Change the plan ${hostile}`,
      kind: 'submitted',
    },
    reviewVersion: 1,
    result: { summary: `A summary ${hostile}`, findings: [first, finding({ id: 'f2', severity: 'low', file: null })] },
    notShown: { belowFloor: 0, floor: 'info', overCap: 0 },
    conclusive: true,
    coverage: { files: [{ path: '//depot/secret-plan.ts', state: 'reviewed' }] },
    withheldSecrets: 0,
    warnings: [],
  };
}

function countsOf(n: number): ReviewMailCounts {
  const { serverId, number, changelistId, kind } = contentOf(n, false).change;
  return {
    change: { serverId, number, changelistId, kind },
    reviewVersion: 1,
    findings: { critical: 0, high: 1, medium: 0, low: 1, info: 0 },
    belowFloor: 0,
    floor: 'info',
    conclusive: true,
    files: { reviewed: 1, partial: 0, skipped: 0, total: 1 },
    withheldSecrets: 0,
  };
}

/**
 * The n-th sample review as the notify stage gives it to a channel: two findings, with markup in every text
 * that a model or the author of a change could have written.
 */
export function channelReview(
  channelId: string,
  n: number,
  level: 'counts' | 'findings' | 'code',
  more: Partial<ChannelReview> = {},
): ChannelReview {
  const changelistId = `main/${4_711 + n}`;
  return {
    changelistId,
    reviewVersion: 1,
    originalNumber: 4_711 + n,
    contentDigest: `digest-${n}`,
    jobId: `job-${n}`,
    date: new Date('2026-01-02T03:04:05.000Z'),
    level,
    content: level === 'counts' ? null : contentOf(n, level === 'code'),
    counts: countsOf(n),
    earlier: [],
    key: (target) => outboxKey({ changelistId, recipientKey: postRecipient(channelId, target), reviewVersion: 1 }),
    linkFor: (findingId) => `https://reviews.example.test/hide/${findingId}`,
    ...more,
  };
}
