import { describe, expect, it } from 'vitest';
import { parseReview } from './parse-review.js';

const EXPECTED = { promptVersion: '1.0', schemaVersion: '1.0' };
const LINES = Array.from({ length: 20 }, (_, at) => `+  call_${at + 1}();`);
const FILES = [{ path: '//d/a.c', hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 20, lines: LINES }] }];

function found(id: string, line: number, change: object = {}): object {
  return {
    id,
    severity: 'high',
    category: 'correctness',
    title: `At ${line}`,
    file: '//d/a.c',
    line,
    message: 'M',
    ...change,
  };
}

/** Each kept finding's place and quote, in order, and the fields that diagnostics name. */
function read(findings: readonly object[], quotes: unknown) {
  const text = JSON.stringify({ schema_version: '1.0', prompt_version: '1.0', findings, meta: { quotes } });
  const parsed = parseReview({ text, stop: 'complete', expected: EXPECTED, changedFiles: FILES });
  if (parsed.outcome !== 'accepted') throw new Error(`rejected: ${parsed.reason}`);
  const meta = parsed.result.meta?.['findings'] as Record<
    string,
    { anchor: string; anchored_line: number | null; quote?: string }
  >;
  return {
    places: parsed.result.findings.map(({ id }) => [meta[id]?.anchor, meta[id]?.anchored_line, meta[id]?.quote]),
    fields: parsed.diagnostics.flatMap((one) => ('field' in one ? [`${one.code} ${one.field}`] : [one.code])),
    modelMeta: parsed.result.meta?.['model_meta'],
  };
}

describe('quotes', () => {
  it('R7: a map by id and a list of {id, quote} read the same', () => {
    const sent = [found('f1', 9), found('f2', 12), found('f3', 5)];
    const asMap = read(sent, { f1: 'call_9();', f2: 'call_14();' });
    const asList = read(sent, [
      { id: 'f2', quote: 'call_14();' },
      { id: ' f1 ', quote: 'call_9();' },
    ]);
    expect(asMap.places).toEqual([
      ['exact', 9, 'call_9();'],
      ['moved', 14, 'call_14();'],
      ['exact', 5, undefined],
    ]);
    expect(asList).toEqual(asMap);
    expect(asList.fields).toEqual([]);
    expect(asList.modelMeta).toBeUndefined();
  });

  it('R7: findings of one id take the quotes of a list in order, dropped ones included', () => {
    const sent = [found('f1', 3), found('f1', 0), found('f1', 12)];
    const { places } = read(
      sent,
      ['call_4();', 'call_8();', 'call_16();'].map((quote) => ({ id: 'f1', quote })),
    );
    expect(places).toEqual([
      ['moved', 4, 'call_4();'],
      ['moved', 16, 'call_16();'],
    ]);
  });

  it('INV-4: one quote for two findings of one id confirms the one at whose line it stands and moves none', () => {
    for (const quotes of [{ f1: 'call_12();' }, [{ id: 'f1', quote: 'call_12();' }]]) {
      const { places, fields } = read([found('f1', 3), found('f1', 12)], quotes);
      expect(places).toEqual([
        ['exact', 3, undefined],
        ['exact', 12, 'call_12();'],
      ]);
      expect(fields).toEqual(['field_dropped quote']);
    }
  });

  it('INV-4: a quote that cannot be read or has no finding is named by a diagnostic', () => {
    expect(read([found('f1', 3)], 'call_3();').fields).toEqual(['field_dropped meta.quotes']);
    expect(read([found('f1', 3)], null).fields).toEqual(['null_as_absent meta.quotes']);
    const list = [{ id: 'f1' }, { quote: 'x' }, 7, { id: 'f9', quote: 'call_3();' }, { id: 'f1', quote: null }];
    expect(read([found('f1', 3)], list).fields).toEqual([
      'field_dropped meta.quotes',
      'field_dropped meta.quotes',
      'field_dropped meta.quotes',
      'field_dropped meta.quotes',
      'null_as_absent meta.quotes',
    ]);
    const long = read([found('f1', 3)], { f1: `call_3(); ${'x'.repeat(600)}` });
    expect(long.fields).toEqual(['coercion_applied quote']);
    expect(long.places[0]?.[2]).toHaveLength(500);
  });
});
