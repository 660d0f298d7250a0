import { describe, expect, it } from 'vitest';
import { finding, harness } from './criticizer-harness.js';
import { openAiModel, reviewText, says } from './openai-model.js';

describe('quotes', () => {
  it.each([
    ['json_schema', [{ id: 'f1', quote: 'use(a);' }]],
    ['tool', [{ id: 'f1', quote: 'use(a);' }]],
    ['json_object', { f1: 'use(a);' }],
    ['prompt', { f1: 'use(a);' }],
  ] as const)(
    'PR-3: mode %s asks for quotes in a shape that it can send, and a quote anchors its finding',
    async (mode, quotes) => {
      const { llm, requests } = openAiModel(() => says(reviewText([finding({ line: 1 })], { meta: { quotes } })), {
        modes: [mode],
      });
      const t = harness({ more: { llm } });
      const id = await t.run();
      await t.criticizer.stop();
      const body = JSON.stringify(requests[0]);
      const shape = {
        list: /"quotes":\{"type":"array"/.test(body),
        map: /\\"quotes\\":\{\\"type\\":\\"object\\"/.test(body),
      };
      expect(shape).toEqual({ list: Array.isArray(quotes), map: !Array.isArray(quotes) });
      const review = await t.criticizer.review(id);
      const [entry] = Object.values(review?.result.meta?.['findings'] ?? {});
      expect(entry).toMatchObject({ quote: 'use(a);', anchored_line: 2 });
      expect(review?.diagnostics).toEqual([]);
    },
  );
});
