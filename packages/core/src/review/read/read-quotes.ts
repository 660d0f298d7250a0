import type { DiagnosticsCollector } from '../diagnostics.js';
import { isJsonRecord } from '../json/strict-json.js';

/** The quotes that may belong to one finding, in the model's order. */
export interface FindingQuotes {
  candidates: readonly string[];
  /** False where findings share an id and there are fewer quotes than findings: each candidate may be another one's. */
  certain: boolean;
}

const MAX_QUOTE = 500;
const TOP = { index: null, findingId: null };
const NONE: FindingQuotes = { candidates: [], certain: true };

/** Finding id and quote of each entry, from `{id: quote}` or, as strict schemas need it, `[{id, quote}]`. */
function readEntries(quotes: unknown): readonly (readonly [unknown, unknown])[] | null {
  if (isJsonRecord(quotes)) return Object.entries(quotes);
  if (!Array.isArray(quotes)) return null;
  return quotes.map((entry: unknown) => (isJsonRecord(entry) ? [entry['id'], entry['quote']] : [undefined, undefined]));
}

function boundQuote(quote: string, findingId: string, diagnostics: DiagnosticsCollector): string {
  if (quote.length <= MAX_QUOTE) return quote;
  const kept = quote.slice(0, MAX_QUOTE);
  const [oldValue, newValue] = [diagnostics.value('quote', quote), diagnostics.value('quote', kept)];
  diagnostics.add({ code: 'coercion_applied', index: null, findingId, field: 'quote', oldValue, newValue });
  return kept;
}

function groupById(
  quotes: unknown,
  known: ReadonlySet<string>,
  diagnostics: DiagnosticsCollector,
): ReadonlyMap<string, readonly string[]> {
  const grouped = new Map<string, string[]>();
  if (quotes === undefined) return grouped;
  const entries = readEntries(quotes);
  if (entries === null)
    diagnostics.add({ code: quotes === null ? 'null_as_absent' : 'field_dropped', ...TOP, field: 'meta.quotes' });
  for (const [rawId, quote] of entries ?? []) {
    const id = typeof rawId === 'string' ? rawId.trim() : null;
    if (id === null || !known.has(id) || typeof quote !== 'string') {
      const code = id !== null && known.has(id) && quote === null ? 'null_as_absent' : 'field_dropped';
      diagnostics.add({ code, index: null, findingId: id?.slice(0, 200) ?? null, field: 'meta.quotes' });
      continue;
    }
    const bounded = boundQuote(quote, id, diagnostics);
    const group = grouped.get(id);
    if (group === undefined) grouped.set(id, [bounded]);
    else group.push(bounded);
  }
  return grouped;
}

function readId(raw: unknown): string | null {
  const id = isJsonRecord(raw) ? raw['id'] : undefined;
  return typeof id === 'string' && id.trim() !== '' ? id.trim() : null;
}

/**
 * Assigns the model's `meta.quotes` to its findings: one entry for each element of `findings`,
 * valid or not. Findings of one id take the quotes of that id in order; where there are fewer
 * quotes than findings, every one of them is a candidate for each (ruling R7). An entry that cannot
 * be read or names no finding gets a diagnostic (INV-4).
 */
export function assignQuotes(
  findings: readonly unknown[],
  meta: Record<string, unknown> | undefined,
  diagnostics: DiagnosticsCollector,
): readonly FindingQuotes[] {
  const quotes = meta !== undefined && Object.hasOwn(meta, 'quotes') ? meta['quotes'] : undefined;
  const ids = findings.map(readId);
  const counts = new Map<string, number>();
  for (const id of ids) if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
  const grouped = groupById(quotes, new Set(counts.keys()), diagnostics);
  const taken = new Map<string, number>();
  return ids.map((id) => {
    const group = id === null ? undefined : grouped.get(id);
    if (id === null || group === undefined) return NONE;
    const [count, at] = [counts.get(id) ?? 1, taken.get(id) ?? 0];
    taken.set(id, at + 1);
    if (group.length < count) return { candidates: group, certain: false };
    if (at === count - 1 && group.length > count)
      diagnostics.add({ code: 'field_dropped', index: null, findingId: id, field: 'meta.quotes' });
    return { candidates: group.slice(at, at + 1), certain: true };
  });
}
