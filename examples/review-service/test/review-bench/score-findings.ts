// Compares what a review found with what was planted.
import { isAbout } from './defect-kinds.js';
import type { BenchChange, GroundTruth } from './make-changes.js';

/** A finding as the review shows it. */
export interface FoundFinding {
  file: string;
  /** Null: the review says the file alone. */
  line: number | null;
  endLine: number | null;
  title: string;
  message: string;
}

/** What became of one finding: the defect that it found, or noise. */
export interface JudgedFinding extends FoundFinding {
  /** `GroundTruth.id`; null: noise. */
  found: string | null;
  /** Lines between it and the defect, 0 within; null where it names no line or is noise. */
  distance: number | null;
}

/** A review of one change, judged. */
export interface JudgedReview {
  number: number;
  truth: readonly GroundTruth[];
  findings: readonly JudgedFinding[];
}

/** A finding further away than so many lines is about something else. */
export const nearLines = 12;
/** A place is right within so many lines. */
export const placeLines = 2;

/** Lines between a finding and a defect of its file; null where they are in different files. */
function measureDistance({ file, line, endLine }: FoundFinding, { places }: GroundTruth): number | null {
  const lines = places.flatMap(({ path, lines: own }) => (path === file ? own : []));
  if (lines.length === 0) return null;
  if (line === null) return nearLines;
  const last = endLine ?? line;
  return Math.min(...lines.map((at) => (at < line ? line - at : Math.max(0, at - last))));
}

/**
 * Gives each defect the nearest finding that is in its file, at most `nearLines` lines away, and
 * about its kind by its words. Every other finding is noise: also the second one about a defect.
 */
export function judgeReview({ change, truth }: BenchChange, findings: readonly FoundFinding[]): JudgedReview {
  const pairs = findings.flatMap((finding, at) =>
    truth.flatMap((defect) => {
      const distance = measureDistance(finding, defect);
      const isHit = distance !== null && distance <= nearLines;
      return isHit && isAbout(defect.kind, `${finding.title}\n${finding.message}`) ? [{ at, defect, distance }] : [];
    }),
  );
  const hits = new Map<number, { id: string; distance: number }>();
  const taken = new Set<string>();
  for (const { at, defect, distance } of pairs.sort((a, b) => a.distance - b.distance || a.at - b.at)) {
    if (hits.has(at) || taken.has(defect.id)) continue;
    hits.set(at, { id: defect.id, distance });
    taken.add(defect.id);
  }
  return {
    number: change.number,
    truth,
    findings: findings.map((finding, at) => {
      const hit = hits.get(at);
      const distance = hit === undefined || finding.line === null ? null : hit.distance;
      return { ...finding, found: hit?.id ?? null, distance };
    }),
  };
}

/** The figures of many reviews. Shares are from 0 to 1; null where nothing was counted. */
export interface Score {
  changes: number;
  defects: number;
  found: number;
  findings: number;
  precision: number | null;
  recall: number | null;
  f1: number | null;
  /** Of the findings that found a defect: those within `placeLines` lines of it. */
  place: number | null;
  /** Findings that found nothing, a change. */
  noise: number | null;
  /** Recall of the defects whose evidence the change itself holds, and of the others. */
  recallInFile: number | null;
  recallCrossFile: number | null;
}

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

export function scoreReviews(reviews: readonly JudgedReview[]): Score {
  const defects = reviews.flatMap(({ truth }) => truth);
  const findings = reviews.flatMap((review) => review.findings);
  const hits = findings.filter(({ found }) => found !== null);
  const foundIds = new Set(hits.map(({ found }) => found));
  const recallOf = (some: readonly GroundTruth[]): number | null =>
    share(some.filter(({ id }) => foundIds.has(id)).length, some.length);
  const placed = hits.filter(({ distance }) => distance !== null && distance <= placeLines);
  return {
    ...{ changes: reviews.length, defects: defects.length, found: hits.length, findings: findings.length },
    precision: share(hits.length, findings.length),
    recall: recallOf(defects),
    f1: share(2 * hits.length, findings.length + defects.length),
    place: share(placed.length, hits.length),
    noise: share(findings.length - hits.length, reviews.length),
    recallInFile: recallOf(defects.filter(({ isCrossFile }) => !isCrossFile)),
    recallCrossFile: recallOf(defects.filter(({ isCrossFile }) => isCrossFile)),
  };
}
