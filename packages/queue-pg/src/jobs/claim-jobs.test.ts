import { describe, expect, it } from 'vitest';
import type { PgGate } from '../shared/pg-gate.js';
import type { PgSession } from '../shared/pg-session.js';
import { createClaims } from './claim-jobs.js';

const at = Date.UTC(2026, 0, 1);

function listsOf(priority: number, createdAt: number) {
  const one = {
    id: `id-${createdAt}`,
    kind: 'review',
    payload: {},
    stage: 'fetch',
    priority,
    runAt: at,
    createdAt,
    updatedAt: at,
  };
  const rest = {
    idempotencyKey: 'key',
    attempts: { fetch: 1 },
    lostLeases: 0,
    outputs: {},
    transitionNo: 2,
    more: null,
  };
  return Object.fromEntries(Object.entries({ ...one, ...rest }).map(([name, value]) => [name, [value]]));
}

/**
 * Claims on a database that gives one job of the priority each time; and the marks each call was
 * asked to begin behind.
 */
function claimsOf(priorities: readonly number[], { limited = false } = {}) {
  const asked: unknown[] = [];
  const left = [...priorities];
  const session: Pick<PgSession, 'all'> = {
    all: async <Row>(_: string, ...values: unknown[]) => {
      asked.push(values.slice(-2));
      const jobs = JSON.stringify(listsOf(left.shift() ?? 0, at + asked.length));
      return [{ jobs, now_at: at, expires_at: at, swept: limited, limited, pages: 1 }] as Row[];
    },
  };
  const gate: Pick<PgGate, 'single' | 'surviving' | 'planFor'> = {
    single: (_, body) => body(session as PgSession),
    surviving: (work) => work(false),
    planFor: () => undefined,
  };
  const claims = createClaims(gate as PgGate);
  const claim = (kinds = ['review'], limit = 1) =>
    claims.claim({ kinds, owner: 'owner', token: 'token', leaseMs: 1000, limit });
  return { asked, claim, scanAll: claims.scanAll };
}

const instant = (n: number): string => new Date(at + n).toISOString();

describe('where claims begin', () => {
  it('WQ-3: behind the last job of each priority, highest first', async () => {
    const { asked, claim } = claimsOf([1, 2, 0]);
    for (let n = 0; n < 4; n++) await claim();
    expect(asked).toEqual([
      [[], []],
      [[1], [instant(1)]],
      [
        [2, 1],
        [instant(2), instant(1)],
      ],
      [
        [2, 1, 0],
        [instant(2), instant(1), instant(3)],
      ],
    ]);
  });

  it('WQ-3: a scan of the whole order keeps the marks of the priorities it found nothing in', async () => {
    const { asked, claim, scanAll } = claimsOf([2, 1, 0, 0]);
    for (let n = 0; n < 3; n++) await claim();
    scanAll();
    await claim();
    await claim();
    expect(asked.slice(3)).toEqual([
      [[], []],
      [
        [2, 1, 0],
        [instant(1), instant(2), instant(4)],
      ],
    ]);
  });

  it('WQ-3: a claim that left nothing had read the whole order, and so does the next', async () => {
    const { asked, claim } = claimsOf([1, 1, 1, 1]);
    await claim();
    await claim(['review'], 2); // gets one of two
    await claim();
    await claim();
    expect(asked).toEqual([
      [[], []],
      [[1], [instant(1)]],
      [[], []],
      [[1], [instant(3)]],
    ]);
  });

  it('WQ-10: under a limit, which also keeps a claim from getting all it asked for, marks hold', async () => {
    const { asked, claim } = claimsOf([1, 1], { limited: true });
    await claim(['review'], 2);
    await claim();
    expect(asked).toEqual([
      [[], []],
      [[1], [instant(1)]],
    ]);
  });

  it('WQ-3: other kinds have no marks, nor has a queue of more than eight priorities', async () => {
    const { asked, claim } = claimsOf([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    for (let n = 0; n < 10; n++) await claim();
    expect((asked.at(-2) as unknown[][])[0]).toHaveLength(8);
    expect(asked.at(-1)).toEqual([[], []]);
    await claim(['mail']);
    expect(asked.at(-1)).toEqual([[], []]);
  });
});
