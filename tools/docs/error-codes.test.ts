import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { errorCodesSource, findCodes, readCodeRows, staleForeignWords, unionFile } from './error-codes.js';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const uses = findCodes(root);
const rows = readCodeRows(readFileSync(join(root, 'docs/reference/errors.md'), 'utf8'));

describe('docs/reference/errors.md', () => {
  it('has a row for every code in the sources', () => {
    const known = new Set(rows.map(({ code }) => code));
    expect(uses.filter(({ code }) => !known.has(code)).map(({ code, file }) => `${code} in ${file}`)).toEqual([]);
  });

  it('has no row for a code that no source holds, and none twice', () => {
    const used = new Set(uses.map(({ code }) => code));
    expect(rows.map(({ code }) => code).filter((code) => !used.has(code))).toEqual([]);
    expect(rows.map(({ code }) => code).filter((code, at, all) => all.indexOf(code) !== at)).toEqual([]);
  });

  it('is what the union of codes was written from: npm run docs:codes', () => {
    expect(readFileSync(join(root, unionFile), 'utf8')).toBe(errorCodesSource(rows));
  });

  it('names the categories that the sources give', () => {
    const wrong = rows.flatMap(({ code, categories }) => {
      const given = uses.filter((use) => use.code === code).map(({ category }) => category);
      const missing = given.filter((category) => category !== null && !categories.includes(category));
      const invented = given.includes(null) ? [] : categories.filter((category) => !given.includes(category));
      return [...missing, ...invented].map((category) => `${code}: ${category}`);
    });
    expect([...new Set(wrong)]).toEqual([]);
  });

  it('says what each code means and what to do', () => {
    const isSentence = (text: string): boolean => /^[A-Z0-9`].{6,}\.$/.test(text);
    expect(
      rows.filter(({ meaning, action }) => !isSentence(meaning) || !isSentence(action)).map(({ code }) => code),
    ).toEqual([]);
    expect(rows.length).toBeGreaterThan(100);
  });

  it('leaves out only words of others that the sources still hold', () => {
    expect(staleForeignWords(root)).toEqual([]);
  });
});
