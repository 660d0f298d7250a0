import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Requirement } from '../docs/conformance.js';
import { parseConformance } from '../docs/conformance.js';
import type { Fault } from './faults.js';
import { parseProveArguments, planFaults, takeSeeded } from './prove-plan.js';
import { titledIds, titlePattern } from './test-titles.js';
import { judge, whyNotGreen } from './verdict.js';

const fault = (id: string, file = `packages/core/src/${id}.ts`): Fault => ({ id, file, find: 'a', replace: 'b' });
const met = (id: string): Requirement => ({
  id,
  status: 'met',
  implementedIn: [`packages/core/src/dir-${id}`],
  proof: '',
});
const tenIds = Array.from({ length: 10 }, (_, i) => `WQ-${i + 1}`);

describe('titles', () => {
  it('are found by their IDs, alone or several', () => {
    const source =
      "it('WQ-1: a', f); it(\"P4-2, INV-3: b\", f); it('P4-4 INT-1: x', f); it(`OUT-1: c`, f); it('see WQ-9: d', f); it('WQ-8 e', f)";
    expect([...titledIds(source)]).toEqual(['WQ-1', 'P4-2', 'INV-3', 'P4-4', 'INT-1', 'OUT-1']);
  });

  it('match in a full name where a part starts with the ID, and no longer number', () => {
    const names = [
      'WQ-1: a',
      'queue WQ-1: a',
      'queue INV-2, WQ-1: a',
      'queue WQ-1, INV-2: a',
      'WQ-1 INV-2: a',
      'WQ-11: a',
      'queue XWQ-1: a',
      'WQ-1 a',
    ];
    expect(names.map((name) => titlePattern('WQ-1').test(name))).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('judge', () => {
  const red = (...errorNames: string[]) => ({ file: 'a.test.ts', name: 'x', state: 'failed' as const, errorNames });
  const green = { file: 'a.test.ts', name: 'y', state: 'passed' as const, errorNames: [] };

  it.each([
    ['a failed assertion', { tests: [green, red('AssertionError')], broken: [] }, true],
    [
      'a failed assertion beside code that does not run',
      { tests: [red('ReferenceError'), red('AssertionError')], broken: [] },
      true,
    ],
    ['green tests', { tests: [green], broken: [] }, false],
    ['no tests', { tests: [], broken: [] }, false],
    ['a failing import', { tests: [red('AssertionError')], broken: ['x.test.ts: SyntaxError'] }, false],
    ['planted code that does not run', { tests: [red('ReferenceError')], broken: [] }, false],
  ])('%s', (_, outcome, convicted) => {
    expect(judge(outcome).convicted).toBe(convicted);
  });

  it('is asked for nothing where the tests are red, or none, without a fault', () => {
    expect(whyNotGreen({ tests: [green], broken: [] })).toBeUndefined();
    for (const outcome of [
      { tests: [], broken: [] },
      { tests: [green, red('E')], broken: [] },
      { tests: [green], broken: ['x'] },
    ])
      expect(whyNotGreen(outcome)).toBeTypeOf('string');
  });
});

describe('plan', () => {
  const plan = (
    args: string[],
    more: {
      changed?: string[];
      requirements?: Requirement[];
      faults?: Fault[];
      testsOf?: (id: string) => string[];
    } = {},
  ) =>
    planFaults({
      request: parseProveArguments(args),
      requirements: tenIds.map(met),
      faults: tenIds.map((id) => fault(id)),
      testsOf: () => [],
      seed: 's',
      ...more,
      changed: new Set(more.changed ?? []),
    }).map((row) => row.id);

  it('proves what is asked for, and refuses what has no fault', () => {
    expect(plan(['WQ-9', 'WQ-2'])).toEqual(['WQ-2', 'WQ-9']);
    expect(() => plan(['OUT-1'])).toThrow(Error);
    for (const args of [['--what'], ['wq-1'], ['--sample', 'x'], ['--sample', '-1']])
      expect(() => parseProveArguments(args)).toThrow(Error);
  });

  it('proves all that is met, and nothing that is not', () => {
    const requirements = tenIds.map((id): Requirement => ({ ...met(id), status: id === 'WQ-3' ? 'partly' : 'met' }));
    expect(plan(['--all'], { requirements })).toEqual(tenIds.filter((id) => id !== 'WQ-3'));
  });

  it('proves what changed, by its source, its tests or its rooms, and a sample of the rest', () => {
    const changed = [
      'packages/core/src/WQ-1.ts',
      'a.test.ts',
      'packages/core/src/dir-WQ-3/deep.ts',
      'packages/core/src/dir-WQ-44/no.ts',
    ];
    const testsOf = (id: string) => (id === 'WQ-2' ? ['a.test.ts'] : []);
    expect(plan(['--sample', '0'], { changed, testsOf })).toEqual(['WQ-1', 'WQ-2', 'WQ-3']);
    const six = plan([], { changed, testsOf });
    expect(six).toHaveLength(9);
    expect(six).toEqual(expect.arrayContaining(['WQ-1', 'WQ-2', 'WQ-3']));
  });

  it('bounds the proof of a change of everything', () => {
    const faults = Array.from({ length: 100 }, (_, i) => fault(`WQ-${i + 1}`));
    const args = { faults, requirements: faults.map((f) => met(f.id)), changed: faults.map((f) => f.file) };
    expect(plan([], args)).toHaveLength(12);
    expect(plan(['--all'], args)).toHaveLength(100);
  });

  it('samples the same for the same seed, and every row for some seed', () => {
    const rows = tenIds.map((id) => fault(id));
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 0, max: 12 }), (seed, count) => {
        const taken = takeSeeded(rows, count, seed);
        expect(taken).toEqual(takeSeeded(rows, count, seed));
        expect(new Set(taken).size).toBe(Math.min(count, rows.length));
      }),
    );
    const seen = Array.from({ length: 50 }, (_, i) => takeSeeded(rows, 2, `seed ${i}`)).flat();
    expect(new Set(seen).size).toBe(rows.length);
  });
});

describe('conformance page', () => {
  it('is read row by row, whatever else the page says', () => {
    const page = [
      '# Title',
      '| ID | status | implemented in | proof |',
      '| --- | --- | --- | --- |',
      '| WQ-1 | met | `packages/core/src/stores/job.ts`, [a](../packages/p4/src/b.ts) packages/c/d | a \\| b |',
      '| `WQ-2` | open | | |',
    ].join('\n');
    expect(parseConformance(page)).toEqual([
      {
        id: 'WQ-1',
        status: 'met',
        implementedIn: ['packages/core/src/stores/job.ts', 'packages/c/d'],
        proof: 'a \\| b',
      },
      { id: 'WQ-2', status: 'open', implementedIn: [], proof: '' },
    ]);
  });

  it.each(['| WQ-1 | done | | |', '| WQ-1 | met | |', '| WQ-1 | met | a | b | c |'])('refuses %s', (row) => {
    expect(() => parseConformance(row)).toThrow(Error);
  });
});
