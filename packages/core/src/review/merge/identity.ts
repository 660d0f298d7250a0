import { createHash } from 'node:crypto';
import type { Finding } from '../review-result.js';
import type { Anchor, NewSide } from './anchors.js';
import { normalisePath } from './reconcile.js';

/** A finding with its place, ready to be named. */
export interface AnchoredFinding {
  finding: Pick<Finding, 'category' | 'file' | 'line' | 'rule_id'>;
  anchor: Anchor;
  side: NewSide;
}

/**
 * What a finding is about, apart from its category and words: what a later version of the change can
 * be compared by. Digests (16 hex digits of SHA-256) of texts with white space run together; all
 * null where the finding is about the whole file or nothing confirms its place.
 */
export interface FindingIdentity {
  /** The line itself. */
  line: string | null;
  /** The lines before and after it, as far as the diff shows them. */
  neighbours: string | null;
  /** The heading of the section; null where the diff has none. */
  section: string | null;
  /** Which of the equal places of its file it is, from 0; equal: line and neighbours. */
  occurrence: number;
  /**
   * The nearest line above it with a letter or digit, at most `TELLING_REACH` lines away; null where
   * none is shown. Absent in reviews that an earlier version stored, as are `after`, `alike` and `places`.
   */
  before?: string | null | undefined;
  /** The same below it. */
  after?: string | null | undefined;
  /** How many lines of its file have its text, itself included, as far as the diff shows them. */
  alike?: number | undefined;
  /** How many of these have its neighbours too: `occurrence` is below it. */
  places?: number | undefined;
}

/** The identity of a finding of today: nothing is left out. `alike` and `places` are 0 where it has no line. */
export type CompleteIdentity = { [Key in keyof FindingIdentity]-?: Exclude<FindingIdentity[Key], undefined> };

const NO_PLACE = { line: null, neighbours: null, section: null, before: null, after: null } as const;

/** How far, in lines, the nearest telling line is searched: over a brace and a few blank lines. */
const TELLING_REACH = 4;

/** How ids and digests of findings are made: the first 16 hex digits of SHA-256. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Marks of redaction are numbered through a change: a mark further up must not rename those below. */
const NUMBERED_MARK = /(\[REDACTED:[a-z0-9-]{1,48}):\d{1,9}\]/g;

function lineAt({ lines }: NewSide, line: number): string | null {
  return lines.get(line)?.replace(NUMBERED_MARK, '$1]') ?? null;
}

/** Where a line stands among the file's lines. */
interface LineContext {
  /** The line and its neighbours, as JSON. */
  place: string;
  occurrence: number;
  /** How many equal places the file has. */
  places: number;
}

/** For every line: itself with its neighbours, and which of the file's equal places it is, counted from the top. */
function readContexts(side: NewSide): ReadonlyMap<number, LineContext> {
  const ordinals = new Map<string, number>();
  const contexts = new Map<number, Omit<LineContext, 'places'>>();
  for (const line of side.lines.keys()) {
    const place = JSON.stringify([lineAt(side, line - 1), lineAt(side, line), lineAt(side, line + 1)]);
    const ordinal = ordinals.get(place) ?? 0;
    ordinals.set(place, ordinal + 1);
    contexts.set(line, { place, occurrence: ordinal });
  }
  const countPlaces = ({ place }: { place: string }): number => ordinals.get(place) ?? 1;
  return new Map([...contexts].map(([line, one]) => [line, { ...one, places: countPlaces(one) }]));
}

/** What a finding's id is made of: what and where, not how it is worded, how bad it is, or on which line number. */
function makeKey({ finding, anchor }: AnchoredFinding, contexts: ReadonlyMap<number, LineContext>): string {
  const context = anchor.line === null ? undefined : contexts.get(anchor.line);
  const place = context === undefined ? undefined : `${context.place}@${context.occurrence}`;
  return JSON.stringify([finding.rule_id ?? finding.category, normalisePath(finding.file), place ?? finding.line]);
}

/** Digest of the nearest line with a letter or digit in one direction. */
function tellingLine(side: NewSide, line: number, step: 1 | -1): string | null {
  for (let away = 1; away <= TELLING_REACH; away += 1) {
    const text = lineAt(side, line + step * away);
    if (text === null) return null;
    if (/[\p{L}\p{N}]/u.test(text)) return digest(text);
  }
  return null;
}

/** `line` null: about the file as a whole. */
function identifyLine(
  side: NewSide,
  line: number | null,
  contexts: ReadonlyMap<number, LineContext>,
): CompleteIdentity {
  const context = line === null ? undefined : contexts.get(line);
  if (line === null || context === undefined) return { ...NO_PLACE, occurrence: 0, alike: 0, places: 0 };
  const section = side.sections.get(line);
  return {
    line: digest(lineAt(side, line) ?? ''),
    neighbours: digest(JSON.stringify([lineAt(side, line - 1), lineAt(side, line + 1)])),
    section: section === undefined ? null : digest(section),
    occurrence: context.occurrence,
    before: tellingLine(side, line, -1),
    after: tellingLine(side, line, 1),
    alike: side.byText.get(side.lines.get(line) ?? '')?.length ?? 1,
    places: context.places,
  };
}

/**
 * Our ids, one per finding and all different (16 hex digits of SHA-256), and what they are about. An
 * id is unchanged under a line shift, another severity or other words; findings of one rule on one
 * line are told apart by their order.
 */
export function identifyFindings(
  findings: readonly AnchoredFinding[],
): readonly { id: string; identity: CompleteIdentity }[] {
  const seen = new Map<string, number>();
  const contexts = new Map<NewSide, ReadonlyMap<number, LineContext>>();
  return findings.map((one) => {
    const known = contexts.get(one.side) ?? readContexts(one.side);
    contexts.set(one.side, known);
    const key = makeKey(one, known);
    const ordinal = seen.get(key) ?? 0;
    seen.set(key, ordinal + 1);
    return { id: digest(`${key}#${ordinal}`), identity: identifyLine(one.side, one.anchor.line, known) };
  });
}

/** A line of a text, and what other versions of it are compared by. */
export interface IdentifiedLine {
  line: number;
  identity: CompleteIdentity;
}

/** The lines with these digests (`FindingIdentity.line`), from the top. Linear in the text. */
export function findLines(side: NewSide, digests: ReadonlySet<string>): ReadonlyMap<string, readonly IdentifiedLine[]> {
  const found = new Map<string, IdentifiedLine[]>();
  if (digests.size === 0) return found;
  const contexts = readContexts(side);
  for (const line of side.lines.keys()) {
    const name = digest(lineAt(side, line) ?? '');
    if (!digests.has(name)) continue;
    const lines = found.get(name) ?? [];
    if (lines.length === 0) found.set(name, lines);
    lines.push({ line, identity: identifyLine(side, line, contexts) });
  }
  return found;
}
