import type { ReviewMailFinding } from '@criticizer/core/ports';
import { channelReview } from '@criticizer/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeReviewWebhook, reviewWebhookSchema } from '../src/webhook/index.js';

const severities = ['critical', 'high', 'medium', 'low', 'info'] as const;
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const isSoundText = (text: string): boolean => !/\p{Cs}/u.test(text);

const text = fc
  .string({ unit: 'binary', maxLength: 30 })
  .chain((one) => fc.integer({ min: 0, max: 400 }).map((times) => one.repeat(times)));
const excerpt = fc.array(fc.record({ line: fc.integer({ min: 1, max: 9_999 }), text, isCited: fc.boolean() }), {
  maxLength: 12,
});
const finding: fc.Arbitrary<ReviewMailFinding> = fc.record({
  id: fc.uuid(),
  severity: fc.constantFrom(...severities),
  category: fc.constant('correctness'),
  title: text,
  file: fc.option(text.map((name) => `//depot/${name}`)),
  place: fc.constant({ line: 3, endLine: null, status: 'exact' as const }),
  message: text,
  suggestion: text,
  excerpt,
});

const reviewOf = (findings: readonly ReviewMailFinding[], level: 'code' | 'findings') => {
  const review = channelReview('webhook', 1, level);
  if (review.content === null) throw new TypeError('it has content');
  return { ...review, content: { ...review.content, result: { ...review.content.result, findings } } };
};
const compose = (...given: Parameters<typeof reviewOf>) =>
  composeReviewWebhook(reviewOf(...given), { changeUrl: 'https://swarm.example.test/changes/1', target: 'endpoint' });

describe('the body of a webhook', () => {
  it('CHN-1: is at most 20,000 bytes, gravest first, and counts what it leaves out, whatever is found', () => {
    fc.assert(
      fc.property(fc.array(finding, { maxLength: 40 }), fc.constantFrom('code', 'findings'), (findings, level) => {
        const body = compose(findings, level);
        expect(bytesOf(body)).toBeLessThanOrEqual(20_000);
        const { data } = reviewWebhookSchema.parse(JSON.parse(JSON.stringify(body)));
        const kept = data.findings ?? [];
        expect(kept.length + data.findings_left_out).toBe(findings.length);
        const byRank = severities.flatMap((severity) => findings.filter((one) => one.severity === severity));
        expect(kept.map(({ id }) => id)).toEqual(byRank.slice(0, kept.length).map(({ id }) => id));
        if (findings.length > 0) expect(kept.length).toBeGreaterThan(0);
        for (const one of kept) expect([one.title, one.message].every(isSoundText)).toBe(true);
        if (level === 'findings') expect(kept.every(({ excerpt: code }) => code === undefined)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('CHN-1: says of every shortened text that it is cut, and cuts no other', () => {
    const long = '😀'.repeat(2_000);
    const [one, two] = [
      { ...sample, id: 'long', message: long },
      { ...sample, id: 'short', message: 'short' },
    ];
    const kept = compose([one, two], 'findings').data.findings ?? [];
    expect(kept.map(({ id, is_cut }) => [id, is_cut])).toEqual([
      ['long', true],
      ['short', false],
    ]);
    expect(kept[0]?.message).toMatch(/^(?:😀)+…$/u);
  });

  it('CHN-1: has no unpaired surrogate, wherever the texts of others stand', () => {
    const broken = 'a\ud83d b\ude00 \ud83d\ude00';
    const named = { ...{ category: broken, title: broken, file: broken, message: broken, suggestion: broken } };
    const one: ReviewMailFinding = { ...sample, ...named, excerpt: [{ line: 3, text: broken, isCited: true }] };
    const review = reviewOf([one], 'code');
    const { content } = review;
    const change = { ...content.change, user: broken, description: broken };
    const result = { ...content.result, summary: broken };
    const body = composeReviewWebhook({ ...review, content: { ...content, change, result } }, { target: 'endpoint' });
    expect(JSON.stringify(body)).not.toMatch(/\\ud[89a-f]/);
    expect(JSON.stringify(body).match(/a\ufffd b\ufffd \ud83d\ude00/gu)).toHaveLength(9);
  });

  it('R21: at counts it has numbers, fixed words and the link, and declares that', () => {
    const review = channelReview('webhook', 1, 'counts');
    const body = composeReviewWebhook(review, {
      changeUrl: 'https://swarm.example.test/changes/1',
      target: 'endpoint',
    });
    expect(reviewWebhookSchema.parse(body)).toEqual({
      type: 'review.completed',
      timestamp: '2026-01-02T03:04:05.000Z',
      data: {
        ...{ schema_version: 1, content: 'counts', review_version: 1 },
        change: {
          ...{ id: 'main/4712', server_id: 'main', number: 4_712, kind: 'submitted' },
          url: 'https://swarm.example.test/changes/1',
        },
        ...{ verdict: 'high', verdict_text: '1 high, 1 low', conclusive: true, without_model: false },
        counts: { critical: 0, high: 1, medium: 0, low: 1, info: 0 },
        hidden: { below_floor: 0, floor: 'info', suppressed: 0, dropped: 0 },
        files: { reviewed: 1, partial: 0, skipped: 0, total: 1 },
        ...{ withheld_secrets: 0, findings_left_out: 0 },
      },
    });
  });

  it('INT-3: is clean only where all was reviewed and nothing is hidden', () => {
    const { counts } = channelReview('webhook', 1, 'counts');
    const none = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
    const verdict = (more: Partial<typeof counts>): string =>
      composeReviewWebhook(
        { ...channelReview('webhook', 1, 'counts'), counts: { ...counts, findings: none, ...more } },
        { target: 'endpoint' },
      ).data.verdict;
    expect(verdict({})).toBe('clean');
    const unclean = [
      { belowFloor: 1 },
      { suppressed: 1 },
      { conclusive: false },
      { check: { dropped: 1, notChecked: 0 } },
    ];
    for (const more of unclean) expect(verdict(more), JSON.stringify(more)).not.toBe('clean');
  });
});

const sample: ReviewMailFinding = {
  ...{ id: 'f1', severity: 'high', category: 'correctness', title: 'A title', file: '//depot/a.ts' },
  ...{ place: { line: 1, endLine: null, status: 'exact' }, message: 'A message' },
};
