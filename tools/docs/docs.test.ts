import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fillSnippets, listDocuments, localLinks, looseFences, regionOf } from './doc-fences.js';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const documents = listDocuments(root).map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

describe('documents', () => {
  it('show code as it is compiled (else: node --import tsx tools/docs/write-docs.ts)', () => {
    expect(documents.filter(({ text }) => text !== fillSnippets(root, text)).map(({ file }) => file)).toEqual([]);
  });

  it('link only to files that are there', () => {
    const broken = documents.flatMap(({ file, text }) =>
      localLinks(text)
        .filter((target) => !existsSync(join(root, dirname(file), target)))
        .map((target) => `${file}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  // The packages' own pages are held by check:parts, which runs their examples.
  it('have no TypeScript that nothing compiles, outside the packages', () => {
    const loose = documents
      .filter(({ file }) => !file.startsWith('packages/'))
      .flatMap(({ text }) => looseFences(text));
    expect(loose).toEqual([]);
  });

  it('name every contract suite, and no other', () => {
    const suites = (text = ''): string[] => [...new Set(text.match(/\bdescribe[A-Z]\w+/g))].sort();
    const entry = readFileSync(join(root, 'packages/core/src/testing/index.ts'), 'utf8');
    expect(suites(documents.find(({ file }) => file === 'docs/reference/ports.md')?.text)).toEqual(suites(entry));
  });

  it('are all listed: every decision once, every page of the other folders', () => {
    const pages = (folder: string): string[] =>
      documents.map(({ file }) => file).filter((file) => file.startsWith(folder));
    const links = (file: string): string[] =>
      localLinks(documents.find((one) => one.file === file)?.text ?? '').map((target) => join(dirname(file), target));
    const index = 'docs/decisions/README.md';
    const decisions = pages('docs/decisions/').filter((file) => file !== index);
    expect(links(index).sort()).toEqual(decisions.sort());
    const unlisted = ['docs/tutorial/', 'docs/how-to/', 'docs/reference/', 'docs/explanation/'].flatMap(pages);
    expect(unlisted.filter((file) => !links('docs/README.md').includes(file))).toEqual([]);
  });

  it('include the page that a newcomer opens first, with its example', () => {
    const readme = documents.find(({ file }) => file === 'README.md')?.text ?? '';
    expect(readme).toContain('<!-- snippet: examples/snippets/src/compose.ts#compose -->\n```ts\n');
  });
});

describe('regions', () => {
  const source = 'a\n  // #region one\n  b\n\n    c\n  // #endregion\nd\n';

  it('come without their common indentation', () => {
    expect(regionOf(source, 'one')).toBe('b\n\n  c');
  });

  it('that are missing are an error', () => {
    expect(() => regionOf(source, 'two')).toThrow('two');
  });

  it('replace what a fence held before', () => {
    const text = '<!-- snippet: examples/snippets/src/compose.ts#submit -->\n```ts\nold\n```\nafter';
    expect(fillSnippets(root, text)).toMatch(/```ts\nawait reviews\.start\(\);\n.*\n```\nafter$/);
    expect(looseFences(`${text}\n\`\`\`ts\nloose();\n\`\`\`\n`)).toEqual(['loose();']);
  });
});
