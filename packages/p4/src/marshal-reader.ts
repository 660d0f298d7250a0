import { Buffer } from 'node:buffer';
import { CriticizerError } from '@criticizer/core';

/** A value of `p4 -G` output: bytes as sent, or a 32-bit integer. */
export type MarshalValue = Buffer | number;

/** One dictionary of `p4 -G` output, in the order sent; a key sent twice is there twice. */
export interface MarshalRecord {
  readonly entries: readonly (readonly [key: string, value: MarshalValue])[];
}

export interface MarshalReaderOptions {
  /** Longest key or value accepted; a longer declaration is refused before any of it is read. Default 32 MiB. */
  maxStringBytes?: number | undefined;
  /** Most bytes of keys and values in one record, 16 added for each. Default 256 MiB. */
  maxRecordBytes?: number | undefined;
}

/** Reads a stream of records out of chunks cut anywhere. */
export interface MarshalReader {
  /**
   * Takes the next bytes and hands every record they complete to `onRecord`. Values may be views of the chunk.
   * Throws `P4_MALFORMED_OUTPUT` on any byte the format does not have, and again on every later call.
   */
  push(chunk: Uint8Array): void;
  /** Throws `P4_TRUNCATED_OUTPUT` unless the stream ended between records. */
  end(): void;
}

const openBrace = 0x7b; // {
const zero = 0x30; // 0: end of a record
const stringMark = 0x73; // s
const intMark = 0x69; // i
const maxKeyBytes = 1024;
/** Counted for each key and value, so that empty ones cannot fill the memory. */
const entryOverheadBytes = 16;

type State = 'between' | 'mark' | 'number' | 'bytes' | 'failed';

/** The format is small: a record is `{`, pairs, `0`; a string is `s`, length (u32, little endian), bytes; a number is `i` and 4 bytes. */
export function createMarshalReader(onRecord: (record: MarshalRecord) => void, options: MarshalReaderOptions = {}): MarshalReader {
  const maxStringBytes = options.maxStringBytes ?? 32 * 1024 * 1024;
  const maxRecordBytes = options.maxRecordBytes ?? 256 * 1024 * 1024;
  let state: State = 'between';
  let entries: [string, MarshalValue][] = [];
  let key: string | undefined;
  let recordBytes = 0;
  /** What the four bytes being read are. */
  let numberIsLength = false;
  let numberValue = 0;
  let numberBytes = 0;
  let parts: Buffer[] = [];
  let missing = 0;

  const fail = (why: string): never => {
    state = 'failed';
    entries = [];
    parts = [];
    throw new CriticizerError('P4_MALFORMED_OUTPUT', `The p4 client sent output that is not in its -G format: ${why}.`, {
      category: 'upstream',
    });
  };

  const takeValue = (value: MarshalValue): void => {
    recordBytes += entryOverheadBytes + (typeof value === 'number' ? 0 : value.length);
    if (recordBytes > maxRecordBytes) fail('a record longer than the limit');
    if (key === undefined) key = typeof value === 'number' ? fail('a number as a key') : value.toString('latin1');
    else {
      entries.push([key, value]);
      key = undefined;
    }
    state = 'mark';
  };

  const takeMark = (byte: number): void => {
    if (byte === stringMark || byte === intMark) {
      if (byte === intMark && key === undefined) fail('a number as a key');
      numberIsLength = byte === stringMark;
      numberValue = 0;
      numberBytes = 0;
      state = 'number';
    } else if (byte === zero && key === undefined) {
      const record = { entries };
      entries = [];
      recordBytes = 0;
      state = 'between';
      onRecord(record);
    } else fail(byte === zero ? 'a key without a value' : 'an unknown mark');
  };

  const takeNumber = (): void => {
    if (!numberIsLength) {
      takeValue(numberValue | 0);
      return;
    }
    missing = numberValue >>> 0;
    if (missing > (key === undefined ? maxKeyBytes : maxStringBytes)) fail('a string longer than the limit');
    if (recordBytes + missing > maxRecordBytes) fail('a record longer than the limit');
    if (missing === 0) takeValue(Buffer.alloc(0));
    else state = 'bytes';
  };

  /** Returns the position after the bytes it took. */
  const takeBytes = (chunk: Buffer, from: number): number => {
    if (key === undefined && parts.length === 0 && from + missing <= chunk.length) {
      // Most of a large record is short keys: no view is made of them.
      key = chunk.toString('latin1', from, from + missing);
      recordBytes += entryOverheadBytes + missing;
      state = 'mark';
      return from + missing;
    }
    const end = Math.min(chunk.length, from + missing);
    const part = chunk.subarray(from, end);
    missing -= part.length;
    if (missing > 0) parts.push(part);
    else if (parts.length === 0) takeValue(part);
    else {
      parts.push(part);
      const whole = Buffer.concat(parts);
      parts = [];
      takeValue(whole);
    }
    return end;
  };

  return {
    push(bytes) {
      if (state === 'failed') fail('it failed before');
      const chunk = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let at = 0;
      while (at < chunk.length) {
        if (state === 'bytes') at = takeBytes(chunk, at);
        else if (state === 'number' && numberBytes === 0 && at + 4 <= chunk.length) {
          numberValue = chunk.readInt32LE(at);
          at += 4;
          takeNumber();
        } else {
          const byte = chunk[at] ?? 0;
          at += 1;
          if (state === 'mark') takeMark(byte);
          else if (state === 'number') {
            numberValue |= byte << (8 * numberBytes);
            numberBytes += 1;
            if (numberBytes === 4) takeNumber();
          } else if (byte === openBrace) state = 'mark';
          else fail('text before a record');
        }
      }
    },
    end() {
      if (state === 'failed') fail('it failed before');
      if (state !== 'between') {
        state = 'failed';
        throw new CriticizerError('P4_TRUNCATED_OUTPUT', 'The output of the p4 client ends inside a record.', { category: 'network' });
      }
    },
  };
}
