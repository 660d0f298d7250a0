import type { Hunk } from '../../changes/change.js';
import type { JsonObject, JsonValue } from '../../foundation/json.js';
import type { DiagnosticsCollector } from '../diagnostics.js';
import { boundJson } from '../json/bound-json.js';
import type { FindingQuotes } from '../read/read-quotes.js';
import type { Finding } from '../review-result.js';
import {
  type Anchor,
  type AnchorKind,
  isUsableQuote,
  type NewSide,
  newSideOf,
  newSideOfText,
  resolveAnchor,
  standsAt,
} from './anchors.js';
import { type CompleteIdentity, identifyFindings } from './identity.js';
import type { PathIndex } from './reconcile.js';

/** What `meta.findings` holds for each finding, under our id (ruling R7). Keys are the wire's. */
export interface FindingMeta {
  /** The id the model gave. */
  model_id: string;
  anchor: AnchorKind;
  /** Where to show it; null at file level. */
  anchored_line: number | null;
  /** Left out where the place is a line of the diff, or none. */
  on?: 'context' | undefined;
  /** What the finding is about; a merged review holds it with its findings instead. */
  identity: CompleteIdentity;
  /** The model's verbatim copy of the line, when it sent one. Raw. */
  quote?: string | undefined;
}

/** A file of the change as far as it confirms places. */
export interface PlaceableFile {
  path: string;
  /** Those that the model saw. */
  hunks: readonly Hunk[];
  /** All hunks of the file, where the model did not see all. Default `hunks`. */
  allHunks?: readonly Hunk[] | undefined;
  /** The whole new side, where the change has it. */
  newText?: string | undefined;
}

const MODEL_META = { maxDepth: 16, maxNodes: 2_000, maxCharacters: 20_000 };
/** A validated finding and what the model quoted for it. */
export interface QuotedFinding {
  finding: Finding;
  /** Its place in the reply's array. */
  index: number;
  quotes: FindingQuotes;
}

/** A file's new side: the hunks that the model saw, and the whole text where the change has it. */
interface FileSides {
  shown: NewSide;
  /** True for a line that no hunk of the change shows. */
  isContext(line: number): boolean;
  whole(): NewSide | null;
}

function readSides({ hunks, allHunks = hunks, newText }: PlaceableFile): FileSides {
  let whole: NewSide | null | undefined;
  return {
    shown: newSideOf(hunks),
    isContext: (line) => !allHunks.some(({ newStart, newLines }) => line >= newStart && line < newStart + newLines),
    whole() {
      whole ??= newText === undefined ? null : newSideOfText(newText);
      return whole;
    },
  };
}

interface Placement {
  anchor: Anchor;
  quote: string | undefined;
  /** The side that `anchor` is a place of. */
  side: NewSide;
  isOnContext: boolean;
}

/**
 * Places a finding by its quote; by its line alone where the quote may be another finding's. A quote
 * that no hunk holds may be in the rest of the file: only there does a line need its quote.
 */
function placeFinding(
  { finding, index, quotes }: QuotedFinding,
  sides: FileSides,
  diagnostics: DiagnosticsCollector,
): Placement {
  const { line } = finding;
  const quote = quotes.certain
    ? quotes.candidates[0]
    : quotes.candidates.find((candidate) => standsAt(candidate, line, sides.shown));
  if (quote === undefined && !quotes.certain)
    diagnostics.add({ code: 'field_dropped', index, findingId: finding.id, field: 'quote' });
  const anchor = resolveAnchor({ line, quote }, sides.shown);
  const whole = anchor.kind === 'unverified' && quote !== undefined && isUsableQuote(quote) ? sides.whole() : null;
  if (whole === null) return { anchor, quote, side: sides.shown, isOnContext: false };
  const found = resolveAnchor({ line, quote }, whole);
  return { anchor: found, quote, side: whole, isOnContext: found.line !== null && sides.isContext(found.line) };
}

/**
 * Nothing that was shown confirms a range which ends, moved with its first line, beyond the last
 * shown line: the finding keeps its first line alone.
 */
function boundEndLine(
  { finding, index }: QuotedFinding,
  anchor: Anchor,
  side: NewSide,
  diagnostics: DiagnosticsCollector,
): Finding {
  const { end_line, ...rest } = finding;
  if (end_line === undefined || end_line - finding.line + (anchor.line ?? finding.line) <= side.lastLine)
    return finding;
  diagnostics.add({ code: 'field_dropped', index, findingId: finding.id, field: 'end_line' });
  return rest;
}

function modelMeta(
  meta: Record<string, unknown> | undefined,
  diagnostics: DiagnosticsCollector,
): JsonValue | undefined {
  if (meta === undefined) return undefined;
  const { quotes: _kept, ...rest } = meta;
  if (Object.keys(rest).length === 0) return undefined;
  const bounded = boundJson(rest, MODEL_META);
  if (bounded === null) diagnostics.add({ code: 'field_dropped', index: null, findingId: null, field: 'meta' });
  return bounded?.copy;
}

/** Places and names validated findings: our ids, and in `meta` what the schema has no field for. */
export function assembleReview(
  findings: readonly QuotedFinding[],
  meta: Record<string, unknown> | undefined,
  files: readonly PlaceableFile[],
  paths: PathIndex,
  diagnostics: DiagnosticsCollector,
): { findings: Finding[]; meta: JsonObject } {
  const needed = new Set(findings.map(({ finding }) => finding.file));
  const sides = new Map(
    files.flatMap((file) => {
      const match = paths.resolve(file.path);
      const path = match.kind === 'one' ? match.path : file.path;
      return needed.has(path) ? [[path, readSides(file)] as const] : [];
    }),
  );
  const nothing = readSides({ path: '', hunks: [] });
  const anchored = findings.map((quoted) => {
    const placed = placeFinding(quoted, sides.get(quoted.finding.file) ?? nothing, diagnostics);
    return { finding: boundEndLine(quoted, placed.anchor, placed.side, diagnostics), ...placed };
  });
  const identified = identifyFindings(anchored);
  const idAt = (index: number): string => identified[index]?.id ?? '';
  const own: Record<string, JsonObject> = {};
  anchored.forEach(({ finding, anchor, quote, isOnContext }, index) => {
    const named = identified[index];
    if (named === undefined) return;
    const entry = { model_id: finding.id, anchor: anchor.kind, anchored_line: anchor.line };
    const identity = { ...named.identity };
    const place = isOnContext ? { on: 'context' as const } : {};
    own[named.id] = { ...entry, ...place, identity, ...(quote === undefined ? {} : { quote }) } satisfies FindingMeta;
  });
  const kept = modelMeta(meta, diagnostics);
  return {
    findings: anchored.map(({ finding }, index) => ({ ...finding, id: idAt(index) })),
    meta: { findings: own, ...(kept === undefined ? {} : { model_meta: kept }) },
  };
}
