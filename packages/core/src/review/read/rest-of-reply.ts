import type { JsonCandidate } from '../json/json-candidates.js';
import type { RepeatedKey, TextRange } from '../json/json-layout.js';
import { parseStrict, strictEnd } from '../json/strict-json.js';
import { isWholeFinding } from './finding-shape.js';

/** What a reply holds apart from the findings of the object that was chosen from it. */
export interface RestOfReply {
  /** Raw texts before, between and behind the objects that were read. */
  around: readonly string[];
  /** Raw reasoning before the answer. */
  reasoning: string;
  /** A mended document outside its findings, raw. Empty where it was strict JSON: its value then holds all of it. */
  gaps: string;
  /** The findings of it that needed mending, raw. */
  mended: readonly string[];
  /** Whole findings that stand next to the object, in order. */
  recovered: readonly unknown[];
  /** Other objects that could have been the review. */
  others: readonly Record<string, unknown>[];
  /** Keys that came twice in the chosen object. */
  repeats: readonly RepeatedKey[];
  /** The document had an ellipsis where a value could stand. */
  elided: boolean;
}

/** Of a reply that is its value and nothing else. */
export const NO_REST: RestOfReply = {
  around: [],
  reasoning: '',
  gaps: '',
  mended: [],
  recovered: [],
  others: [],
  repeats: [],
  elided: false,
};

/** What may stand between the parts of a list that was closed too early, and between lines of findings. */
const JOINT = /(?:[\s,[\]}]|```\w{0,9})*/y;

/**
 * Reads whole, strictly valid findings from `from` on, as long as only brackets, commas and fences
 * stand between them.
 */
function readRun(text: string, from: number, to: number): { findings: readonly unknown[]; end: number } {
  const findings: unknown[] = [];
  let end = from;
  for (let at = from; ; ) {
    JOINT.lastIndex = at;
    JOINT.exec(text);
    const start = Math.max(at, JOINT.lastIndex);
    if (start >= to || text.charAt(start) !== '{') return { findings, end: start >= to ? to : end };
    const stop = strictEnd(text, start, to);
    const parsed = stop < 0 ? null : parseStrict(text.slice(start, stop));
    if (parsed === null || !isWholeFinding(parsed.value)) return { findings, end };
    findings.push(parsed.value);
    at = stop;
    end = stop;
  }
}

/** The stretches of [from, to) that no range covers. */
function uncovered(ranges: readonly TextRange[], from: number, to: number): readonly TextRange[] {
  const free: TextRange[] = [];
  let at = from;
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start)) {
    if (start > at) free.push({ start: at, end: Math.min(start, to) });
    at = Math.max(at, end);
  }
  if (at < to) free.push({ start: at, end: to });
  return free.filter(({ start, end }) => start < end);
}

/** Collects what `text` holds apart from `chosen`. What precedes `answerStart` is reasoning. */
export function collectRest(
  text: string,
  candidates: readonly JsonCandidate[],
  chosen: JsonCandidate,
  answerStart: number,
): RestOfReply {
  const recovered: unknown[] = [];
  // Of another object that needed mending only the findings are known.
  const read = candidates.flatMap((one): readonly TextRange[] =>
    one === chosen || one.repairs.length === 0 ? [one] : one.elements,
  );
  const around = uncovered(read, answerStart, text.length).map(({ start, end }) => {
    const isBefore = end === chosen.start;
    if (!isBefore && start !== chosen.end) return text.slice(start, end);
    const run = readRun(text, start, end);
    // Before the object only a run that reaches it belongs to it.
    if (isBefore && run.end !== end) return text.slice(start, end);
    recovered.push(...run.findings);
    return text.slice(run.end, end);
  });
  const isStrict = chosen.repairs.length === 0;
  const gaps = isStrict
    ? []
    : uncovered(chosen.elements, chosen.start, chosen.end).map(({ start, end }) => text.slice(start, end));
  return {
    around,
    reasoning: text.slice(0, answerStart),
    gaps: gaps.join(' '),
    mended: chosen.elements.filter((one) => !one.strict).map(({ start, end }) => text.slice(start, end)),
    recovered,
    others: candidates.flatMap((one) => (one === chosen ? [] : [one.value])),
    repeats: chosen.repeats,
    elided: chosen.repairs.includes('ellipsis'),
  };
}
