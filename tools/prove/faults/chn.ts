import type { Fault } from './fault.js';

export const chnFaults: readonly Fault[] = [
  {
    id: 'CHN-1',
    file: 'packages/core/src/stages/notify/plan-posts.ts',
    find: 'if (posts.some(({ content }: PlannedPost) => !isWithinLevel(content, review.level)))\n    throw refuse(channel, `a post with more than "${review.level}"`);',
    replace: '',
    tests: 'core/test/channels',
  },
  {
    id: 'CHN-1',
    file: 'packages/core/src/outbox/post-sender.ts',
    find: "return recipientKey.startsWith(postRecipient(via, ''));",
    replace: 'return via === recipientKey;',
    tests: 'core/test/channels',
  },
];
