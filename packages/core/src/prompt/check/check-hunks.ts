import type { RedactedChange, RedactedFile } from '../../changes/redacted-change.js';
import { groupFiles } from '../chunks/group-files.js';
import { findTellingPlaces, listShownFiles } from '../context/named-lines.js';
import type { PromptChunk } from '../prompt-chunk.js';
import { type CandidateText, overlapsHunk, readCandidateWords } from './candidate-words.js';

type Place = Pick<CandidateText, 'file' | 'place'>;

function listPathsOf(findings: readonly Pick<Place, 'file'>[]): ReadonlySet<string> {
  return new Set(findings.map(({ file }) => file));
}

/** The chunk with the files of these findings alone; whole where it shows none of them. */
export function narrowToFiles(
  change: RedactedChange,
  chunk: PromptChunk,
  findings: readonly Pick<Place, 'file'>[],
): PromptChunk {
  const wanted = listPathsOf(findings);
  const files = chunk.files.filter(({ file }) => wanted.has(change.files[file]?.path ?? ''));
  return files.length === 0 ? chunk : { ...chunk, files };
}

function holds(file: RedactedFile | undefined, hunk: number, line: number): boolean {
  return overlapsHunk(file?.hunks[hunk], { startLine: line, endLine: line });
}

/**
 * The same with the hunks that hold a finding alone. A file keeps all its hunks where a finding is
 * about the whole of it, or is in none of them.
 */
export function narrowToHunks(change: RedactedChange, chunk: PromptChunk, findings: readonly Place[]): PromptChunk {
  const narrow = narrowToFiles(change, chunk, findings);
  const files = narrow.files.map(({ file: at, hunks }) => {
    const file = change.files[at];
    const lines = findings.flatMap((one) => (one.file === file?.path ? [one.place.line] : []));
    const isLost = lines.some((line) => line === null || !hunks.some((hunk) => holds(file, hunk, line)));
    const kept = hunks.filter((hunk) => lines.some((line) => line !== null && holds(file, hunk, line)));
    return { file: at, hunks: isLost || kept.length === 0 ? hunks : kept };
  });
  return { ...narrow, files };
}

/**
 * The chunk with the files of these findings, those that belong to them (`groupFiles`), and of its
 * other files the hunks that hold a telling word of a finding. Whole where it shows none of the
 * findings' files.
 */
export function narrowToRelated(
  change: RedactedChange,
  chunk: PromptChunk,
  findings: readonly CandidateText[],
): PromptChunk {
  const wanted = listPathsOf(findings);
  const shown = listShownFiles(change, chunk.files);
  const places = findTellingPlaces(shown, readCandidateWords(change, chunk, findings)).flat();
  const groups = groupFiles(
    chunk.files.map(({ file }) => change.files[file]?.displayPath ?? change.files[file]?.path ?? ''),
  );
  const isFindings = (at: number): boolean => wanted.has(change.files[at]?.path ?? '');
  const related = new Set(chunk.files.flatMap(({ file }, place) => (isFindings(file) ? [groups[place]] : [])));
  const files = chunk.files.flatMap(({ file: at, hunks }, place) => {
    if (isFindings(at) || related.has(groups[place])) return [{ file: at, hunks }];
    const kept = hunks.filter((hunk) =>
      places.some(({ file, line }) => file === at && holds(change.files[at], hunk, line)),
    );
    return kept.length === 0 ? [] : [{ file: at, hunks: kept }];
  });
  return related.size === 0 ? chunk : { ...chunk, files };
}
