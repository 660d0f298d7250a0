import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../foundation/canonical-json.js';
import type { JsonObject, JsonValue } from '../../foundation/json.js';
import { truncatePayload } from './truncate-payload.js';

const vectorFile = fileURLToPath(
  new URL('../../../../../docs/reference/audit-truncation-vectors.json', import.meta.url),
);
const bytes = (value: JsonValue): number => Buffer.byteLength(JSON.stringify(value));
const sha256 = (value: JsonValue): string => createHash('sha256').update(canonicalJson(value)).digest('hex');
type Meta = {
  applied: boolean;
  bytes_original: number;
  bytes_final: number;
  dropped_paths: string[];
  truncated_paths: string[];
  truncated_paths_count?: number;
  content_hash_sha256_before: string;
  content_hash_sha256_after: string;
};
const metaOf = (stored: JsonObject): Meta => JSON.parse(JSON.stringify(stored['_truncation_meta'])) as Meta;
const members = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]));
const texts = (count: number, length: number): string[] =>
  Array.from({ length: count }, (_, at) => String(at).padEnd(length, 'x'));

/** A value of a vector: `$repeat`, `$items` and `$members` abbreviate what is too long to write down. */
function expand(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(expand);
  const { $repeat, $items, $members } = value as { [name: string]: JsonValue };
  if (Array.isArray($repeat)) return String($repeat[0]).repeat(Number($repeat[1]));
  if (Array.isArray($items)) return Array.from({ length: Number($items[1]) }, () => expand($items[0] as JsonValue));
  if (typeof $members === 'number') return members($members);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, expand(member as JsonValue)]));
}

/** Payloads with everything that a step works on, often beyond the cap. */
const payloads = fc.dictionary(
  fc.oneof(
    fc.constantFrom('debug', 'stack', 'rawRequest', 'raw_response', '_truncation_meta', '__proto__'),
    fc.string(),
  ),
  fc.oneof(
    { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }) },
    fc.tuple(fc.string({ unit: 'binary', minLength: 1 }), fc.nat(6_000)).map(([text, n]) => text.repeat(n)),
    fc.tuple(fc.jsonValue({ maxDepth: 2 }), fc.nat(2_000)).map(([item, n]) => Array.from({ length: n }, () => item)),
    fc.nat(3_000).map(members),
    fc.tuple(fc.nat(60), fc.nat(2_048)).map(([count, length]) => texts(count, length)),
  ),
) as fc.Arbitrary<JsonObject>;

describe('truncatePayload', () => {
  it('AUD-10: whatever JSON, payload and metas take at most 65,536 bytes, and a second pass changes nothing', () => {
    fc.assert(
      fc.property(payloads, (payload) => {
        const stored = truncatePayload(payload);
        expect(bytes(stored)).toBeLessThanOrEqual(65_536);
        expect(truncatePayload(stored)).toEqual(stored);
        const reordered = Object.fromEntries(Object.entries(payload).reverse());
        expect(canonicalJson(truncatePayload(reordered))).toBe(canonicalJson(stored));
        const { _truncation_meta: _, ...content } = stored;
        const meta = metaOf(stored);
        expect([meta.bytes_final, meta.content_hash_sha256_after]).toEqual([bytes(content), sha256(content)]);
      }),
      { numRuns: 15 },
    );
  });

  it('AUD-11: the meta has its eight fields, on a payload that nothing was cut from too', () => {
    const stored = truncatePayload({ b: 1, a: 'two' });
    expect(stored).toEqual({
      b: 1,
      a: 'two',
      _truncation_meta: {
        applied: false,
        rule_version: '1',
        bytes_original: 17,
        bytes_final: 17,
        dropped_paths: [],
        truncated_paths: [],
        content_hash_sha256_before: sha256({ a: 'two', b: 1 }),
        content_hash_sha256_after: sha256({ a: 'two', b: 1 }),
      },
    });
  });

  it('AUD-9: a text or name of more than 2,048 bytes is cut at a character, with a marker', () => {
    const long = '\u{1F600}'.repeat(600);
    const stored = truncatePayload({ exact: 'x'.repeat(2_048), text: [long], [long]: 1 });
    expect(stored['exact']).toBe('x'.repeat(2_048));
    const marked = /^(\u{1F600}+)<TRUNCATED bytes_original=2400 bytes_kept=(\d+) sha256=[0-9a-f]{64}>$/u;
    for (const cut of [
      (stored['text'] as string[])[0] ?? '',
      Object.keys(stored).find((name) => name.length > 20) ?? '',
    ]) {
      const [, kept = '', size] = marked.exec(cut) ?? [];
      expect([Buffer.byteLength(cut) <= 2_048, Buffer.byteLength(kept)]).toEqual([true, Number(size)]);
      expect(Number(size)).toBeGreaterThan(1_900);
    }
    expect(metaOf(stored).truncated_paths).toEqual(['$.text[0]', `$["${'\u{1F600}'.repeat(16)}…"]`]);
  });

  it('AUD-10: optional branches go first, in their order, and only as far as needed', () => {
    const bulk = (count: number): string[] => texts(count, 2_000);
    const user = { id: 7, raw_request: bulk(2), deep: [{ rawRequest: bulk(31) }] };
    const one = truncatePayload({ user, debug: bulk(20), stack: bulk(1), raw_response: 'kept' });
    expect(metaOf(one).dropped_paths).toEqual([
      '$.debug',
      '$.stack',
      '$.user.deep[0].rawRequest',
      '$.user.raw_request',
    ]);
    expect(one).toMatchObject({ user: { id: 7, deep: [{}] }, raw_response: 'kept' });
    const two = truncatePayload({ user: { debug: bulk(20) }, stack: bulk(16) });
    expect(metaOf(two)).toMatchObject({ dropped_paths: ['$.user.debug'], truncated_paths: [] });
    const none = truncatePayload({ debug: bulk(31) });
    expect(metaOf(none)).toMatchObject({ applied: false, dropped_paths: [] });
  });

  it('AUD-10: then the largest texts are cut, then the largest arrays and objects summarized, the root last', () => {
    const cut = truncatePayload({ a: texts(10, 1_500), small: 'x'.repeat(900), large: texts(35, 2_000) });
    expect(metaOf(cut).truncated_paths[0]).toBe('$.large[0]');
    expect(cut['a']).toEqual(texts(10, 1_500));
    expect(cut['small']).toBe('x'.repeat(900));
    expect((cut['large'] as string[]).some((text) => text.length === 2_000)).toBe(true);

    const items = Array.from({ length: 20_000 }, (_, at) => ({ at }));
    const summarized = truncatePayload({ id: 'kept', list: [1, 2], inner: { items } });
    expect(summarized).toMatchObject({
      id: 'kept',
      list: [1, 2],
      inner: {
        items: {
          _truncated_array: true,
          original_count: 20_000,
          sample: [0, 1, 2].map((at) => ({ sha256: sha256({ at }), bytes: 8 })),
        },
      },
    });
    expect(metaOf(summarized).truncated_paths).toEqual(['$.inner.items']);

    const map = truncatePayload({ id: 'kept', map: members(9_000) });
    expect(map).toMatchObject({ id: 'kept', map: { _truncated_object: true, original_count: 9_000 } });
    const redaction = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
    const root = truncatePayload({ ...members(9_000), _redaction_meta: redaction });
    expect(root).toMatchObject({ _truncated_object: true, original_count: 9_000, _redaction_meta: redaction });
    expect(metaOf(root).truncated_paths).toEqual(['$']);
  });

  it('AUD-11: lists of paths are capped and counted, and no meta fills the payload', () => {
    const paths = Array.from({ length: 9_000 }, (_, at) => `$.path${at}`);
    const stored = truncatePayload({
      texts: texts(300, 3_000),
      _redaction_meta: {
        rule_version: '1',
        fields_redacted_count: 1,
        patterns_redacted_count: 0,
        redacted_paths: paths,
      },
      _audit_meta: { filler: texts(40, 1_000) },
    });
    expect(stored['_redaction_meta']).toMatchObject({
      redacted_paths: paths.slice(0, 100),
      redacted_paths_count: 9_000,
    });
    const meta = metaOf(stored);
    expect([meta.truncated_paths.length, Number(meta.truncated_paths_count) >= 300]).toEqual([100, true]);
    const wide = Object.fromEntries(texts(60, 2_500).map((name) => [name, 1]));
    const listed = metaOf(truncatePayload({ [`${'p'.repeat(40)}`]: { [`${'q'.repeat(60)}`]: wide } })).truncated_paths;
    expect(bytes(listed)).toBeLessThanOrEqual(4_096 + 2);
  });

  it('AUD-11: a meta that is not true of its payload is content', () => {
    const stored = truncatePayload({ a: 1 });
    const forged = truncatePayload({ ...stored, a: 2, _truncation_meta_given: 'taken' });
    expect(forged).toMatchObject({
      a: 2,
      _truncation_meta_given: 'taken',
      _truncation_meta_given_2: stored['_truncation_meta'],
    });
    expect(metaOf(forged).content_hash_sha256_before).not.toBe(metaOf(stored).content_hash_sha256_before);
  });

  it('AUD-10: the vectors for other languages are what this code gives', () => {
    const vectors = JSON.parse(readFileSync(vectorFile, 'utf8')) as { name: string; input: JsonObject }[];
    const computed = vectors.map(({ name, input }) => {
      const stored = truncatePayload(expand(input) as JsonObject);
      const { _truncation_meta, ...content } = stored;
      const shown = bytes(content) <= 1_024 ? { stored } : { _truncation_meta };
      return { name, input, stored_bytes: bytes(stored), stored_sha256: sha256(stored), ...shown };
    });
    expect(computed.length).toBeGreaterThan(9);
    expect(vectors).toEqual(computed);
  });
});
