import type { Hit } from './rule.js';

export const startOf = (hit: Hit): number => hit.spans[0] as number;
export const endOf = (hit: Hit): number => hit.spans[hit.spans.length - 1] as number;

/**
 * Settles overlapping hits the same way every time: leftmost first, then longest, then high confidence, then rule name. A later hit that
 * reaches past the winner lends it its tail, so nothing a rule found stays behind; a contained hit of high confidence lends it that.
 */
export function resolveOverlaps(hits: readonly Hit[]): Hit[] {
  const sorted = [...hits].sort(byPrecedence);
  const settled: Hit[] = [];
  for (const hit of sorted) {
    const last = settled[settled.length - 1];
    if (last === undefined || startOf(hit) >= endOf(last)) settled.push({ ...hit, spans: [...hit.spans] });
    else absorb(last, hit);
  }
  return settled;
}

function byPrecedence(a: Hit, b: Hit): number {
  return (
    startOf(a) - startOf(b) ||
    endOf(b) - endOf(a) ||
    (a.confidence === b.confidence ? 0 : a.confidence === 'high' ? -1 : 1) ||
    (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0)
  );
}

function absorb(winner: Hit, hit: Hit): void {
  if (hit.confidence === 'high') winner.confidence = 'high';
  for (let i = 0; i < hit.spans.length; i += 2) {
    const end = hit.spans[i + 1] as number;
    const winnerEnd = endOf(winner);
    if (end <= winnerEnd) continue;
    const start = hit.spans[i] as number;
    if (start <= winnerEnd) winner.spans[winner.spans.length - 1] = end;
    else winner.spans.push(start, end);
  }
}
