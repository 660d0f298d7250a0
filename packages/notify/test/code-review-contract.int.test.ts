import { describeChannelContract } from '@criticizer/core/testing';
import { describe, it } from 'vitest';
import { startCodeReview } from './code-review-setup.js';

describeChannelContract(
  { describe, it },
  {
    async create() {
      const { server, channel, dispose } = await startCodeReview();
      const reviews = [4_712, 4_713, 4_714].map((change) => server.addReview({ change, author: 'ada' }));
      return {
        channel,
        received: async () => server.written,
        dropAfterData: () => server.fail('save-then-drop', 'write', 99),
        refuseTarget() {
          for (const review of reviews) Object.assign(review, { isPrivate: true });
        },
        refuseForNow: () => server.fail('rate-limited', 'write', 99),
        breakLookup: () => server.fail('unavailable', 'read', 99),
        secrets: ['a-ticket', Buffer.from('crz:a-ticket').toString('base64')],
        dispose,
      };
    },
  },
);
