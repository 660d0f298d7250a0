import type { Hit } from './rule.js';

/** Puts each hit's mark in the place of every one of its spans. */
export function replaceHits(text: string, hits: readonly Hit[], marks: readonly string[]): string {
  let redacted = '';
  let at = 0;
  hits.forEach((hit, index) => {
    for (let i = 0; i < hit.spans.length; i += 2) {
      redacted += text.slice(at, hit.spans[i]) + (marks[index] as string);
      at = hit.spans[i + 1] as number;
    }
  });
  return redacted + text.slice(at);
}
