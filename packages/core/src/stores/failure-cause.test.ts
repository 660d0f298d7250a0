import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeCause } from './failure-cause.js';

const shapeOf = (lastStack: string): string => describeCause({ errorClass: 'C', lastStack }).message;

describe('describeCause', () => {
  it.each([
    ['Change 1001 of main/1001 is gone.\n    at fetch', 'Change <n> of main/<n> is gone.'],
    ['P4Error: //depot/game/src/a.cpp#3 - no such file(s).', 'P4Error: <path> - no such file(s).'],
    ["ENOENT: open '/var/lib/criticizer/a b.db'", "ENOENT: open '<path> b.db'"],
    ['connect ECONNREFUSED 10.0.0.7:25', 'connect ECONNREFUSED <n>'],
    ['GET https://llm.studio.test:8443/v1/chat?x failed: 503', 'GET https://llm.studio.test:<n>/<path> failed: <n>'],
    ['artifact 3f2a8c1e-9d7b-4c1a-8e55-0123456789ab expired', 'artifact <id> expired'],
    ['request req_01HZX3Y7Q9TTB4 rejected', 'request <id> rejected'],
    ['no mail for ada@studio.test', 'no mail for <address>'],
    ['timeout after 30000ms, 5s left', 'timeout after <n>ms, <n>s left'],
    ['at 2026-11-27T04:24:06Z the lease ended', 'at <n> the lease ended'],
    ['C:\\\\build\\\\x.dll could not be read', '<path> could not be read'],
    ['', ''],
  ])('ERR-9: %s is of the cause %s', (message, shape) => {
    expect(shapeOf(message)).toBe(shape);
  });

  it('ERR-9: the key is that of class and message, and of nothing else', () => {
    const keyOf = (errorClass: string, lastStack: string) => describeCause({ errorClass, lastStack }).key;
    expect(keyOf('A', 'change 1 is gone\n  at x')).toBe(keyOf('A', 'change 22 is gone\n  at y'));
    expect(keyOf('A', 'change 1 is gone')).not.toBe(keyOf('B', 'change 1 is gone'));
    expect(keyOf('A', 'change 1 is gone')).not.toBe(keyOf('A', 'change 1 is there'));
    expect(keyOf('A', 'x')).toMatch(/^[0-9a-f]{12}$/);
  });

  it('ERR-9: any text has a cause of at most 200 characters that holds no number of two digits and is its own cause', () => {
    const word = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom(
        '//depot/a',
        'https://h/x',
        '10.0.0.1:25',
        'a@b.test',
        'C:\\x',
        'deadbeef01',
        '<n>',
        '[REDACTED]',
      ),
      fc.nat().map(String),
    );
    const text = fc.array(word, { maxLength: 60 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(text, (lastStack) => {
        const shape = shapeOf(lastStack);
        expect(shape.length).toBeLessThanOrEqual(200);
        expect(shape).not.toMatch(/[\uD800-\uDBFF]$/);
        expect(shape).not.toMatch(/(?:^|[^\w])\d{2,}(?:[^\w]|$)/);
        expect(shapeOf(shape)).toBe(shape);
      }),
      { numRuns: 100 },
    );
  });
});
