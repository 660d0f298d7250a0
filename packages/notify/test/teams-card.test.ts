import type { ChannelReview } from '@criticizer/core/ports';
import { channelReview } from '@criticizer/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeTeamsCard } from '../src/teams/index.js';
import { refuseCard } from '../src/testing/teams-card-check.js';
import { foreignText, reviewOf } from './chat-reviews.js';

const frame = {
  target: 'workflow',
  changeUrl: ({ number }: { number: number }) => `https://swarm.example.test/changes/${number}`,
};
const compose = (review: ChannelReview) => composeTeamsCard(review, frame);
const bytesOf = (message: unknown): Buffer => Buffer.from(JSON.stringify(message));

type Fields = Readonly<Record<string, unknown>>;

/** Every object of the card. */
function objectsIn(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (typeof value !== 'object' || value === null) return [];
  return [{ ...value }, ...Object.values(value).flatMap(objectsIn)];
}

const textsIn = (message: unknown, kind: string): string[] =>
  objectsIn(message)
    .filter(({ type }) => type === kind)
    .map(({ text }) => String(text));

/** A link of ours, and nothing else that Markdown reads: the rest is escaped. */
const inertBlock =
  /^(?:\[(?:[^\\[\]()<>*_`]|\\.)*\]\(https:\/\/(?:swarm|reviews)\.example\.test\/[^()\s]*\)|(?:[^\\[\]()<>*_`#|~!+-]|\\.)*)$/u;

describe('a card for Teams', () => {
  it('SEC-3: a link of another scheme than http and https is left out', () => {
    const review: ChannelReview = { ...reviewOf('word'), linkFor: () => 'javascript:alert(1)' };
    expect(JSON.stringify(composeTeamsCard(review, frame).message)).not.toContain('alert');
    const unsafe = { ...frame, changeUrl: () => 'javascript:alert(1)' };
    expect(() => composeTeamsCard(review, unsafe)).toThrow(/changeUrl: expected an http or https URL/);
  });

  it('CHN-1: words of others are live nowhere: in text runs alone, none of them a function of the host', () => {
    fc.assert(
      fc.property(foreignText, (foreign) => {
        const { message } = compose(reviewOf(foreign));
        expect(textsIn(message, 'TextBlock').filter((text) => !inertBlock.test(text))).toEqual([]);
        expect(textsIn(message, 'TextRun').filter((text) => /\{\{\s*(?:DATE|TIME)\s*\(/i.test(text))).toEqual([]);
        const urls = objectsIn(message).flatMap(({ url }) => (url === undefined ? [] : [String(url)]));
        expect(urls).toEqual(['https://swarm.example.test/changes/4712']);
        const kinds = new Set(objectsIn(message).map(({ type }) => String(type)));
        expect([...kinds].filter((kind) => kind.startsWith('Action.'))).toEqual(['Action.OpenUrl']);
      }),
      { numRuns: 40 },
    );
  });

  it('CHN-1: is at most 20,000 bytes and passes the flow, whatever the texts are', () => {
    const texts = fc.oneof(foreignText, fc.constantFrom('\u65e5', '\ud83d\ude00', '"', '\\', '\u0000', 'x'));
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 0, max: 80 }),
        fc.integer({ min: 1, max: 2_000 }),
        (foreign, count, times) => {
          const bytes = bytesOf(compose(reviewOf(foreign.repeat(times).slice(0, 3_000), count)).message);
          expect(bytes.byteLength).toBeLessThanOrEqual(20_000);
          expect(refuseCard(JSON.parse(bytes.toString()), bytes)).toBeNull();
          // Never inside a character.
          expect(bytes.toString()).not.toMatch(/\\ud[89a-f]/i);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('OUT-9: counts every finding that it does not name', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 1, max: 400 }), (count, length) => {
        const { message } = compose(reviewOf('x'.repeat(length), count));
        const named = textsIn(message, 'TextRun').filter((text) => /^(CRITICAL|HIGH|MEDIUM|LOW|INFO) {2}$/.test(text));
        const more = textsIn(message, 'TextBlock').map((text) =>
          Number(/and (\d+) more findings/.exec(text)?.[1] ?? 0),
        );
        expect(named.length + Math.max(0, ...more)).toBe(count);
      }),
      { numRuns: 15 },
    );
  });

  it('R21: at level counts it has the number, the verdict and the link, and no run of foreign text', () => {
    const { message, content } = compose(channelReview('teams', 1, 'counts'));
    expect(content).toBe('counts');
    const said = textsIn(message, 'TextBlock');
    expect(said.slice(0, 2)).toEqual(['Code review: Change 4712', '1 high, 1 low']);
    expect(textsIn(message, 'TextRun')).toEqual(['submitted, server main']);
  });

  it('CHN-2: a later version says what became of the findings', () => {
    const { message } = compose({ ...reviewOf('A'), reviewVersion: 2 });
    const said = textsIn(message, 'TextBlock');
    expect(said[0]).toBe('Code review: Change 4712, version 2');
    expect(said).toContain('Since version 1: 1 new, 4 still open, 4 resolved, 2 not verifiable.');
  });

  it('GRD-8: links each finding to where it is hidden', () => {
    const { message } = compose(channelReview('teams', 1, 'findings'));
    expect(textsIn(message, 'TextBlock')).toContain('[Not a problem? Hide it](https://reviews.example.test/hide/f1)');
  });
});
