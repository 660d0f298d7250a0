import { describe, expect, it } from 'vitest';
import type { EffectRow } from './ledger.js';
import { judge, percentile, type SoakFacts } from './verdict.js';

const plan = {
  stages: 1,
  checkpoint: false,
  waits: false,
  failures: 0,
  end: 'done',
  workMs: 1,
  workAfterLossMs: 1,
} as const;
const end = (n: number, over: Partial<EffectRow> = {}): EffectRow[] =>
  (['database', 'settlement'] as const).map((source) => ({
    source,
    n,
    job: `job-${n}`,
    effect: 'end:done',
    token: 't',
    worker: 'w',
    ...over,
  }));
const claim = (n: number, token: string, atMs: number, lost = 0) => ({ what: 'claim', n, token, atMs, lost }) as const;

/** One job, number 0, claimed by `w` under `t`, ended as planned. */
function facts(over: Partial<SoakFacts> = {}): SoakFacts {
  return {
    acked: new Set([0]),
    planOf: () => plan,
    isDeleted: () => false,
    effects: end(0),
    rows: new Map([[0, 'completed']]),
    logs: new Map([['w', [claim(0, 't', 1), { what: 'settled', n: 0, token: 't', effect: 'end:done' }]]]),
    modes: new Map([['w', 'transaction']]),
    leaseMs: 15,
    kills: [],
    stalls: [],
    frozen: new Set(),
    ...over,
  };
}

describe('the verdict of a soak', () => {
  it('clears a job that ended once', () => {
    expect(judge(facts())).toMatchObject({
      enqueued: 1,
      completed: 1,
      lost: 0,
      stuck: 0,
      duplicates: 0,
      unexpected: 0,
      recovered: 0,
      unfenced: 0,
    });
  });

  it('calls a job lost when its row is completed and its effect is not there', () => {
    expect(judge(facts({ effects: end(0).filter(({ source }) => source === 'database') }))).toMatchObject({
      completed: 0,
      lost: 1,
      stuck: 0,
    });
  });

  it('calls a job lost when it is nowhere', () => {
    expect(judge(facts({ effects: [], rows: new Map() }))).toMatchObject({ lost: 1, stuck: 0 });
  });

  it('takes the queue at its word for a worker that settles the plain way', () => {
    const effects = end(0).filter(({ source }) => source === 'database');
    expect(judge(facts({ effects, modes: new Map([['w', 'plain']]) }))).toMatchObject({ completed: 1, lost: 0 });
  });

  it('calls a job stuck that is still in the queue', () => {
    expect(judge(facts({ effects: [], rows: new Map([[0, 'running']]) }))).toMatchObject({ lost: 0, stuck: 1 });
  });

  it('counts an effect that either source tells of twice, once', () => {
    expect(judge(facts({ effects: [...end(0), ...end(0)] })).duplicates).toBe(1);
    expect(judge(facts({ effects: [...end(0), ...end(0, { effect: 'end:dead-letter' }).slice(1)] })).duplicates).toBe(
      1,
    );
  });

  it('finds what nobody planned: a job nobody enqueued, another end, a row that disagrees', () => {
    expect(judge(facts({ effects: [...end(0), ...end(7)] })).unexpected).toBe(1);
    expect(judge(facts({ planOf: () => ({ ...plan, end: 'dead-letter' }) })).unexpected).toBe(1);
    expect(judge(facts({ rows: new Map([[0, 'queued']]) })).unexpected).toBe(1);
    expect(judge(facts({ isDeleted: () => true })).unexpected).toBe(1);
  });

  it('knows a stale write from a settlement whose answer was lost, and times the recovery of a killed worker', () => {
    const refused = { what: 'refused', n: 0, token: 'old', effect: 'end:done', atMs: 40 } as const;
    const logs = new Map([
      ['dead', [claim(0, 'old', 1), refused]],
      [
        'w',
        [
          claim(0, 't', 30, 1),
          { what: 'settled', n: 0, token: 't', effect: 'end:done' } as const,
          { ...refused, token: 't' },
        ],
      ],
    ]);
    const modes = new Map([
      ['w', 'transaction'],
      ['dead', 'transaction'],
    ] as const);
    const verdict = judge(facts({ logs, modes, kills: [{ worker: 'dead', atMs: 10 }], frozen: new Set(['dead']) }));
    expect(verdict).toMatchObject({
      staleRefused: 1,
      staleRefusedOfFrozen: 1,
      recovered: 1,
      recoveries: [{ afterKillMs: 20, stalledMs: 0 }],
    });
  });

  it('convicts an acknowledged settlement whose token no row had when it changed so', () => {
    const settled = (token: string, effect: string) => ({ what: 'settled', n: 0, token, effect }) as const;
    const unfenced = (...lines: ReturnType<typeof settled>[]): number =>
      judge(
        facts({
          effects: [...end(0), ...end(0, { source: 'transition', effect: 'requeue', token: 'old' }).slice(1)],
          logs: new Map([['w', [claim(0, 't', 1), ...lines]]]),
        }),
      ).unfenced;
    expect(unfenced(settled('t', 'end:done'), settled('old', 'requeue:retry'))).toBe(0);
    expect(unfenced(settled('old', 'end:done'))).toBe(1);
    expect(unfenced(settled('t', 'advance'), settled('t', 'checkpoint:step'))).toBe(2);
  });

  it('knows a job enqueued anew after its row was deleted from an effect made twice', () => {
    const effects = [...end(0), ...end(0, { job: 'another' })];
    expect(judge(facts({ effects, isDeleted: () => true, rows: new Map() }))).toMatchObject({
      duplicates: 0,
      unexpected: 0,
      anew: 1,
    });
    expect(judge(facts({ effects }))).toMatchObject({ duplicates: 0, unexpected: 1, anew: 0 });
  });

  it('times no recovery that a second fault, whose claim nobody wrote down, has doubled', () => {
    const logs = new Map([
      ['dead', [claim(0, 'old', 1)]],
      ['w', [claim(0, 't', 90, 2)]],
    ]);
    expect(judge(facts({ logs, kills: [{ worker: 'dead', atMs: 10 }] })).recoveries).toEqual([]);
  });

  it('tells how long past the lease a recovery waited for a frozen process that kept the write lock', () => {
    const logs = new Map([
      ['dead', [claim(0, 'old', 1)]],
      ['w', [claim(0, 't', 90, 1)]],
    ]);
    const kills = [{ worker: 'dead', atMs: 10 }]; // the lease ends at 25
    const stalledMs = (...spans: [number, number][]): number | undefined =>
      judge(facts({ logs, kills, stalls: spans.map(([fromMs, toMs]) => ({ fromMs, toMs })) })).recoveries[0]?.stalledMs;
    expect(stalledMs([5, 45])).toBe(20);
    expect(stalledMs([40, 70], [30, 50], [60, 65])).toBe(40);
    expect(stalledMs([80, 200], [0, 20])).toBe(10);
  });

  it('counts calls to the outside that were made again', () => {
    const logs = new Map([
      ['w', [claim(0, 't', 1), { what: 'called', n: 0 } as const, { what: 'called', n: 0 } as const]],
    ]);
    expect(judge(facts({ logs }))).toMatchObject({ calls: 2, resent: 1 });
  });

  it('takes percentiles by rank', () => {
    expect(percentile([1, 2, 3, 4], 0.5)).toBe(2);
    expect(percentile([1, 2, 3, 4], 0.99)).toBe(4);
    expect(percentile([], 0.5)).toBe(0);
  });
});
