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
  {
    id: 'CHN-1',
    file: 'packages/notify/src/slack/slack-lookup.ts',
    find: 'conclusive: sinceDataMs >= settleMs',
    replace: 'conclusive: sinceDataMs >= 0 && settleMs >= 0',
    tests: 'notify/test/slack-channel',
  },
  {
    id: 'CHN-1',
    file: 'packages/notify/src/slack/slack-lookup.ts',
    find: "if (next === undefined || next === '') {",
    replace: "if (next === undefined || next !== '') {",
    tests: 'notify/test/slack-channel',
  },
  {
    id: 'CHN-1',
    file: 'packages/notify/src/slack/slack-lookup.ts',
    find: "if (answer.kind === 'refused') throw cannotAsk(access, answer);",
    replace: "if (answer.kind === 'refused') return { messages: [] };",
    tests: 'notify/test/slack-channel',
  },
  {
    id: 'CHN-1',
    file: 'packages/notify/src/slack/slack-blocks.ts',
    find: "({ type: 'plain_text', text: value, emoji: false })",
    replace: "({ type: 'mrkdwn', text: value })",
    tests: 'notify/test/slack-message',
  },
  {
    id: 'CHN-1',
    file: 'packages/notify/src/slack/compose-slack-message.ts',
    find: 'Math.max(0, slackLimits.sum - used)',
    replace: 'slackLimits.sum',
    tests: 'notify/test/slack-message',
  },
];
