import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { attribute, metric, span } from './names.js';

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const page = readFileSync(folder('../../../../docs/reference/telemetry.md'), 'utf8');
const sources = [folder('..'), folder('../../../p4/src/')].flatMap((root) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('testing'))
    .map((file) => readFileSync(`${root}${file}`, 'utf8')),
);

/** The cells of the rows under a heading. */
function rowsUnder(heading: string): string[][] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const lines = section.split('\n## ')[0]?.split('\n') ?? [];
  return lines.filter((line) => line.startsWith('| `')).map((line) => line.slice(2, -2).split(' | '));
}

const unquoted = (cell = ''): string => cell.replaceAll('`', '');

describe('docs/reference/telemetry.md', () => {
  it('has one row for each metric, and no other', () => {
    expect(
      rowsUnder('Metrics')
        .map(([name]) => unquoted(name))
        .sort(),
    ).toEqual(Object.values(metric).sort());
  });

  it('says truly which metrics are emitted', () => {
    for (const [key, name] of Object.entries(metric)) {
      const emitted = sources.some((source) => new RegExp(`\\bmetric\\.${key}\\b`).test(source));
      const row = rowsUnder('Metrics').find(([cell]) => unquoted(cell) === name);
      expect([name, row?.at(-1)]).toEqual([name, emitted ? 'yes' : 'no']);
    }
  });

  it('has one row for each span, no other, and every one of them is started', () => {
    expect(
      rowsUnder('Spans')
        .map(([name]) => unquoted(name))
        .sort(),
    ).toEqual(Object.values(span).sort());
    for (const key of Object.keys(span))
      expect([key, sources.some((source) => new RegExp(`startSpan\\(spanName\\.${key}\\b`).test(source))]).toEqual([
        key,
        true,
      ]);
  });

  it('has one row for each attribute, and names no other with a metric', () => {
    const known = Object.values(attribute) as string[];
    expect(
      rowsUnder('Attributes')
        .map(([name]) => unquoted(name))
        .sort(),
    ).toEqual([...known].sort());
    for (const attributes of [
      ...rowsUnder('Metrics').map(([, , named]) => named),
      ...rowsUnder('Spans').map(([, named]) => named),
    ])
      for (const name of unquoted(attributes).split(', ')) expect(['none', ...known]).toContain(name);
  });

  it('has one row for each type of security event', () => {
    const declared = readFileSync(folder('./security-events.ts'), 'utf8').split('type:')[1]?.split(';')[0] ?? '';
    const types = [...declared.matchAll(/'([a-z0-9_.]+)'/g)].map(([, type]) => type);
    expect(types.length).toBeGreaterThan(5);
    expect(rowsUnder('Security events').map(([name]) => unquoted(name))).toEqual(types);
  });
});
