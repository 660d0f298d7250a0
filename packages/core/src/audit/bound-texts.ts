import { types } from 'node:util';
import { applyToJson, isNamed, RawSize } from './raw-size.js';
import { cutAtCharacter } from './truncate-text.js';

/** A text of more bytes than this is cut before it is redacted (ruling R5). */
const MAX_TEXT_BYTES = 65_536;
/** A cut may part a secret from what shows that it is one: so much of what is kept before it goes as well. */
const DROPPED_BYTES = 4_096;
/** All texts of one payload together; what follows is left out. Sixteen of the longest texts. */
const MAX_TOTAL_BYTES = 1_048_576;
const MAX_DEPTH = 64;
const MAX_NODES = 200_000;
/** Places that are named, and UTF-8 bytes of one name: notes must not fill the payload (ruling R5). */
const MAX_NOTED = 20;
const MAX_PATH_BYTES = 256;
const TRUNCATED = '[TRUNCATED]';
const UNREADABLE = '[UNREADABLE]';

/** One text that was cut, or one container whose rest was left out. */
export interface CutText {
  /** JSON path, `$.user.name`. */
  path: string;
  /** Size in UTF-8 of the text as it was given; null for a container. */
  bytes_original: number | null;
  bytes_kept: number | null;
}

/** A copy of a payload whose texts are short enough to be redacted inside a host's transaction. */
export interface BoundTexts {
  value: unknown;
  /** How many texts and containers were cut. */
  cutCount: number;
  /** The first 20 of them. */
  cuts: readonly CutText[];
  /** UTF-8 bytes of the JSON of the value as it was given; bytes of buffers count as they are. */
  bytesOriginal: number;
  /** True where the value holds more than was counted. */
  isMinimum: boolean;
}

/**
 * Copies `value` and cuts each text of more than 64 KiB to 60 KiB, at a character; a private key
 * that began and did not end before the cut is left out. Names of members count as texts.
 * `[TRUNCATED]` stands where something was cut: a text, what lies deeper than 64 levels, and what
 * follows after 200,000 values or 1 MiB of text in all. Never throws: what cannot be read becomes
 * `[UNREADABLE]` (AUD-3, ruling R5).
 */
export function boundTexts(value: unknown): BoundTexts {
  const walk = new BoundingWalk();
  const copy = walk.copy(value, '$', 0);
  const { bytes: bytesOriginal, isMinimum } = walk.raw;
  return { value: copy, cutCount: walk.cutCount, cuts: walk.cuts, bytesOriginal, isMinimum };
}

class BoundingWalk {
  readonly cuts: CutText[] = [];
  cutCount = 0;
  readonly raw = new RawSize();
  private bytes = 0;
  private nodes = 0;
  /** Copies by source: a cycle of the payload stays one, for the redactor to mark. */
  private readonly copies = new Map<object, unknown>();

  copy(value: unknown, path: string, depth: number): unknown {
    this.nodes += 1;
    if (typeof value === 'string') return this.text(value, path);
    if (typeof value !== 'object' || value === null || types.isDate(value)) {
      this.raw.deep(value);
      return value;
    }
    if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) {
      this.raw.binary(value.byteLength);
      return value;
    }
    const known = this.copies.get(value);
    if (known !== undefined) return known;
    if (depth > MAX_DEPTH) {
      this.note({ path, bytes_original: null, bytes_kept: null });
      this.raw.deep(value);
      return TRUNCATED;
    }
    try {
      return this.container(value, path, depth);
    } catch {
      return UNREADABLE;
    }
  }

  private container(value: object, path: string, depth: number): unknown {
    if (types.isBoxedPrimitive(value)) return this.copy(value.valueOf(), path, depth + 1);
    if (Array.isArray(value)) return this.items(value, value, path, depth);
    if (types.isSet(value)) return this.items(value, [...value], path, depth);
    if (types.isMap(value)) {
      const entries = [...value];
      return entries.every(isNamed)
        ? this.members(value, entries, path, depth)
        : this.items(value, entries, path, depth);
    }
    const converted = applyToJson(value);
    return converted === value
      ? this.members(value, readMembers(value), path, depth)
      : this.copy(converted, path, depth + 1);
  }

  private members(
    source: object,
    members: readonly (readonly [string, unknown])[],
    path: string,
    depth: number,
  ): object {
    const copy: Record<string, unknown> = {};
    this.copies.set(source, copy);
    this.raw.openObject(source, members);
    // Defined, not assigned: `__proto__` is a member like any other.
    const define = (name: string, value: unknown): unknown =>
      Object.defineProperty(copy, name, { value, writable: true, enumerable: true, configurable: true });
    let isFull = false;
    for (const [key, member] of members) {
      isFull ||= this.isFull(path);
      if (isFull) {
        define(TRUNCATED, TRUNCATED);
        this.raw.deep(member);
        continue;
      }
      const name = freeName(this.cut(key, path), copy);
      define(name, this.copy(member, `${path}.${name.slice(0, 64)}`, depth + 1));
    }
    return copy;
  }

  private items(source: object, items: readonly unknown[], path: string, depth: number): unknown[] {
    const copy: unknown[] = [];
    this.copies.set(source, copy);
    this.raw.openArray(source, items.length);
    for (let at = 0; at < items.length; at += 1) {
      if (this.isFull(path)) {
        copy.push(TRUNCATED);
        this.raw.rest(items, at);
        break;
      }
      const value = read(items, at);
      this.raw.item(value);
      copy.push(this.copy(value, `${path}[${at}]`, depth + 1));
    }
    return copy;
  }

  private isFull(path: string): boolean {
    if (this.nodes <= MAX_NODES && this.bytes < MAX_TOTAL_BYTES) return false;
    this.note({ path, bytes_original: null, bytes_kept: null });
    return true;
  }

  private text(text: string, path: string): string {
    this.raw.text(text);
    return this.cut(text, path);
  }

  private cut(text: string, path: string): string {
    const original = Buffer.byteLength(text);
    if (original <= MAX_TEXT_BYTES) {
      this.bytes += original;
      return text;
    }
    const { kept, bytes } = cutAtCharacter(text, MAX_TEXT_BYTES - DROPPED_BYTES);
    this.bytes += bytes;
    this.note({ path, bytes_original: original, bytes_kept: bytes });
    return `${withoutOpenKey(kept)}${TRUNCATED}`;
  }

  private note(cut: CutText): void {
    this.cutCount += 1;
    if (this.cuts.length >= MAX_NOTED) return;
    this.cuts.push({ ...cut, path: cutAtCharacter(cut.path, MAX_PATH_BYTES).kept });
  }
}

/** The text before the first private key that begins in it and does not end. */
function withoutOpenKey(text: string): string {
  let begin = -1;
  for (const marker of text.matchAll(/-----(BEGIN|END) [^-\r\n]{0,64}PRIVATE KEY/gi)) {
    if (marker[1]?.toUpperCase() === 'END') begin = -1;
    else if (begin < 0) begin = marker.index;
  }
  return begin < 0 ? text : `${text.slice(0, begin)}[REDACTED]`;
}

/**
 * Own enumerable members, and what an error keeps from enumeration but for its stack. A getter that
 * throws costs its own member alone.
 */
function readMembers(value: object): [string, unknown][] {
  const names = Object.keys(value);
  const hidden = types.isNativeError(value) ? ['name', 'message', 'code', 'cause', 'errors'] : [];
  const missing = hidden.filter((name) => !names.includes(name) && name in value);
  return [...missing, ...names].map((name) => [name, read(value, name)]);
}

function read(value: object, name: string | number): unknown {
  try {
    return Reflect.get(value, name);
  } catch {
    return UNREADABLE;
  }
}

/** Two long names that are cut alike stay two. */
function freeName(wanted: string, members: object): string {
  let name = wanted;
  for (let n = 2; Object.hasOwn(members, name); n += 1) name = `${wanted}_${n}`;
  return name;
}
