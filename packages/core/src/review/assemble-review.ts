import type { Hunk } from '../changes/change.js';
import type { JsonObject, JsonValue } from '../json.js';
import { type AnchorKind, newSideOf, resolveAnchor } from './anchors.js';
import { boundJson } from './bound-json.js';
import type { DiagnosticsCollector } from './diagnostics.js';
import { type AnchoredFinding, identifyFindings } from './identity.js';
import type { PathIndex } from './reconcile.js';
import type { Finding } from './review-result.js';
import { isJsonRecord } from './strict-json.js';

/** What `meta.findings` holds for each finding, under our id (ruling R7). Keys are the wire's. */
export interface FindingMeta {
  /** The id the model gave. */
  model_id: string;
  anchor: AnchorKind;
  /** Where to show it; null at file level. */
  anchored_line: number | null;
  /** The model's verbatim copy of the line, when it sent one. Raw. */
  quote?: string | undefined;
}

const MODEL_META = { maxDepth: 16, maxNodes: 2_000, maxCharacters: 20_000 };
const MAX_QUOTE = 500;

/** Quotes stand in the model's `meta.quotes`, by the model's finding id: the schema leaves no other room for them. */
function quotesOf(meta: Record<string, unknown> | undefined): ReadonlyMap<string, string> {
  const quotes = meta === undefined || !Object.hasOwn(meta, 'quotes') ? undefined : meta['quotes'];
  const found = new Map<string, string>();
  if (!isJsonRecord(quotes)) return found;
  for (const [id, quote] of Object.entries(quotes)) if (typeof quote === 'string') found.set(id.trim(), quote.slice(0, MAX_QUOTE));
  return found;
}

function modelMeta(meta: Record<string, unknown> | undefined, diagnostics: DiagnosticsCollector): JsonValue | undefined {
  if (meta === undefined) return undefined;
  const { quotes: _kept, ...rest } = meta;
  if (Object.keys(rest).length === 0) return undefined;
  const bounded = boundJson(rest, MODEL_META);
  if (bounded === null) diagnostics.add({ code: 'field_dropped', index: null, findingId: null, field: 'meta' });
  return bounded?.copy;
}

/** Places and names validated findings: our ids, and in `meta` what the schema has no field for. */
export function assembleReview(
  findings: readonly Finding[],
  meta: Record<string, unknown> | undefined,
  files: readonly { path: string; hunks: readonly Hunk[] }[],
  paths: PathIndex,
  diagnostics: DiagnosticsCollector,
): { findings: Finding[]; meta: JsonObject } {
  const quotes = quotesOf(meta);
  const needed = new Set(findings.map((finding) => finding.file));
  const sides = new Map(
    files.flatMap((file) => {
      const path = paths.resolve(file.path) ?? file.path;
      return needed.has(path) ? [[path, newSideOf(file.hunks)] as const] : [];
    }),
  );
  const nothing = newSideOf([]);
  const anchored: AnchoredFinding[] = findings.map((finding) => {
    const side = sides.get(finding.file) ?? nothing;
    return { finding, side, anchor: resolveAnchor({ line: finding.line, quote: quotes.get(finding.id) }, side) };
  });
  const ids = identifyFindings(anchored);
  const own: Record<string, JsonObject> = {};
  anchored.forEach(({ finding, anchor }, index) => {
    const quote = quotes.get(finding.id);
    const entry: FindingMeta = { model_id: finding.id, anchor: anchor.kind, anchored_line: anchor.line };
    own[ids[index] as string] = { ...entry, ...(quote === undefined ? {} : { quote }) } as JsonObject;
  });
  const kept = modelMeta(meta, diagnostics);
  return {
    findings: findings.map((finding, index) => ({ ...finding, id: ids[index] as string })),
    meta: { findings: own, ...(kept === undefined ? {} : { model_meta: kept }) },
  };
}
