import type { Hunk } from '../../changes/change.js';
import type { RedactedChange, RedactedFile } from '../../changes/redacted-change.js';
import type { PlacedFinding } from '../../review/merge/place-findings.js';
import { listEnclosing } from '../context/file-sections.js';
import { readChangedWords, readWords } from '../context/named-lines.js';
import { readNewLines } from '../new-side-lines.js';
import type { LineRange, PromptChunk } from '../prompt-chunk.js';

/** What of a finding says where to look: its place and its words. Redacted. */
export type CandidateText = Pick<PlacedFinding, 'file' | 'place' | 'title' | 'message' | 'suggestion'>;

/** Lines on each side of a finding that no hunk holds. */
const NEAR_LINES = 2;

/**
 * Words that prose has only where it names code: `refundOrder`, `MAX_ITEMS`, `step2`, `fill(`, and
 * what is in back quotes.
 */
const codeWord = /`[^`\n]{1,200}`|[\p{L}_$][\p{L}\p{N}_$]{2,63}(?=\()|[\p{L}_$][\p{L}\p{N}_$.:]{2,127}/gu;
const looksLikeCode = /^`|[_$:\p{N}]|\p{Ll}\p{Lu}|\p{L}\.\p{L}/u;

/** Names of code in what was said of a finding. */
export function readNames(text: string): readonly string[] {
  return [...text.matchAll(codeWord)].flatMap(([word], at, all) => {
    const end = (all[at]?.index ?? 0) + word.length;
    return text[end] === '(' || looksLikeCode.test(word) ? readWords(word) : [];
  });
}

/** The lines that a finding is about, as far as the file has them; null: the file as a whole. */
export function readCandidateLines(file: RedactedFile, { place }: Pick<CandidateText, 'place'>): LineRange | null {
  const last = readNewLines(file).length;
  if (place.line === null || place.line > last) return null;
  return { startLine: place.line, endLine: Math.min(last, place.endLine ?? place.line) };
}

/** True where the hunk has one of the lines on its new side; one that only removes lines has the line after them. */
export function overlapsHunk(hunk: Hunk | undefined, { startLine, endLine }: LineRange): boolean {
  if (hunk === undefined) return false;
  return startLine < hunk.newStart + Math.max(1, hunk.newLines) && endLine >= hunk.newStart;
}

/** Changed words of the hunks that hold the finding; else the words of the lines near it. */
function readWordsNear(file: RedactedFile, at: number, range: LineRange, chunk: Pick<PromptChunk, 'files'>) {
  const shown = chunk.files.find((one) => one.file === at)?.hunks ?? [];
  const hunks = shown.filter((hunk) => overlapsHunk(file.hunks[hunk], range));
  const near = readNewLines(file).slice(Math.max(0, range.startLine - 1 - NEAR_LINES), range.endLine + NEAR_LINES);
  return hunks.length > 0 ? readChangedWords([{ at, file, hunks }]) : near.flatMap(readWords);
}

/** Names of the sections that hold the lines: who uses what the finding is in says it by these. */
function readSectionNames(file: RedactedFile, range: LineRange): readonly string[] {
  return listEnclosing(file, range).flatMap(({ name }) => readWords(name));
}

/**
 * The words by which the code that decides about findings is looked for: those that their hunks
 * change, the names of the sections that they are in, and the names that their texts mention.
 */
export function readCandidateWords(
  change: RedactedChange,
  chunk: Pick<PromptChunk, 'files'>,
  findings: readonly CandidateText[],
): ReadonlySet<string> {
  const words = findings.flatMap((finding) => {
    const at = change.files.findIndex(({ path }) => path === finding.file);
    const file = change.files[at];
    const said = [finding.title, finding.message, finding.suggestion ?? ''].flatMap(readNames);
    const range = file === undefined ? null : readCandidateLines(file, finding);
    if (file === undefined || range === null) return said;
    return [...said, ...readWordsNear(file, at, range, chunk), ...readSectionNames(file, range)];
  });
  return new Set(words);
}
