import { passesLuhn } from '../checksums.js';
import type { JsonValue } from './json-value.js';
import type { KeyVerdict } from './key-verdicts.js';
import { maskCard, maskScalar, REDACTED } from './masks.js';

const MAX_DEPTH = 64;
/** Shared references can make a small graph a huge tree; past this many nodes the rest is cut. */
const MAX_NODES = 200_000;
const TRUNCATED = '[TRUNCATED]';
const CIRCULAR = '[CIRCULAR]';
const UNREADABLE = '[UNREADABLE]';
/** What this walk itself puts in a value's place; it holds nothing to mask. */
const STAND_IN = /^\[(?:CIRCULAR|TRUNCATED|UNREADABLE|BINARY bytes=\d+)\]$/;
const META_KEY = '_redaction_meta';
const CARD_MASK = /\d{6}\*{3,9}\d{4}/g;
const PLAIN_KEY = /^[A-Za-z_$][\w$]*$/;

type MutableObject = { [key: string]: JsonValue };

/** One pass over one value: copies it to JSON, redacts on the way and counts. Counts are taken from the copy, so a second pass counts the same. */
export class PayloadWalk {
  readonly paths: string[] = [];
  fields = 0;
  patterns = 0;
  private nodes = 0;
  private readonly open = new Set<object>();
  private readonly verdictOf: (key: string) => KeyVerdict;
  private readonly redactText: (text: string) => string;

  constructor(verdictOf: (key: string) => KeyVerdict, redactText: (text: string) => string) {
    this.verdictOf = verdictOf;
    this.redactText = redactText;
  }

  root(value: unknown): JsonValue {
    return this.copy(value, '$', 0, 'none', true) ?? null;
  }

  /** The JSON copy, or undefined for what JSON leaves out. A `verdict` other than `none` masks every scalar below. */
  private copy(value: unknown, path: string, depth: number, verdict: KeyVerdict, isRoot = false): JsonValue | undefined {
    this.nodes += 1;
    if (this.nodes > MAX_NODES) return TRUNCATED;
    switch (typeof value) {
      case 'string':
        return verdict === 'none' ? this.text(value, path) : this.masked(verdict, value, path);
      case 'number':
        return this.number(value, path, verdict);
      case 'bigint':
        return verdict === 'none' ? this.text(value.toString(), path) : this.masked(verdict, value.toString(), path);
      case 'boolean':
        return value;
      case 'object':
        return value === null ? null : this.object(value, path, depth, verdict, isRoot);
      default:
        return undefined;
    }
  }

  private text(value: string, path: string): string {
    const redacted = this.redactText(value);
    const marks = countMarks(redacted);
    if (marks > 0) {
      this.patterns += marks;
      this.paths.push(path);
    }
    return redacted;
  }

  private masked(verdict: KeyVerdict, value: string, path: string): string {
    if (verdict !== 'full' && STAND_IN.test(value)) return value;
    this.fields += 1;
    this.paths.push(path);
    return maskScalar(verdict, value);
  }

  private number(value: number, path: string, verdict: KeyVerdict): JsonValue {
    if (verdict !== 'none') return this.masked(verdict, String(value), path);
    if (!Number.isFinite(value)) return null;
    if (!Number.isSafeInteger(value) || value < 2e12 || !/^[2-6]/.test(String(value)) || !passesLuhn(String(value))) return value;
    this.patterns += 1;
    this.paths.push(path);
    return maskCard(String(value));
  }

  private object(value: object, path: string, depth: number, verdict: KeyVerdict, isRoot: boolean): JsonValue | undefined {
    if (depth > MAX_DEPTH) return TRUNCATED;
    if (this.open.has(value)) return CIRCULAR;
    this.open.add(value);
    try {
      return this.container(value, path, depth, verdict, isRoot);
    } catch {
      return UNREADABLE;
    } finally {
      this.open.delete(value);
    }
  }

  private container(value: object, path: string, depth: number, verdict: KeyVerdict, isRoot: boolean): JsonValue | undefined {
    if (ArrayBuffer.isView(value)) return `[BINARY bytes=${value.byteLength}]`;
    if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return `[BINARY bytes=${value.byteLength}]`;
    if (value instanceof String || value instanceof Number || value instanceof Boolean)
      return this.copy(value.valueOf(), path, depth, verdict);
    if (Array.isArray(value)) return this.array(value, path, depth, verdict);
    if (value instanceof Map) return this.map(value, path, depth, verdict, isRoot);
    if (value instanceof Set) return this.array([...value], path, depth, verdict);
    const toJson: unknown = Reflect.get(value, 'toJSON');
    if (typeof toJson === 'function') return this.copy(toJson.call(value, ''), path, depth + 1, verdict, isRoot);
    const names = Object.keys(value);
    if (value instanceof Error)
      names.unshift(...['name', 'message', 'code', 'cause'].filter((name) => !names.includes(name) && name in value));
    return this.entries(names, (name) => Reflect.get(value, name), path, depth, verdict, isRoot);
  }

  private array(items: readonly unknown[], path: string, depth: number, verdict: KeyVerdict): JsonValue {
    const copies: JsonValue[] = [];
    for (let index = 0; index < items.length; index += 1) {
      if (this.nodes > MAX_NODES) {
        copies.push(TRUNCATED);
        break;
      }
      copies.push(
        this.copy(
          this.read(() => items[index]),
          `${path}[${index}]`,
          depth + 1,
          verdict,
        ) ?? null,
      );
    }
    return copies;
  }

  /** A map with text keys reads as an object, so that its keys count; any other as a list of pairs. */
  private map(value: ReadonlyMap<unknown, unknown>, path: string, depth: number, verdict: KeyVerdict, isRoot: boolean): JsonValue {
    const keys = [...value.keys()];
    if (keys.every((key) => typeof key === 'string')) return this.entries(keys, (name) => value.get(name), path, depth, verdict, isRoot);
    return this.array(
      [...value].map(([key, item]) => ({ key, value: item })),
      path,
      depth,
      verdict,
    );
  }

  private entries(
    names: readonly string[],
    get: (name: string) => unknown,
    path: string,
    depth: number,
    verdict: KeyVerdict,
    isRoot: boolean,
  ): JsonValue {
    const copy: MutableObject = {};
    for (const name of names) {
      if (isRoot && name === META_KEY) continue;
      if (this.nodes > MAX_NODES) {
        define(copy, TRUNCATED, TRUNCATED);
        break;
      }
      const key = this.key(name, copy);
      const keyPath = pathTo(path, key);
      if (countMarks(key) > 0) this.paths.push(keyPath);
      const item = this.field(
        name,
        this.read(() => get(name)),
        keyPath,
        depth,
        verdict,
      );
      if (item !== undefined) define(copy, key, item);
    }
    return copy;
  }

  private field(name: string, value: unknown, path: string, depth: number, inherited: KeyVerdict): JsonValue | undefined {
    const own = this.verdictOf(name);
    if (own === 'none') return this.copy(value, path, depth + 1, inherited);
    if (value === null || value === undefined || typeof value === 'function' || typeof value === 'symbol')
      return value === null ? null : undefined;
    if (own === 'full' || (own === 'full-unless-boolean' && typeof value !== 'boolean')) return this.masked('full', '', path);
    return own === 'full-unless-boolean'
      ? this.copy(value, path, depth + 1, inherited)
      : this.copy(value, path, depth + 1, inherited === 'none' ? own : inherited);
  }

  /** A key can hold a secret as well: its text is redacted, and numbered where that would make two keys one. */
  private key(name: string, taken: MutableObject): string {
    const redacted = this.redactText(name);
    this.patterns += countMarks(redacted);
    if (redacted === name) return name;
    let unique = redacted;
    for (let n = 2; Object.hasOwn(taken, unique); n += 1) unique = `${redacted}_${n}`;
    return unique;
  }

  private read(get: () => unknown): unknown {
    try {
      return get();
    } catch {
      return UNREADABLE;
    }
  }
}

/** A key such as `__proto__` becomes an own property, never a prototype. */
function define(target: MutableObject, key: string, value: JsonValue): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

function pathTo(path: string, key: string): string {
  return PLAIN_KEY.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

function countMarks(text: string): number {
  let marks = 0;
  for (let at = text.indexOf(REDACTED); at >= 0; at = text.indexOf(REDACTED, at + REDACTED.length)) marks += 1;
  if (text.includes('***')) marks += text.match(CARD_MASK)?.length ?? 0;
  return marks;
}
