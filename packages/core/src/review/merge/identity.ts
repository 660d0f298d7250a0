import { createHash } from 'node:crypto';
import type { Finding } from '../review-result.js';
import type { Anchor, NewSide } from './anchors.js';
import { normalisePath } from './reconcile.js';

/** A finding with its place, ready to be named. */
export interface AnchoredFinding {
  finding: Finding;
  anchor: Anchor;
  side: NewSide;
}

/** For every line: itself with its neighbours, and which of the file's equal places it is, counted from the top. */
function contextsOf(side: NewSide): ReadonlyMap<number, string> {
  const ordinals = new Map<string, number>();
  const contexts = new Map<number, string>();
  for (const [line, text] of side.lines) {
    const place = JSON.stringify([side.lines.get(line - 1) ?? null, text, side.lines.get(line + 1) ?? null]);
    const ordinal = ordinals.get(place) ?? 0;
    ordinals.set(place, ordinal + 1);
    contexts.set(line, `${place}@${ordinal}`);
  }
  return contexts;
}

/** What a finding's id is made of: what and where, not how it is worded, how bad it is, or on which line number. */
function keyOf({ finding, anchor }: AnchoredFinding, contexts: ReadonlyMap<number, string>): string {
  const place = anchor.line === null ? null : contexts.get(anchor.line);
  return JSON.stringify([finding.rule_id ?? finding.category, normalisePath(finding.file), place ?? finding.line]);
}

/**
 * Our ids, one per finding and all different: 16 hex digits of SHA-256. Unchanged under a line
 * shift, another severity or other words; findings of one rule on one line are told apart by their
 * order.
 */
export function identifyFindings(findings: readonly AnchoredFinding[]): readonly string[] {
  const seen = new Map<string, number>();
  const contexts = new Map<NewSide, ReadonlyMap<number, string>>();
  return findings.map((one) => {
    const known = contexts.get(one.side) ?? contextsOf(one.side);
    contexts.set(one.side, known);
    const key = keyOf(one, known);
    const ordinal = seen.get(key) ?? 0;
    seen.set(key, ordinal + 1);
    return createHash('sha256').update(`${key}#${ordinal}`).digest('hex').slice(0, 16);
  });
}
