import type { AccountLayout } from '../grammar/account-layout.js';
import type { PathKind } from '../grammar/path-kind.js';
import type { Hit, Rule } from '../grammar/rule.js';
import { holdsDigit, isAlnum } from '../lexicon/charset.js';
import { PLACEHOLDER_HEAD, placeholderEnd } from '../lexicon/placeholder.js';
import {
  createTriggerScanner,
  isNarrowText,
  type OnCopy,
  type OnTrigger,
  type TriggerScanner,
} from '../scan/trigger-scanner.js';
import type { Governor } from './govern-hits.js';
import { withoutNuls } from './nul-characters.js';
import { endOf, resolveOverlaps, startOf } from './overlaps.js';
import { TextScan } from './text-scan.js';

/** How to read one text. */
export interface PipelineContext {
  kind: PathKind;
  layout?: AccountLayout | undefined;
  diff: boolean | undefined;
  /** What the policy takes back, applied to every hit before overlaps are resolved. */
  govern?: Governor | undefined;
}

/** Finds the secrets of a text: non-overlapping, in order of their start. */
export type Pipeline = (text: string, context: PipelineContext) => Hit[];

/** The engine's own literals: its marks, and what hides every word of a text in UTF-16. */
const OWN_LITERALS = [PLACEHOLDER_HEAD.toLowerCase(), '\0'];
const MARK = 0;
const NUL = 1;

/** Minimum letters and digits outside a placeholder for a hit that holds one to count as a secret. */
const RESIDUE = 8;

// long: closures over one scan's state, which each trigger of the hot loop would otherwise be handed
/**
 * Compiles rules into one pass over their triggers. Placeholders are never matched: triggers inside
 * them are skipped, and a hit that holds one counts only with RESIDUE letters and digits around it,
 * so a second pass changes nothing. What a rule throws, the pipeline throws. Its automaton knows the
 * literals of all rules, the engine's own and `extraLiterals`, which trigger no rule.
 */
export function createPipeline(
  rules: readonly Rule[],
  extraLiterals: readonly string[] = [],
): Pipeline & Pick<TriggerScanner, 'automaton'> {
  const byTrigger = rulesByTrigger(rules);
  for (const literal of extraLiterals) if (!byTrigger.has(literal)) byTrigger.set(literal, []);
  const literals = [...OWN_LITERALS, ...byTrigger.keys()];
  const confirmers = [...OWN_LITERALS.map(() => []), ...byTrigger.values()];
  const scanner = createTriggerScanner(literals);
  const byKind = new Map<PathKind, ActiveRules>();
  const activeRules = (kind: PathKind): ActiveRules => {
    const known = byKind.get(kind);
    if (known !== undefined) return known;
    const active = selectActiveRules(kind, rules, confirmers);
    byKind.set(kind, active);
    return active;
  };

  /** Undefined for a text with a NUL, unless that counts as a character like another. */
  const search = (
    given: string,
    context: PipelineContext,
    holdsSecret: (decoded: string) => boolean,
    readsNul: boolean,
  ): Hit[] | undefined => {
    const { ofTriggers, ofRuns, ofTexts } = activeRules(context.kind);
    const isNarrow = isNarrowText(given);
    let text = given;
    let scan = new TextScan(text, isNarrow, context, holdsSecret);
    const placeholders: number[] = [];
    let skipUntil = 0;
    let isSplit = false;
    const confirm: OnTrigger = (trigger, start, end) => {
      if (isSplit || end <= skipUntil) return;
      if (trigger === NUL) {
        isSplit = !readsNul;
        return;
      }
      if (trigger === MARK) {
        const stop = placeholderEnd(text, start);
        if (stop > 0) {
          placeholders.push(start, stop);
          skipUntil = stop;
        }
        return;
      }
      for (const rule of ofTriggers[trigger] as readonly Rule[])
        rule.confirm(scan, start, end, literals[trigger] as string);
    };
    const onCopy: OnCopy = (copy) => {
      text = copy;
      scan = new TextScan(text, isNarrow, context, holdsSecret);
    };
    const runs = scanner.scan(given, confirm, onCopy, isNarrow);
    if (isSplit) return undefined;
    for (const rule of ofTexts) rule.confirmText?.(scan);
    confirmRuns(scan, runs, ofRuns);
    const { govern } = context;
    const hits = govern === undefined ? scan.hits : scan.hits.flatMap((hit) => govern(text, hit) ?? []);
    return resolveOverlaps(
      placeholders.length === 0 ? hits : hits.flatMap((hit) => outsidePlaceholders(text, hit, placeholders)),
    );
  };
  const decodedHoldsSecret = (decoded: string): boolean =>
    (search(decoded, { kind: 'config', diff: false }, () => false, true) as Hit[]).length > 0;
  const find: Pipeline = (text, context) => {
    const hits = search(text, context, decodedHoldsSecret, false);
    if (hits !== undefined) return hits;
    const compact = withoutNuls(text);
    return compact.carry(search(compact.text, context, decodedHoldsSecret, true) as Hit[]);
  };
  return Object.assign(find, { automaton: scanner.automaton });
}

/** The rules that run on texts of one kind. */
interface ActiveRules {
  /** By trigger. */
  ofTriggers: readonly (readonly Rule[])[];
  ofRuns: readonly Rule[];
  ofTexts: readonly Rule[];
}

function selectActiveRules(
  kind: PathKind,
  rules: readonly Rule[],
  confirmers: readonly (readonly Rule[])[],
): ActiveRules {
  const isActive = (rule: Rule): boolean => rule.skipKinds?.includes(kind) !== true;
  const active = rules.filter(isActive);
  return {
    ofTriggers: confirmers.map((sharing) => (sharing.every(isActive) ? sharing : sharing.filter(isActive))),
    ofRuns: active.filter((rule) => rule.confirmRun !== undefined),
    ofTexts: active.filter((rule) => rule.confirmText !== undefined),
  };
}

/** Rules that share a trigger run in their order. */
function rulesByTrigger(rules: readonly Rule[]): Map<string, Rule[]> {
  const byTrigger = new Map<string, Rule[]>();
  for (const rule of rules) {
    for (const trigger of rule.triggers) {
      const folded = trigger.toLowerCase();
      const sharing = byTrigger.get(folded);
      if (sharing === undefined) byTrigger.set(folded, [rule]);
      else if (!sharing.includes(rule)) sharing.push(rule);
    }
  }
  return byTrigger;
}

/**
 * Shows long runs to the rules that ask for them, and keeps of it what no triggered rule found
 * already: that one knows what the secret is.
 */
function confirmRuns(scan: TextScan, runs: readonly number[], rules: readonly Rule[]): void {
  if (runs.length === 0) return;
  const triggered = scan.takeHits();
  for (let i = 0; i < runs.length; i += 2) {
    const start = runs[i] as number;
    const end = runs[i + 1] as number;
    // Most are names, without a digit.
    if (holdsDigit(scan.text, start, end)) for (const rule of rules) rule.confirmRun?.(scan, start, end);
  }
  const swept = scan.takeHits();
  if (swept.length === 0) {
    scan.hits = triggered;
    return;
  }
  swept.sort((a, b) => startOf(a) - startOf(b));
  const ranges = triggered.map((hit) => [startOf(hit), endOf(hit)] as const).sort((a, b) => a[0] - b[0]);
  let next = 0;
  let reach = -1;
  for (const hit of swept) {
    for (; next < ranges.length && (ranges[next] as readonly [number, number])[0] <= startOf(hit); next += 1)
      reach = Math.max(reach, (ranges[next] as readonly [number, number])[1]);
    if (endOf(hit) > reach) triggered.push(hit);
  }
  scan.hits = triggered;
}

/**
 * The hit without spans that start or end inside a placeholder; none for a placeholder itself, or
 * one with a few characters round it.
 */
function outsidePlaceholders(text: string, hit: Hit, placeholders: readonly number[]): Hit[] {
  const first = firstEndingAfter(placeholders, startOf(hit));
  if (first >= placeholders.length || (placeholders[first] as number) >= endOf(hit)) return [hit];
  const spans: number[] = [];
  let residue = 0;
  for (let i = 0; i < hit.spans.length; i += 2) {
    const start = hit.spans[i] as number;
    const end = hit.spans[i + 1] as number;
    const index = firstEndingAfter(placeholders, start);
    // A rule that took a placeholder's own punctuation for a delimiter misread the text.
    if (
      startsInside(placeholders, index, start) ||
      startsInside(placeholders, firstEndingAfter(placeholders, end), end)
    )
      continue;
    spans.push(start, end);
    if (residue < RESIDUE) residue += residueOf(text, start, end, placeholders, index);
  }
  return residue >= RESIDUE ? [{ ...hit, spans }] : [];
}

/** Letters and digits of a span that no placeholder covers, as far as they matter. */
function residueOf(text: string, start: number, end: number, placeholders: readonly number[], first: number): number {
  let index = first;
  let residue = 0;
  for (let at = start; at < end && residue < RESIDUE; at += 1) {
    if (index < placeholders.length && at >= (placeholders[index] as number)) {
      at = (placeholders[index + 1] as number) - 1;
      index += 2;
    } else if (isAlnum(text.charCodeAt(at))) residue += 1;
  }
  return residue;
}

function startsInside(placeholders: readonly number[], index: number, position: number): boolean {
  return index < placeholders.length && (placeholders[index] as number) < position;
}

function firstEndingAfter(ranges: readonly number[], position: number): number {
  let low = 0;
  let high = ranges.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle * 2 + 1] as number) <= position) low = middle + 1;
    else high = middle;
  }
  return low * 2;
}
