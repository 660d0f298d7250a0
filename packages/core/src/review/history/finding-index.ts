import { lowerBound } from '../lower-bound.js';
import type { ComparableFinding } from './comparable-finding.js';

/** Candidates of one kind that are looked at for one finding: bounds the work for any two reviews. */
const MAX_CANDIDATES = 32;

const fileKey = (file: string | null): string => JSON.stringify(file);
const lineOf = ({ place }: ComparableFinding): number => place.line ?? 0;

/** What a finding may be found by in a file. */
function listKeys({ identity, title }: ComparableFinding, file: string | null): readonly string[] {
  const inFile = fileKey(file);
  const named = (kind: string, value: string | null | undefined): readonly string[] =>
    typeof value === 'string' ? [`${kind} ${value} ${inFile}`] : [];
  return [
    `file ${inFile}`,
    `title ${title.toLowerCase()} ${inFile}`,
    ...named('line', identity.line),
    ...named('neighbours', identity.neighbours),
    // A line is found by its neighbours too: it may have been edited, or the model names the next one.
    ...[identity.line, identity.before, identity.after].flatMap((digest) => named('neighbour', digest)),
    // A block that was moved to another file.
    ...(identity.line === null ? [] : [`block ${identity.line} ${identity.neighbours}`]),
  ];
}

/** Finds those of a list of findings that an earlier finding may be. */
export interface FindingIndex {
  /** Indices, each once; of each kind those nearest to `line`. `file`: where the earlier finding's file is now. */
  findCandidates(earlier: ComparableFinding, file: string | null, line: number | null): ReadonlySet<number>;
}

/** Indexes findings by file and, in it, by title and by the digests of their places. */
export function indexFindings(findings: readonly ComparableFinding[]): FindingIndex {
  const lines = findings.map(lineOf);
  const order = [...findings.keys()].sort((a, b) => (lines[a] ?? 0) - (lines[b] ?? 0) || a - b);
  const buckets = new Map<string, number[]>();
  for (const at of order) {
    const finding = findings[at];
    if (finding === undefined) continue;
    for (const key of listKeys(finding, finding.file)) {
      const bucket = buckets.get(key);
      if (bucket === undefined) buckets.set(key, [at]);
      else bucket.push(at);
    }
  }
  return {
    findCandidates(earlier, file, line) {
      const found = new Set<number>();
      for (const key of listKeys(earlier, file)) {
        const bucket = buckets.get(key) ?? [];
        const middle = lowerBound(bucket.length, (at) => (lines[bucket[at] ?? 0] ?? 0) < (line ?? 0));
        for (const at of bucket.slice(Math.max(0, middle - MAX_CANDIDATES / 2), middle + MAX_CANDIDATES / 2))
          found.add(at);
      }
      return found;
    },
  };
}
