import { Buffer } from 'node:buffer';
import { isCriticizerError } from '@criticizer/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMarshalReader, type MarshalRecord } from '../src/client/marshal-reader.js';
import { marshalRecord } from '../src/testing/marshal-writer.js';
import { clientRuns, serverRuns } from './fixture-runs.js';

/** Values as plain data, so that views and copies compare equal. */
function read(chunks: readonly Uint8Array[]): [string, string | number][][] {
  const records: MarshalRecord[] = [];
  const reader = createMarshalReader((record) => records.push(record));
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return records.map(({ keys, values }) =>
    keys.map((key, at) => {
      const value = values[at] ?? 0;
      return [key, Buffer.isBuffer(value) ? value.toString('latin1') : value];
    }),
  );
}

function codeOf(action: () => unknown): string {
  try {
    action();
    return 'none';
  } catch (error) {
    return isCriticizerError(error) ? error.code : 'untyped';
  }
}

const value = fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.uint8Array({ maxLength: 40 }));
const record = fc.array(fc.tuple(fc.stringMatching(/^[a-zA-Z0-9]{0,12}$/), value), { maxLength: 8 });
const recorded = [
  ...clientRuns().filter((run) => run.mode === 'marshal'),
  ...serverRuns().filter((run) => run.mode === 'marshal'),
];

/** Bytes set, cut out, repeated or put in: what a bad line, a bad proxy or a bad server does to a stream. */
const mutation: fc.Arbitrary<(bytes: Buffer) => Buffer> = fc
  .record({
    kind: fc.constantFrom('set', 'cut', 'repeat', 'insert', 'end'),
    at: fc.nat(),
    length: fc.integer({ min: 1, max: 64 }),
    byte: fc.nat(255),
  })
  .map(({ kind, at, length, byte }) => (bytes: Buffer) => {
    const from = at % (bytes.length + 1);
    const to = Math.min(bytes.length, from + length);
    if (kind === 'end') return bytes.subarray(0, from);
    const middle = kind === 'cut' ? Buffer.alloc(0) : Buffer.alloc(length, byte);
    if (kind === 'repeat') return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
    return Buffer.concat([bytes.subarray(0, from), middle, bytes.subarray(kind === 'insert' ? from : to)]);
  });
const soak = process.env['MODE'] === 'soak';

describe('marshal reader', () => {
  it('reads what the real client printed, cut at every point', () => {
    for (const { stdout } of recorded) {
      const whole = read([stdout]);
      for (let at = 0; at <= stdout.length; at += 1)
        expect(read([stdout.subarray(0, at), stdout.subarray(at)])).toEqual(whole);
    }
    expect(recorded.filter((run) => run.stdout.length > 0).length).toBeGreaterThan(25);
  });

  it('finds the meaning of recorded runs', () => {
    const missing = recorded.find((run) => run.argv.includes('59700'));
    expect(read([missing?.stdout ?? Buffer.alloc(0)])).toEqual([
      [
        ['code', 'error'],
        ['data', '59700 - no such changelist.\n'],
        ['severity', 2],
        ['generic', 17],
      ],
    ]);
    const binary = recorded.find((run) => run.argv.includes('//depot/main/bin.dat#1') && run.argv.length === 4);
    expect(read([binary?.stdout ?? Buffer.alloc(0)])[0]?.[1]?.[1]).toBe(
      Buffer.from('iVAA//4KAAE=', 'base64').toString('latin1'),
    );
  });

  it('gives back what was written, byte by byte and in random cuts', () => {
    fc.assert(
      fc.property(
        fc.array(record, { maxLength: 5 }),
        fc.array(fc.nat({ max: 300 }), { maxLength: 6 }),
        (records, cuts) => {
          const bytes = Buffer.concat(records.map(marshalRecord));
          const expected = records.map((entries) =>
            entries.map(([key, item]) => [key, typeof item === 'number' ? item : Buffer.from(item).toString('latin1')]),
          );
          const points = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
          expect(read(points.slice(1).map((point, at) => bytes.subarray(points[at], point)))).toEqual(expected);
          expect(read([...bytes].map((byte) => Buffer.from([byte])))).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('notices every stream that ends inside a record', () => {
    const bytes = marshalRecord([
      ['code', 'stat'],
      ['rev', 7],
      ['desc', 'text'],
    ]);
    for (let length = 1; length < bytes.length; length += 1) {
      expect(codeOf(() => read([bytes.subarray(0, length)]))).toBe('P4_TRUNCATED_OUTPUT');
    }
  });

  it('refuses a declared length over the limit before it is read, and stays refused', () => {
    const reader = createMarshalReader(() => undefined, { maxStringBytes: 1000 });
    reader.push(marshalRecord([['code', 'text']]));
    reader.push(Buffer.from('{s\u0001\0\0\0a', 'latin1'));
    expect(codeOf(() => reader.push(Buffer.from([0x73, 0xff, 0xff, 0xff, 0xff])))).toBe('P4_MALFORMED_OUTPUT');
    expect(codeOf(() => reader.push(marshalRecord([])))).toBe('P4_MALFORMED_OUTPUT');
    expect(codeOf(() => reader.end())).toBe('P4_MALFORMED_OUTPUT');
  });

  it('bounds a record of many empty values', () => {
    const reader = createMarshalReader(() => undefined, { maxRecordBytes: 4096 });
    const empty = Buffer.from('s\0\0\0\0', 'latin1');
    expect(codeOf(() => reader.push(Buffer.concat([Buffer.from('{'), ...Array<Buffer>(1000).fill(empty)])))).toBe(
      'P4_MALFORMED_OUTPUT',
    );
  });

  it('ends every mutated stream in a typed error or a result', () => {
    const sources = recorded.map((run) => run.stdout).filter((bytes) => bytes.length > 0);
    fc.assert(
      fc.property(
        fc.constantFrom(...sources),
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        (source, mutations) => {
          const bytes = mutations.reduce<Buffer>((stream, mutate) => mutate(stream), source);
          expect(['none', 'P4_MALFORMED_OUTPUT', 'P4_TRUNCATED_OUTPUT']).toContain(codeOf(() => read([bytes])));
        },
      ),
      { numRuns: soak ? 10_000 : 2_000, seed: 4_711 },
    );
  });
});
