import * as fc from 'fast-check';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { textArray } from './text-array.js';

const parse = pg.types.getTypeParser(1009 as never) as (literal: string) => string[];

describe('textArray', () => {
  it('is read back as the same texts: quotes, backslashes, commas, braces, NULL, empty texts', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('', 'NULL', '"', '\\', '{}', ',', ' a '));
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        expect(parse(textArray(texts))).toEqual(texts);
      }),
    );
  });
});
