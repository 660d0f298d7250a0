import { types } from 'node:util';
import { jsonFrameBytes, jsonTextBytes } from './truncation/json-bytes.js';

/** Values beyond these are not counted any more: getters can give new objects without end. */
const MAX_VALUES = 2_000_000;

/** An entry of a map whose keys are texts. */
export function isNamed(entry: [unknown, unknown]): entry is [string, unknown] {
  return typeof entry[0] === 'string';
}

/** What JSON leaves out of an object and writes as null in an array. */
function isLeftOut(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol';
}

function scalarBytes(value: unknown): number {
  if (isLeftOut(value)) return 0;
  if (typeof value === 'bigint') return jsonTextBytes(String(value));
  if (typeof value === 'number' && !Number.isFinite(value)) return 4;
  return String(value).length;
}

/** What `value.toJSON` gives, as JSON does; `value` itself where it has none. Throws what `toJSON` throws. */
export function applyToJson(value: object): unknown {
  const own = (value as { toJSON?: unknown }).toJSON;
  return typeof own === 'function' ? (own.call(value, '') as unknown) : value;
}

/**
 * Counts the UTF-8 bytes of a payload's JSON. Bytes count as they are, an object that is in
 * several places once. Linear, and without recursion.
 */
export class RawSize {
  bytes = 0;
  /** True where more than 2,000,000 values were given: `bytes` is less than the size then. */
  isMinimum = false;
  private values = 0;
  private readonly seen = new Set<object>();

  text(text: string): void {
    this.bytes += jsonTextBytes(text);
  }

  /** Adds what is no container and no text. */
  scalar(value: unknown): void {
    this.bytes += scalarBytes(value);
  }

  /** Adds an object without its values, which are added one by one. */
  openObject(source: object, members: readonly (readonly [string, unknown])[]): void {
    this.seen.add(source);
    let count = 0;
    for (const [name, value] of members) {
      if (isLeftOut(value)) continue;
      count += 1;
      this.text(name);
    }
    this.bytes += jsonFrameBytes('object', count);
  }

  /** Adds an array without its items, which are added one by one. */
  openArray(source: object, length: number): void {
    this.seen.add(source);
    this.bytes += jsonFrameBytes('array', length);
  }

  /** Adds the `null` of an item which JSON has no word for. */
  item(value: unknown): void {
    if (isLeftOut(value)) this.bytes += 4;
  }

  /** Adds the items of an array from `from` on, with all that is below them. */
  rest(items: readonly unknown[], from: number): void {
    for (let at = from; at < items.length && !this.isMinimum; at += 1) {
      const value = readItem(items, at);
      this.item(value);
      this.deep(value);
    }
  }

  binary(byteLength: number): void {
    this.bytes += byteLength;
  }

  /** Adds `value` and all that is below it. Never throws: what cannot be read counts nothing. */
  deep(value: unknown): void {
    const waiting: unknown[] = [value];
    while (waiting.length > 0) {
      this.values += 1;
      if (this.values > MAX_VALUES) {
        this.isMinimum = true;
        return;
      }
      const item = waiting.pop();
      if (typeof item === 'string') this.text(item);
      else if (typeof item !== 'object' || item === null) this.scalar(item);
      else if (!this.seen.has(item)) {
        this.seen.add(item);
        try {
          this.open(item, waiting);
        } catch {
          // A getter or a proxy that throws hides its own part of the payload, no more.
        }
      }
    }
  }

  private open(value: object, waiting: unknown[]): void {
    if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) this.binary(value.byteLength);
    else if (types.isBoxedPrimitive(value)) waiting.push(value.valueOf());
    else if (Array.isArray(value)) this.items(value, value, waiting);
    else if (types.isSet(value)) this.items(value, [...value], waiting);
    else if (types.isMap(value)) {
      const entries = [...value];
      if (entries.every(isNamed)) this.members(value, entries, waiting);
      else this.items(value, entries, waiting);
    } else {
      const json = applyToJson(value);
      if (json === value) this.members(value, Object.entries(value), waiting);
      else waiting.push(json);
    }
  }

  private items(source: object, items: readonly unknown[], waiting: unknown[]): void {
    this.openArray(source, items.length);
    // A sparse array can be longer than any memory: what waits is bounded too.
    for (let at = 0; at < items.length && at <= MAX_VALUES; at += 1) {
      const value = readItem(items, at);
      this.item(value);
      waiting.push(value);
    }
  }

  private members(source: object, members: readonly (readonly [string, unknown])[], waiting: unknown[]): void {
    this.openObject(source, members);
    for (const [, value] of members) waiting.push(value);
  }
}

function readItem(items: readonly unknown[], at: number): unknown {
  try {
    return items[at];
  } catch {
    return undefined;
  }
}
