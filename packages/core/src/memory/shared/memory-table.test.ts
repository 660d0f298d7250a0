import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leastOf } from '../jobs/memory-job-rows.js';
import { createMemoryTable, stageTable } from './memory-table.js';

const change = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.option(fc.nat(), { nil: undefined }));

describe('staged tables', () => {
  it('show their own changes, hide them from others, and commit them all', () => {
    fc.assert(
      fc.property(fc.array(change), fc.array(change), (before, after) => {
        const [table, expected] = [createMemoryTable<number>(), new Map<string, number>()];
        const apply = (target: Pick<typeof table, 'put' | 'remove'>, changes: typeof before): void => {
          for (const [key, row] of changes) {
            if (row === undefined) target.remove(key);
            else target.put(key, row);
          }
        };
        const model = {
          put: (key: string, row: number) => void expected.set(key, row),
          remove: (key: string) => void expected.delete(key),
        };
        apply(table, before);
        apply(model, before);
        const untouched = new Map(expected);
        const staged = stageTable(table);
        apply(staged, after);
        apply(model, after);
        expect(new Map(staged.entries())).toEqual(expected);
        expect(staged.rows().length).toBe(expected.size);
        for (const key of ['a', 'b', 'c', 'd']) expect(staged.get(key)).toBe(expected.get(key));
        expect(new Map(table.entries())).toEqual(untouched);
        staged.commit();
        expect(new Map(table.entries())).toEqual(expected);
      }),
    );
  });
});

describe('leastOf', () => {
  it('equals sorting and cutting', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.nat({ max: 12 }), (items, count) => {
        expect(leastOf(items, count, (a, b) => a - b)).toEqual([...items].sort((a, b) => a - b).slice(0, count));
      }),
    );
  });
});
