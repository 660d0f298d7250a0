import type { ChannelReview } from '@criticizer/core/ports';
import { channelReview } from '@criticizer/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeSlackMessage, escapeSlackText, slackLimits } from '../src/slack/index.js';
import { refuseBlocks } from '../src/testing/slack-blocks-check.js';
import { foreignText, reviewOf } from './chat-reviews.js';

const frame = {
  target: 'C0123456789',
  changeUrl: ({ number }: { number: number }) => `https://swarm.example.test/changes/${number}`,
};
const compose = (review: ChannelReview) => composeSlackMessage(review, frame);

type Fields = Readonly<Record<string, unknown>>;

/** Every object of the blocks. */
function objectsIn(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (typeof value !== 'object' || value === null) return [];
  return [{ ...value }, ...Object.values(value).flatMap(objectsIn)];
}

const textsOf = (value: unknown): string =>
  objectsIn(value)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('\n');

describe('a message for Slack', () => {
  it('SEC-3: a link of another scheme than http and https is left out', () => {
    const review: ChannelReview = { ...reviewOf('word'), linkFor: () => 'javascript:alert(1)' };
    expect(JSON.stringify(composeSlackMessage(review, frame).blocks)).not.toContain('alert');
    const unsafe = { ...frame, changeUrl: () => 'javascript:alert(1)' };
    expect(() => composeSlackMessage(review, unsafe)).toThrow(/changeUrl: expected an http or https URL/);
  });

  it('CHN-1: words of others are live nowhere: no mrkdwn, no link of theirs, fixed words in the text', () => {
    fc.assert(
      fc.property(foreignText, (foreign) => {
        const { blocks, text } = compose(reviewOf(foreign));
        const objects = objectsIn(blocks);
        expect(objects.filter(({ type }) => type === 'mrkdwn')).toEqual([]);
        const urls = objects.filter(({ type }) => type === 'link').map(({ url }) => String(url));
        expect(urls.filter((url) => !/^https:\/\/(swarm|reviews)\.example\.test\//.test(url))).toEqual([]);
        // `emoji: false` keeps `:tada:` what it is.
        for (const one of objects) if (one.type === 'plain_text') expect(one.emoji).toBe(false);
        // Slack reads markup in the text alone.
        const same = compose(reviewOf('A'));
        expect(text).toBe(same.text);
      }),
      { numRuns: 40 },
    );
  });

  it('CHN-1: stays within every limit of Slack, whatever the texts are', () => {
    fc.assert(
      fc.property(
        foreignText,
        fc.integer({ min: 0, max: 80 }),
        fc.integer({ min: 1, max: 500 }),
        (foreign, count, times) => {
          const { blocks, text } = compose(reviewOf(foreign.repeat(times).slice(0, 4_000), count));
          expect(refuseBlocks(blocks)).toBeNull();
          const sum = objectsIn(blocks).reduce(
            (total, { text: own, url }) =>
              total + (typeof own === 'string' ? own.length : 0) + String(url ?? '').length,
            0,
          );
          expect(sum).toBeLessThanOrEqual(slackLimits.sum);
          expect(text.length).toBeLessThanOrEqual(slackLimits.text);
          // Never inside a character.
          expect(JSON.stringify(blocks)).toBe(Buffer.from(JSON.stringify(blocks)).toString());
          for (const block of blocks.filter(({ type }) => type === 'rich_text'))
            expect(textsOf(block).length).toBeLessThanOrEqual(slackLimits.section + 200);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('OUT-9: counts every finding that it does not name', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 1, max: 400 }), (count, length) => {
        const { blocks } = compose(reviewOf('x'.repeat(length), count));
        const said = textsOf(blocks);
        const named = said.split('\n').filter((line) => /^ (critical|high|medium|low|info) · $/.test(line)).length;
        const more = Number(/and (\d+) more findings/.exec(said)?.[1] ?? 0);
        expect(named + more).toBe(count);
      }),
      { numRuns: 15 },
    );
  });

  it('CHN-1: has at most 500 elements in lines, however many pieces of code texts have, and counts the rest', () => {
    const pieces = fc.constantFrom('`a` ', '`a`b', '`a``b`', '`a`\n', 'a `b` <c> ', '`');
    fc.assert(
      fc.property(
        fc.array(pieces, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 0, max: 120 }),
        (parts, count) => {
          const { blocks } = compose(reviewOf(parts.join('').repeat(1_000).slice(0, 4_000), count));
          const inline = objectsIn(blocks).filter(({ type }) => ['emoji', 'link', 'text'].includes(String(type)));
          expect(inline.length).toBeLessThanOrEqual(slackLimits.inline);
          expect(refuseBlocks(blocks)).toBeNull();
          const said = textsOf(blocks);
          const named = said.split('\n').filter((line) => /^ (critical|high|medium|low|info) · $/.test(line)).length;
          expect(named + Number(/and (\d+) more findings/.exec(said)?.[1] ?? 0)).toBe(count);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('R21: at level counts it has the number, the verdict and the link, and says where the findings are', () => {
    const { blocks, text, content } = compose(channelReview('slack', 1, 'counts'));
    expect(content).toBe('counts');
    expect(text).toBe('Code review: Change 4712: 1 high, 1 low.');
    const said = textsOf(blocks);
    expect(said).toContain('The findings themselves are not in this message. Open the change to read them.');
    expect(objectsIn(blocks).find(({ type }) => type === 'link')?.url).toBe('https://swarm.example.test/changes/4712');
  });

  it('CHN-2: a later version says what became of the findings, in the text too', () => {
    const review = channelReview('slack', 1, 'findings');
    const sinceVersion = {
      ...{ reviewVersion: 1, new: 2, reportedAgain: 0, open: 0, resolved: 1, notVerifiable: 0 },
      notReported: [
        { id: 'f9', state: 'resolved', severity: 'high', title: 'Gone', file: '//depot/a.ts', line: 3 } as const,
      ],
    };
    const content = review.content === null ? null : { ...review.content, reviewVersion: 2, sinceVersion };
    const { blocks, text } = compose({ ...review, reviewVersion: 2, content });
    expect(text).toBe(
      'Code review: Change 4712, version 2: 1 high, 1 low. Since version 1: 2 new, 0 still open, 1 resolved.',
    );
    expect(textsOf(blocks)).toContain('resolved: Gone · high · //depot/a.ts, line 3');
  });

  it('GRD-8: links each finding to where it is hidden', () => {
    const { blocks } = compose(channelReview('slack', 1, 'findings'));
    const urls = objectsIn(blocks)
      .filter(({ type }) => type === 'link')
      .map(({ url }) => url);
    expect(urls).toContain('https://reviews.example.test/hide/f1');
  });

  it('escapes what Slack reads in a text, and nothing else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const escaped = escapeSlackText(value);
        expect(escaped).not.toMatch(/[<>]/);
        expect(escaped.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')).toBe(value);
      }),
      { numRuns: 30 },
    );
    expect(escapeSlackText('<!channel> & <@U1>')).toBe('&lt;!channel&gt; &amp; &lt;@U1&gt;');
  });
});
