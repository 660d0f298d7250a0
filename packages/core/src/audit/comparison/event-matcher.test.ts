import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ComparedEvent } from './compared-event.js';
import { EventMatcher, type EventPair } from './event-matcher.js';

const event = (side: ComparedEvent['side'], atMs: number, name: string, payload = name): ComparedEvent => ({
  side,
  atMs,
  fingerprint: `${name} ${payload}`,
  identity: name,
  fields: [name, payload],
  sample: {
    occurredAt: new Date(atMs),
    action: name,
    tenantId: null,
    actorId: null,
    targetType: null,
    targetId: null,
    requestId: null,
    payloadSha256: payload,
    auditEventId: null,
  },
});

function match(events: readonly ComparedEvent[], toleranceMs: number, maxUnmatched = 1_000) {
  const pairs: EventPair[] = [];
  const counted: ComparedEvent[] = [];
  const matcher = new EventMatcher(
    { toleranceMs, maxUnmatched },
    { pair: (pair) => void pairs.push(pair), alone: (one) => void counted.push(one) },
  );
  for (const one of events) matcher.add(one);
  return { pairs, counted, ...matcher.finish(), isComplete: matcher.isComplete };
}

/** The most pairs there can be, by trying every choice. */
function mostPairs(primary: readonly ComparedEvent[], trail: readonly ComparedEvent[], toleranceMs: number): number {
  const [first, ...rest] = primary;
  if (first === undefined) return 0;
  const choices = trail.map((other, at) =>
    other.fingerprint === first.fingerprint && Math.abs(other.atMs - first.atMs) <= toleranceMs
      ? 1 + mostPairs(rest, trail.toSpliced(at, 1), toleranceMs)
      : 0,
  );
  return Math.max(mostPairs(rest, trail, toleranceMs), ...choices);
}

const side = fc.constantFrom('primary' as const, 'trail' as const);
const events = fc.array(
  fc
    .record({ side, atMs: fc.nat(12), name: fc.constantFrom('a', 'b') })
    .map((one) => event(one.side, one.atMs, one.name)),
  { maxLength: 8 },
);

describe('matching events of two logs', () => {
  it('AUD-19: as many events as can be have their equal, and each event counts once, in whatever order they come', () => {
    fc.assert(
      fc.property(events, fc.nat(5), (given, toleranceMs) => {
        const { pairs, counted, alone, different } = match(given, toleranceMs);
        const of = (name: ComparedEvent['side'], all: readonly ComparedEvent[] = given) =>
          all.filter((one) => one.side === name);
        const most = mostPairs(of('primary'), of('trail'), toleranceMs);
        const inOrder = given.toSorted((a, b) => a.atMs - b.atMs);
        expect(match(inOrder, toleranceMs).pairs).toHaveLength(most);
        expect(mostPairs(of('primary', alone), of('trail', alone), toleranceMs)).toBe(0);
        const seen = [...pairs.flatMap(({ primary, trail }) => [primary, trail]), ...counted];
        expect([seen.length, new Set(seen).size, seen.every((one) => given.includes(one))]).toEqual([
          ...[given.length, given.length, true],
        ]);
        expect(different).toEqual([]);
        expect(alone).toHaveLength(given.length - 2 * pairs.length);
        for (const { primary, trail } of pairs) {
          expect([primary.side, trail.side, primary.fingerprint]).toEqual(['primary', 'trail', trail.fingerprint]);
          expect(Math.abs(primary.atMs - trail.atMs)).toBeLessThanOrEqual(toleranceMs);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('AUD-19: an event that is known with another payload is different, not missing', () => {
    const { different, alone } = match(
      [event('primary', 0, 'a', 'x'), event('trail', 1, 'a', 'y'), event('trail', 9, 'a', 'x')],
      2,
    );
    expect(different.map(({ primary, trail }) => [primary.fields, trail.fields])).toEqual([
      [
        ['a', 'x'],
        ['a', 'y'],
      ],
    ]);
    expect(alone.map(({ atMs }) => atMs)).toEqual([9]);
  });

  it('AUD-19: beyond the bound nothing is held, and everything is counted', () => {
    const many = Array.from({ length: 20 }, (_, at) => event('primary', at, `${at}`));
    const { isComplete, counted, alone, pairs } = match([...many, event('trail', 3, '3')], 100, 10);
    expect([isComplete, counted.length, alone.length, pairs.length]).toEqual([false, 21, 0, 0]);
    expect(match([...many, ...many.map((one) => ({ ...one, side: 'trail' as const }))], 100, 20).isComplete).toBe(true);
  });
});
