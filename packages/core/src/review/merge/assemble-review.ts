import type { Hunk } from '../../changes/change.js';
import type { JsonObject, JsonValue } from '../../foundation/json.js';
import type { DiagnosticsCollector } from '../diagnostics.js';
import { boundJson } from '../json/bound-json.js';
import type { FindingQuotes } from '../read/read-quotes.js';
import type { Finding } from '../review-result.js';
import { type Anchor, type AnchorKind, type NewSide, newSideOf, resolveAnchor, standsAt } from './anchors.js';
import { type FindingIdentity, identifyFindings } from './identity.js';
import type { PathIndex } from './reconcile.js';

/** What `meta.findings` holds for each finding, under our id (ruling R7). Keys are the wire's. */
export interface FindingMeta {
  /** The id the model gave. */
  model_id: string;
  anchor: AnchorKind;
  /** Where to show it; null at file level. */
  anchored_line: number | null;
  /** What the finding is about; a merged review holds it with its findings instead. */
  identity: FindingIdentity;
  /** The model's verbatim copy of the line, when it sent one. Raw. */
  quote?: string | undefined;
}

const MODEL_META = { maxDepth: 16, maxNodes: 2_000, maxCharacters: 20_000 };
/** A validated finding and what the model quoted for it. */
export interface QuotedFinding {
  finding: Finding;
  /** Its place in the reply's array. */
  index: number;
  quotes: FindingQuotes;
}

/** Places a finding by its quote; by its line alone where the quote may be another finding's. */
function placeFinding(
  { finding, index, quotes }: QuotedFinding,
  side: NewSide,
  diagnostics: DiagnosticsCollector,
): { anchor: Anchor; quote: string | undefined } {
  const { line } = finding;
  if (quotes.certain) {
    const quote = quotes.candidates[0];
    return { anchor: resolveAnchor({ line, quote }, side), quote };
  }
  const quote = quotes.candidates.find((candidate) => standsAt(candidate, line, side));
  if (quote === undefined) diagnostics.add({ code: 'field_dropped', index, findingId: finding.id, field: 'quote' });
  return { anchor: resolveAnchor({ line, quote }, side), quote };
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
  files: readonly { path: string; hunks: readonly Hunk[] }[],
  paths: PathIndex,
  diagnostics: DiagnosticsCollector,
): { findings: Finding[]; meta: JsonObject } {
  const needed = new Set(findings.map(({ finding }) => finding.file));
  const sides = new Map(
    files.flatMap((file) => {
      const match = paths.resolve(file.path);
      const path = match.kind === 'one' ? match.path : file.path;
      return needed.has(path) ? [[path, newSideOf(file.hunks)] as const] : [];
    }),
  );
  const nothing = newSideOf([]);
  const anchored = findings.map((quoted) => {
    const side = sides.get(quoted.finding.file) ?? nothing;
    const placed = placeFinding(quoted, side, diagnostics);
    return { finding: boundEndLine(quoted, placed.anchor, side, diagnostics), side, ...placed };
  });
  const identified = identifyFindings(anchored);
  const idAt = (index: number): string => identified[index]?.id ?? '';
  const own: Record<string, JsonObject> = {};
  anchored.forEach(({ finding, anchor, quote }, index) => {
    const named = identified[index];
    if (named === undefined) return;
    const entry = { model_id: finding.id, anchor: anchor.kind, anchored_line: anchor.line };
    const identity = { ...named.identity };
    own[named.id] = { ...entry, identity, ...(quote === undefined ? {} : { quote }) } satisfies FindingMeta;
  });
  const kept = modelMeta(meta, diagnostics);
  return {
    findings: anchored.map(({ finding }, index) => ({ ...finding, id: idAt(index) })),
    meta: { findings: own, ...(kept === undefined ? {} : { model_meta: kept }) },
  };
}
