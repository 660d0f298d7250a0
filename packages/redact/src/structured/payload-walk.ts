import { types } from 'node:util';
import { passesLuhn } from '../lexicon/checksums.js';
import type { KeyVerdict } from '../lexicon/listed-keys.js';
import { countMarks, type FreeText } from './free-text.js';
import { jsonPath, memberStep, type Step } from './json-path.js';
import type { JsonValue } from './json-value.js';
import type { KeyJudge } from './key-judge.js';
import { maskCard, maskScalar } from './masks.js';
import {
  type MutableObject,
  snapshotOf,
  snapshotOfError,
  snapshotOfMap,
  takeFirst,
  UNREADABLE,
  withoutUndefined,
} from './snapshot.js';

const MAX_DEPTH = 64;
/** Shared references can make a small graph a huge tree; past this many nodes the rest is cut. */
const MAX_NODES = 200_000;
/** Paths are for reading; the counts go on past these. */
const MAX_PATHS = 10_000;
const TRUNCATED = '[TRUNCATED]';
const CIRCULAR = '[CIRCULAR]';
/** What this walk itself puts in a value's place; it holds nothing to mask. */
const STAND_IN = /^\[(?:CIRCULAR|TRUNCATED|UNREADABLE|BINARY bytes=\d+)\]$/;

const NO_MEMBERS = {};
const isOwn = Object.prototype.hasOwnProperty;

/**
 * One pass over one value: copies it to JSON, redacts on the way and counts. Counts are taken from
 * the copy, so a second pass counts the same.
 */
export class PayloadWalk {
  readonly paths: string[] = [];
  fields = 0;
  patterns = 0;
  private nodes = 0;
  /**
   * The objects we are in, and the names that lead here: stacks that only grow, since cutting an
   * array costs more than a walk's step.
   */
  private readonly open: object[] = [];
  private opened = 0;
  private readonly trail: Step[] = [];
  private depth = 0;

  private readonly judge: KeyJudge;
  private readonly freeText: FreeText;
  /** A member of the root that is left alone: the caller writes it anew. */
  private readonly ownMember: string | undefined;

  constructor(judge: KeyJudge, freeText: FreeText, ownMember: string | undefined) {
    this.judge = judge;
    this.freeText = freeText;
    this.ownMember = ownMember;
  }

  root(value: unknown): JsonValue {
    return this.copy(value, '', 'none') ?? null;
  }

  /** The JSON copy, or undefined for what JSON leaves out. A `verdict` other than `none` masks every scalar below. */
  private copy(value: unknown, step: Step, verdict: KeyVerdict): JsonValue | undefined {
    this.nodes += 1;
    if (this.nodes > MAX_NODES) return TRUNCATED;
    switch (typeof value) {
      case 'string':
        return verdict === 'none' ? this.text(value, step) : this.masked(verdict, value, step);
      case 'number':
        return verdict === 'none' ? this.number(value, step) : this.masked(verdict, String(value), step);
      case 'bigint':
        return verdict === 'none' ? this.text(value.toString(), step) : this.masked(verdict, value.toString(), step);
      case 'boolean':
        return value;
      case 'object':
        return value === null ? null : this.object(value, step, verdict);
      default:
        return undefined;
    }
  }

  private text(value: string, step: Step): string {
    if (this.freeText.isPlain(value)) return value;
    const redacted = this.freeText.redact(value);
    const marks = countMarks(redacted);
    if (marks > 0) {
      this.patterns += marks;
      this.record(step);
    }
    return redacted;
  }

  private masked(verdict: KeyVerdict, value: string, step: Step): string {
    if (verdict !== 'full' && STAND_IN.test(value)) return value;
    this.fields += 1;
    this.record(step);
    return maskScalar(verdict, value);
  }

  private number(value: number, step: Step): JsonValue {
    if (!Number.isFinite(value)) return null;
    if (value < 2e12 || !Number.isSafeInteger(value)) return value;
    const digits = String(value);
    if (!/^[2-6]/.test(digits) || !passesLuhn(digits)) return value;
    this.patterns += 1;
    this.record(step);
    return maskCard(digits);
  }

  private object(value: object, step: Step, verdict: KeyVerdict): JsonValue | undefined {
    if (this.opened > MAX_DEPTH) return TRUNCATED;
    for (let at = 0; at < this.opened; at += 1) if (this.open[at] === value) return CIRCULAR;
    const { depth, opened } = this;
    this.open[opened] = value;
    this.opened = opened + 1;
    try {
      return this.container(value, step, verdict);
    } catch {
      return UNREADABLE;
    } finally {
      this.opened = opened;
      this.depth = depth;
    }
  }

  private container(value: object, step: Step, verdict: KeyVerdict): JsonValue | undefined {
    if (Array.isArray(value)) return this.array(value, step, verdict);
    if (Object.getPrototypeOf(value) !== Object.prototype) {
      if (ArrayBuffer.isView(value)) return `[BINARY bytes=${value.byteLength}]`;
      if (types.isAnyArrayBuffer(value)) return `[BINARY bytes=${value.byteLength}]`;
      if (types.isBoxedPrimitive(value)) return this.copy(value.valueOf(), step, verdict);
      if (types.isSet(value)) return this.array(takeFirst(value, MAX_NODES), step, verdict);
      if (types.isMap(value)) return this.map(value, step, verdict);
    }
    const { toJSON: toJson } = value as { toJSON?: unknown };
    if (typeof toJson === 'function') {
      const json: unknown = toJson.call(value, '');
      if (json !== value) return this.copy(json, step, verdict);
    }
    if (types.isNativeError(value)) return this.members(snapshotOfError(value), step, verdict);
    const members = snapshotOf(value, this.depth === 0 && this.ownMember !== undefined);
    if (members['type'] === 'Buffer' && Array.isArray(members['data']))
      return `[BINARY bytes=${members['data'].length}]`;
    return this.members(members, step, verdict);
  }

  /** A map with text keys reads as an object, so that its keys count; any other as a list of pairs. */
  private map(value: ReadonlyMap<unknown, unknown>, step: Step, verdict: KeyVerdict): JsonValue {
    const entries = takeFirst(value, MAX_NODES);
    const members = snapshotOfMap(entries);
    if (members !== undefined) return this.members(members, step, verdict);
    const pairs = entries.map(([key, item]) => ({ key, value: item }));
    return this.array(pairs, step, verdict);
  }

  private array(items: readonly unknown[], step: Step, verdict: KeyVerdict): JsonValue {
    const copies: JsonValue[] = [];
    this.trail[this.depth++] = step;
    for (let index = 0; index < items.length; index += 1) {
      if (this.nodes > MAX_NODES) {
        copies.push(TRUNCATED);
        break;
      }
      copies.push(this.copy(readItem(items, index), index, verdict) ?? null);
    }
    this.depth -= 1;
    return copies;
  }

  /** Redacts the members of a fresh object in place. */
  private members(members: MutableObject, step: Step, verdict: KeyVerdict): JsonValue {
    const isRoot = this.depth === 0;
    const renamed: [string, JsonValue][] = [];
    const isExtended = isPrototypeExtended();
    let isCut = false;
    let isSparse = false;
    this.trail[this.depth++] = step;
    for (const key in members) {
      if ((isRoot && key === this.ownMember) || (isExtended && !isOwn.call(members, key))) continue;
      if (this.nodes > MAX_NODES) {
        delete members[key];
        isCut = true;
        continue;
      }
      const judged = this.judge(key);
      const name = judged.redactedName === key ? key : freeName(judged.redactedName, members, renamed);
      const to = name === judged.redactedName ? judged.step : memberStep(name);
      if (judged.marks > 0) {
        this.patterns += judged.marks;
        this.record(to);
      }
      const value = members[key];
      const item =
        judged.verdict === 'none' ? this.copy(value, to, verdict) : this.judged(judged.verdict, value, to, verdict);
      if (name !== key) {
        delete members[key];
        if (item !== undefined) renamed.push([name, item]);
      } else if (item !== value) members[key] = item;
      if (item === undefined) isSparse = true;
    }
    this.depth -= 1;
    const kept = isSparse ? withoutUndefined(members) : members;
    for (const [key, item] of renamed) kept[key] = item;
    if (isCut) kept[TRUNCATED] = TRUNCATED;
    return kept as { [key: string]: JsonValue };
  }

  /** A member whose name asks for redaction, in a container that may have been asked for it already. */
  private judged(own: KeyVerdict, value: unknown, step: Step, inherited: KeyVerdict): JsonValue | undefined {
    if (value === null) return null;
    if (value === undefined || typeof value === 'function' || typeof value === 'symbol') return undefined;
    if (own === 'full' || (own === 'full-unless-boolean' && typeof value !== 'boolean'))
      return this.masked('full', '', step);
    if (own === 'full-unless-boolean') return this.copy(value, step, inherited);
    return this.copy(value, step, inherited === 'none' ? own : inherited);
  }

  private record(step: Step): void {
    if (this.paths.length >= MAX_PATHS) return;
    this.paths.push(jsonPath(this.trail, this.depth, step));
  }
}

/**
 * True once somebody gave `Object.prototype` a member, which every loop over names meets then.
 * Cheaper once than for each name.
 */
function isPrototypeExtended(): boolean {
  for (const _ in NO_MEMBERS) return true;
  return false;
}

/** A key whose text was redacted takes a number where that would make two members one. */
function freeName(wanted: string, members: MutableObject, renamed: readonly (readonly [string, unknown])[]): string {
  const isTaken = (name: string): boolean =>
    (isOwn.call(members, name) && members[name] !== undefined) || renamed.some(([other]) => other === name);
  let name = wanted;
  for (let n = 2; isTaken(name); n += 1) name = `${wanted}_${n}`;
  return name;
}

function readItem(items: readonly unknown[], index: number): unknown {
  try {
    return items[index];
  } catch {
    return UNREADABLE;
  }
}
