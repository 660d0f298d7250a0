import type { Hit } from '../grammar/rule.js';

export const startOf = (hit: Hit): number => hit.spans[0] as number;
export const endOf = (hit: Hit): number => hit.spans[hit.spans.length - 1] as number;

/**
 * Settles overlapping hits the same way every time: leftmost first, then longest, then high
 * confidence, then rule name. A later hit that reaches past the winner lends it its tail, so
 * nothing a rule found stays behind; a contained hit of high confidence lends it that. The hits
 * given are the caller's own: winners are changed in place.
 */
export function resolveOverlaps(hits: Hit[]): Hit[] {
  const settled: Hit[] = [];
  for (const hit of hits.sort(byPrecedence)) {
    const last = settled[settled.length - 1];
    if (last === undefined || startOf(hit) >= endOf(last)) settled.push(hit);
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

/**
 * Joins the hits of two scans of one text: hits that overlap become one that hides every span of
 * either, named by the same precedence. Unlike within one scan, what lies between the spans of a
 * winner is hidden too: the later scan saw the spans replaced and still took it for a secret.
 */
export function joinHits(earlier: readonly Hit[], later: readonly Hit[]): Hit[] {
  const joined: Hit[] = [];
  let reach = 0;
  for (const hit of [...earlier, ...later].sort(byPrecedence)) {
    const last = joined[joined.length - 1];
    if (last === undefined || startOf(hit) >= reach) joined.push({ ...hit, spans: [...hit.spans] });
    else {
      if (hit.confidence === 'high') last.confidence = 'high';
      for (const at of hit.spans) last.spans.push(at);
    }
    reach = Math.max(reach, endOf(hit));
  }
  for (const hit of joined) hit.spans = unite(hit.spans);
  return joined;
}

/** Spans in order, with those that touch made one. */
function unite(spans: readonly number[]): number[] {
  const pairs: [start: number, end: number][] = [];
  for (let i = 0; i < spans.length; i += 2) pairs.push([spans[i] as number, spans[i + 1] as number]);
  const united: number[] = [];
  for (const [start, end] of pairs.sort((a, b) => a[0] - b[0])) {
    const reach = united[united.length - 1];
    if (reach === undefined || start > reach) united.push(start, end);
    else united[united.length - 1] = Math.max(reach, end);
  }
  return united;
}
