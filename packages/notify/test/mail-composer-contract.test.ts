import { describeMailComposerContract } from '@criticizer/core/testing';
import { describe, it } from 'vitest';
import { createReviewMailComposer } from '../src/index.js';

describeMailComposerContract(
  { describe, it },
  {
    create: () =>
      createReviewMailComposer({
        from: { address: 'reviews@example.test', name: 'Criticizer' },
        host: 'reviews.example.test',
      }),
  },
);
