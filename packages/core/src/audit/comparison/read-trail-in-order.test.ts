import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditEvent, AuditStore } from '../../stores/audit-store.js';
import { newAuditEvent } from '../../testing/stores/sample-rows.js';
import { readTrailInOrder } from './read-trail-in-order.js';

const sample = newAuditEvent();

/** A store with events at these times, whose list keeps the contract of `AuditStore`. */
function storeWith(times: readonly number[]) {
  const rows = times
    .map((atMs, at): AuditEvent => {
      const occurredAt = new Date(atMs);
      return { ...sample, id: `${at}`.padStart(6, '0'), occurredAt, createdAt: occurredAt };
    })
    .sort((a, b) => b.occurredAt.getTime() - a.occurredAt.getTime() || (b.id < a.id ? -1 : 1));
  const pages: number[] = [];
  const store: Pick<AuditStore<unknown>, 'list'> = {
    async list({ since, until, before, limit = 100 }) {
      const from = before === undefined ? 0 : rows.findIndex(({ id }) => id === before) + 1;
      const found = rows
        .slice(from)
        .filter(({ occurredAt }) => since && until && occurredAt >= since && occurredAt < until);
      pages.push(found.length);
      return found.slice(0, limit);
    },
  };
  return { store, rows, pages };
}

async function read(store: Pick<AuditStore<unknown>, 'list'>, sinceMs: number, untilMs: number): Promise<AuditEvent[]> {
  const events: AuditEvent[] = [];
  for await (const event of readTrailInOrder(store, { sinceMs, untilMs, windowMs: 64 })) events.push(event);
  return events;
}

describe('reading a trail in the order of time', () => {
  it('AUD-19: every event of the span comes once, oldest first', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(2_000)), fc.nat(1_000), fc.nat(1_000), async (times, sinceMs, lengthMs) => {
        const { store, rows } = storeWith(times);
        const untilMs = sinceMs + lengthMs;
        const inSpan = ({ occurredAt }: AuditEvent) =>
          occurredAt.getTime() >= sinceMs && occurredAt.getTime() < untilMs;
        expect(await read(store, sinceMs, untilMs)).toEqual(rows.filter(inSpan).reverse());
      }),
      { numRuns: 50 },
    );
  });

  it('AUD-19: more events than a page holds in one millisecond are read by pages, an idle hour by few reads', async () => {
    const { store, rows, pages } = storeWith([...Array.from({ length: 2_100 }, () => 40), 3_600_000]);
    expect(await read(store, 0, 3_700_000)).toEqual([...rows].reverse());
    expect(pages.length).toBeLessThan(40);
  });
});
