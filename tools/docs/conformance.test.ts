// Holds docs/conformance.md to the sources, the tests and the faults: nothing is called met that no
// test proves and no fault convicts.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { faults } from '../prove/faults.js';
import { plant } from '../prove/planted-fault.js';
import { findTests } from '../prove/test-titles.js';
import { conformancePage, readConformance, requirementIds } from './conformance.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const rows = readConformance(root);
const met = rows.filter((row) => row.status === 'met');
const statusOf = new Map(rows.map((row) => [row.id, row.status]));
const tests = findTests(root);

describe(conformancePage, () => {
  it('has every requirement once', () => {
    expect(rows.map((row) => row.id).sort()).toEqual([...requirementIds].sort());
  });

  it('counts itself in its first paragraph', () => {
    const count = (status: string): number => rows.filter((row) => row.status === status).length;
    const counts = `${count('met')} met, ${count('partly')} partly, ${count('open')} open, of ${rows.length}.`;
    expect(readFileSync(join(root, conformancePage), 'utf8')).toContain(counts);
  });

  it('names only files that exist', () => {
    const lost = rows.flatMap((row) =>
      row.implementedIn.filter((file) => !existsSync(join(root, file))).map((file) => `${row.id}: ${file}`),
    );
    expect(lost).toEqual([]);
  });

  it('says where each met or partly met requirement is implemented', () => {
    expect(rows.filter((row) => row.status !== 'open' && row.implementedIn.length === 0).map((row) => row.id)).toEqual(
      [],
    );
  });

  it('calls nothing met without a test that starts with its ID', () => {
    expect(met.filter((row) => (tests.byId.get(row.id)?.size ?? 0) === 0).map((row) => row.id)).toEqual([]);
  });

  it('calls nothing met without a fault', () => {
    expect(met.filter((row) => !faults.some((fault) => fault.id === row.id)).map((row) => row.id)).toEqual([]);
  });
});

describe('test titles', () => {
  it('start with no ID that its family does not have', () => {
    const families = new Set(requirementIds.map((id) => id.replace(/\d+$/, '')));
    const unknown = [...tests.byId].filter(
      ([id]) => families.has(id.replace(/\d+$/, '')) && !requirementIds.includes(id),
    );
    expect(unknown.map(([id, files]) => `${id}: ${[...files].join(', ')}`)).toEqual([]);
  });
});

describe('tools/prove/faults.ts', () => {
  it('has faults only for what is met, at least partly', () => {
    expect(
      faults.filter(({ id }) => statusOf.get(id) !== 'met' && statusOf.get(id) !== 'partly').map(({ id }) => id),
    ).toEqual([]);
  });

  it.each(faults)('$id in $file stands there once', (fault) => {
    const text = readFileSync(join(root, fault.file), 'utf8');
    expect(plant(text, fault)).not.toBe(text);
  });

  it('names test files that have a test of the ID', () => {
    const lost = faults.filter(
      ({ id, tests: filter }) => ![...(tests.byId.get(id) ?? [])].some((file) => file.includes(filter ?? '')),
    );
    expect(lost.map(({ id, tests: filter }) => `${id}: ${filter ?? 'any file'}`)).toEqual([]);
  });
});
