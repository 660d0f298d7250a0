import { type RepeatedKey, scanLayout, type TextRange } from './json-layout.js';
import type { RepairKind } from './json-reader.js';

/**
 * Where one element of the watched array stands, and how it ended: `complete` is false for the one
 * the text was cut in.
 */
export interface ElementMark extends TextRange {
  complete: boolean;
  /** It needed no mending. */
  strict: boolean;
}

export interface RepairedObject {
  value: Record<string, unknown>;
  /** Exclusive. */
  end: number;
  /** The object's own closing brace was there. */
  closed: boolean;
  repairs: readonly RepairKind[];
  /** Marks of the array under the watched key, in order. */
  elements: readonly ElementMark[];
  /** The top-level key whose value ran into the end, if any. */
  cutKey: string | null;
  /** The watched key came twice; the value has the elements of all its arrays. */
  repeated: boolean;
  /** Other keys that came twice in one object. */
  repeats: readonly RepeatedKey[];
}

export interface RepairOptions {
  /** The top-level key whose array's elements are marked one by one. */
  watchKey: string;
  /** Keys that, at a line's start, prove that the string before was left open. */
  knownKeys: ReadonlySet<string>;
}

/**
 * A strictly valid object as a read one. Where the watched key came again, `JSON.parse` kept the
 * last array alone: all are read.
 */
export function describeStrict(
  text: string,
  start: number,
  end: number,
  value: Record<string, unknown>,
  watchKey: string,
): RepairedObject {
  const { elements, lists, repeats } = scanLayout(text, start, end, watchKey);
  const repeated = repeats.some((one) => one.index === null && one.key === watchKey);
  const parsed =
    repeated && lists > 0
      ? { ...value, [watchKey]: elements.map((range) => JSON.parse(text.slice(range.start, range.end))) }
      : value;
  return {
    value: parsed,
    end,
    closed: true,
    repairs: [],
    elements: elements.map((range) => ({ ...range, complete: true, strict: true })),
    cutKey: null,
    repeated,
    repeats: repeats.filter((one) => one.index !== null || one.key !== watchKey),
  };
}
