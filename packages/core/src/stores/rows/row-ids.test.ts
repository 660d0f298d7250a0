import { expect, it } from 'vitest';
import { createRowIds, firstRowIdAt } from './row-ids.js';

it('WQ-3: ids are version 7 UUIDs that sort by time, then by making', () => {
  const rowId = createRowIds();
  const ids = [...Array.from({ length: 5000 }, () => rowId(1_767_225_600_000)), rowId(1_767_225_600_001)];
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  const first = firstRowIdAt(new Date(1_767_225_600_001));
  expect(ids.map((id) => id >= first)).toEqual(ids.map((_, n) => n === ids.length - 1));
});
