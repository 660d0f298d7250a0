import type { RedactionFinding } from '../foundation/redactor.js';
import type { Hunk } from './change.js';
import type { RedactedFile, SecretPlacement, WithheldSecret } from './redacted-change.js';

/** A place with the fingerprint of its value, which no snapshot holds. */
interface LocatedSecret extends WithheldSecret {
  fingerprint: string;
}

/** What redaction hid in one file, or in the texts of the change itself. */
export interface Withheld {
  redactions: Record<string, number>;
  secrets: LocatedSecret[];
}

/** Nothing hidden yet. */
export function createWithheld(): Withheld {
  return { redactions: {}, secrets: [] };
}

/** Adds to `total` how often each rule hid something. */
export function addCounts(total: Withheld['redactions'], more: Readonly<Record<string, number>>): void {
  for (const [rule, times] of Object.entries(more)) total[rule] = (total[rule] ?? 0) + times;
}

/** Where a finding is. */
type Place = Required<Pick<WithheldSecret, 'line' | 'where'>> & Pick<WithheldSecret, 'oldLine'>;

/** Adds the place of one finding; the caller counts it. */
export function addSecret({ secrets }: Withheld, finding: RedactionFinding, place: Place): void {
  const { rule, confidence, kind, fingerprint } = finding;
  secrets.push({ rule, ...place, confidence, ...(kind === undefined ? {} : { kind }), fingerprint });
}

/** A line of a diff, with its numbers on both sides; null on the side that lacks it. */
export interface DiffLine {
  mark: string;
  newLine: number | null;
  oldLine: number | null;
}

/** The lines of all hunks, in their order. */
export function numberLines(hunks: readonly Hunk[]): readonly DiffLine[] {
  return hunks.flatMap(({ newStart, oldStart, lines }) => {
    let [newLine, oldLine] = [newStart, oldStart];
    return lines.map((line): DiffLine => {
      const mark = line.charAt(0);
      if (mark === '-') return { mark, newLine: null, oldLine: oldLine++ };
      if (mark === '+') return { mark, newLine: newLine++, oldLine: null };
      return { mark, newLine: newLine++, oldLine: oldLine++ };
    });
  });
}

/** The first and the last line of a finding, 1-based, in the text that it was found in. */
export function spanOf(text: string, { start, end, line }: RedactionFinding): { first: number; last: number } {
  let last = line;
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) last += 1;
  return { first: line, last };
}

/** The place of what spans these lines: added where one of them is, else removed, else unchanged. */
export function placeOnLines(lines: readonly DiffLine[]): Place {
  const added = lines.find(({ mark }) => mark === '+');
  if (added !== undefined) return { line: added.newLine, where: 'added' };
  const removed = lines.find(({ mark }) => mark === '-');
  if (removed === undefined) return { line: lines[0]?.newLine ?? null, where: 'unchanged' };
  return { line: null, where: 'removed', ...(removed.oldLine === null ? {} : { oldLine: removed.oldLine }) };
}

/** Places of one file that are kept; `redactions` counts all. */
const MAX_SECRETS = 100;

/** What a change adds comes before what it removes, and that before what it leaves as it is. */
const RANK: Readonly<Record<SecretPlacement, number>> = {
  ...{ added: 0, path: 0, description: 0, user: 0, job: 0 },
  ...{ removed: 1, oldPath: 1, unchanged: 2, heading: 2 },
};

const isOnNewSide = ({ where }: WithheldSecret): boolean => where === 'added' || where === 'unchanged';
const rankOf = ({ where }: WithheldSecret): number => (where === undefined ? 0 : RANK[where]);

/**
 * The places as a snapshot holds them, at most 100, in the order found. A value that the new side
 * still has was not removed: its removed lines are not listed.
 */
export function listWithheld({ redactions, secrets }: Withheld): Pick<RedactedFile, 'redactions' | 'secrets'> {
  const kept = new Set(secrets.filter(isOnNewSide).map(({ fingerprint }) => fingerprint));
  const listed = secrets.filter(({ where, fingerprint }) => where !== 'removed' || !kept.has(fingerprint));
  const chosen = new Set([...listed].sort((a, b) => rankOf(a) - rankOf(b)).slice(0, MAX_SECRETS));
  const places = listed
    .filter((secret) => chosen.has(secret))
    .map(({ fingerprint: _fingerprint, ...place }): WithheldSecret => place);
  return { redactions, ...(places.length === 0 ? {} : { secrets: places }) };
}
