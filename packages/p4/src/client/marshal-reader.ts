import { Buffer } from 'node:buffer';
import { CriticizerError } from '@criticizer/core/ports';

/**
 * A value of `p4 -G` output: its bytes, which stand as a Latin-1 string where there are at most
 * `shortBytes`, or a 32-bit integer.
 */
export type MarshalValue = Buffer | string | number;

/**
 * One dictionary of `p4 -G` output, in the order sent; a key sent twice is there twice. `values[n]`
 * belongs to `keys[n]`.
 */
export interface MarshalRecord {
  // Two lists, not a list of pairs: the engine would move each pair to its old generation after a
  // record of many thousands.
  readonly keys: readonly string[];
  readonly values: readonly MarshalValue[];
}

/** Where the client itself speaks, as with a prompt: `details.why` of the failure. */
export const textBeforeRecord = 'text before a record';

/** A string costs a third of a Buffer in time and memory, and most values are short. */
const shortBytes = 256;

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
/** Longer than any key or short value with its mark and length. */
const windowBytes = 8 * 1024;
const nothing = Buffer.alloc(0);

type State = 'between' | 'mark' | 'number' | 'bytes' | 'failed';

/**
 * The format is small: a record is `{`, pairs, `0`; a string is `s`, length (u32, little endian),
 * bytes; a number is `i` and 4 bytes.
 */
export function createMarshalReader(
  onRecord: (record: MarshalRecord) => void,
  options: MarshalReaderOptions = {},
): MarshalReader {
  return new StreamReader(
    onRecord,
    options.maxStringBytes ?? 32 * 1024 * 1024,
    options.maxRecordBytes ?? 256 * 1024 * 1024,
  );
}

class StreamReader implements MarshalReader {
  private state: State = 'between';
  private keys: string[] = [];
  private values: MarshalValue[] = [];
  private key: string | undefined;
  private recordBytes = 0;
  /** What the four bytes being read are. */
  private numberIsLength = false;
  private numberValue = 0;
  private numberBytes = 0;
  /** The part of a string that came with earlier chunks, and how much of it is still to come. */
  private parts: Buffer[] = [];
  private missing = 0;

  constructor(
    private readonly onRecord: (record: MarshalRecord) => void,
    private readonly maxStringBytes: number,
    private readonly maxRecordBytes: number,
  ) {}

  push(bytes: Uint8Array): void {
    const chunk = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    while (at < chunk.length) {
      if (this.state === 'mark') at = this.takeWholeStrings(chunk, at);
      if (at === chunk.length) return;
      const byte = chunk[at] ?? 0;
      if (this.state === 'bytes') at = this.takeBytes(chunk, at);
      else {
        at += 1;
        if (this.state === 'mark') this.takeMark(byte);
        else if (this.state === 'number') this.takeNumberByte(byte);
        else if (this.state === 'failed') this.fail('it failed before');
        else if (byte === openBrace) this.state = 'mark';
        else this.fail(textBeforeRecord);
      }
    }
  }

  end(): void {
    if (this.state === 'failed') this.fail('it failed before');
    if (this.state === 'between') return;
    this.state = 'failed';
    throw new CriticizerError('P4_TRUNCATED_OUTPUT', 'The output of the p4 client ends inside a record.', {
      category: 'network',
    });
  }

  /**
   * The usual case, in one tight loop: strings that lie in the chunk with their length. Returns
   * where it had to stop.
   */
  private takeWholeStrings(chunk: Buffer, from: number): number {
    let at = from;
    let text = '';
    let textFrom = 0;
    while (at + 5 <= chunk.length && chunk[at] === stringMark) {
      const length = chunk.readUInt32LE(at + 1);
      const end = at + 5 + length;
      if (end > chunk.length) break;
      this.checkLength(length);
      if (length > shortBytes && this.key !== undefined) this.takeValue(chunk.subarray(at + 5, end), length);
      else {
        // Cutting many short strings out of a decoded window is cheaper than decoding each.
        if (end > textFrom + text.length) {
          textFrom = at;
          text = chunk.toString('latin1', at, at + windowBytes);
        }
        const short = text.slice(at + 5 - textFrom, end - textFrom);
        if (this.key === undefined) this.takeKey(short);
        else this.takeValue(short, length);
      }
      at = end;
    }
    return at;
  }

  private takeMark(byte: number): void {
    if (byte === stringMark || byte === intMark) {
      if (byte === intMark && this.key === undefined) this.fail('a number as a key');
      this.numberIsLength = byte === stringMark;
      this.numberValue = 0;
      this.numberBytes = 0;
      this.state = 'number';
    } else if (byte === zero && this.key === undefined) this.endRecord();
    else this.fail(byte === zero ? 'a key without a value' : 'an unknown mark');
  }

  private endRecord(): void {
    const record = { keys: this.keys, values: this.values };
    this.keys = [];
    this.values = [];
    this.recordBytes = 0;
    this.state = 'between';
    this.onRecord(record);
  }

  private takeNumberByte(byte: number): void {
    this.numberValue |= byte << (8 * this.numberBytes);
    this.numberBytes += 1;
    if (this.numberBytes < 4) return;
    if (!this.numberIsLength) {
      this.takeValue(this.numberValue, 0);
      return;
    }
    this.missing = this.numberValue >>> 0;
    this.checkLength(this.missing);
    if (this.missing > 0) this.state = 'bytes';
    else this.takeString(nothing);
  }

  /** Returns the position after the bytes it took. */
  private takeBytes(chunk: Buffer, from: number): number {
    const end = Math.min(chunk.length, from + this.missing);
    const part = chunk.subarray(from, end);
    this.missing -= part.length;
    if (this.missing > 0) this.parts.push(part);
    else if (this.parts.length === 0) this.takeString(part);
    else {
      const whole = Buffer.concat([...this.parts, part]);
      this.parts = [];
      this.takeString(whole);
    }
    return end;
  }

  private takeString(bytes: Buffer): void {
    if (this.key === undefined) this.takeKey(bytes.toString('latin1'));
    else this.takeValue(bytes.length > shortBytes ? bytes : bytes.toString('latin1'), bytes.length);
  }

  private takeKey(key: string): void {
    this.count(key.length);
    this.key = key;
    this.state = 'mark';
  }

  private takeValue(value: MarshalValue, bytes: number): void {
    this.count(bytes);
    this.keys.push(this.key ?? '');
    this.values.push(value);
    this.key = undefined;
    this.state = 'mark';
  }

  /** Before a byte of the string is read or room for it is made. */
  private checkLength(length: number): void {
    if (length > (this.key === undefined ? maxKeyBytes : this.maxStringBytes))
      this.fail('a string longer than the limit');
    if (this.recordBytes + length > this.maxRecordBytes) this.fail('a record longer than the limit');
  }

  private count(bytes: number): void {
    this.recordBytes += entryOverheadBytes + bytes;
    if (this.recordBytes > this.maxRecordBytes) this.fail('a record longer than the limit');
  }

  private fail(why: string): never {
    this.state = 'failed';
    this.keys = [];
    this.values = [];
    this.parts = [];
    throw new CriticizerError(
      'P4_MALFORMED_OUTPUT',
      `The p4 client sent output that is not in its -G format: ${why}.`,
      {
        category: 'upstream',
        details: { why },
      },
    );
  }
}
