import type { RedactedChange, RedactedFile } from '../../changes/redacted-change.js';
import type { Section } from '../../outline/section.js';
import type { ContextWish } from '../context/context-wish.js';
import { listWishes } from '../context/context-wishes.js';
import { listEnclosing } from '../context/file-sections.js';
import { type ContextRoom, createContextFitter } from '../context/fit-context.js';
import { type FoundWish, listFound } from '../context/found-context.js';
import { listShownFiles, wishWords } from '../context/named-lines.js';
import { readNewLines } from '../new-side-lines.js';
import type { LineRange, PromptChunk } from '../prompt-chunk.js';
import { type CandidateText, readCandidateLines, readCandidateWords } from './candidate-words.js';

/** A section up to this long, about 4,000 tokens, is wanted whole: a review's request shows 110 lines. */
const MAX_WHOLE_LINES = 500;
/** Lines of a declaration that are shown of a longer one. */
const MAX_HEAD_LINES = 12;
/** Unchanged lines on each side of a finding, where its section is too long or unknown. */
const NEAR_LINES = [80, 40, 20, 8];
/** A file of a finding up to this long is shown whole where room is left. */
const MAX_FILE_LINES = 1_500;
const MAX_FILE_BYTES = 49_152;

/** What a check may show round its findings, and how much. */
export interface CheckRoom extends ContextRoom {
  bytesPerToken: number;
  /** Files of the change that the provider reviews: it sees text of no others. By place in the change. */
  files: ReadonlySet<number>;
}

interface Candidate {
  at: number;
  file: RedactedFile;
  /** Null: the file as a whole. */
  range: LineRange | null;
}

function readCandidates(
  change: RedactedChange,
  findings: readonly CandidateText[],
  files: ReadonlySet<number>,
): readonly Candidate[] {
  return findings.flatMap((finding): Candidate[] => {
    const at = change.files.findIndex(({ path }) => path === finding.file);
    const file = change.files[at];
    if (file === undefined || !files.has(at) || file.skipped !== null) return [];
    return [{ at, file, range: readCandidateLines(file, finding) }];
  });
}

function widen({ startLine, endLine }: LineRange, bounds: LineRange, lines: number): LineRange {
  return {
    startLine: Math.max(bounds.startLine, startLine - lines),
    endLine: Math.min(bounds.endLine, endLine + lines),
  };
}

/** A section whole; else its head, the lines near the finding, and its end. */
function listSectionForms({ startLine, bodyLine, endLine }: Section, range: LineRange): ContextWish['forms'] {
  const whole = { startLine, endLine };
  const head = { startLine, endLine: Math.min(endLine, Math.max(bodyLine, startLine), startLine + MAX_HEAD_LINES - 1) };
  const parts = NEAR_LINES.map((lines) => [head, widen(range, whole, lines), { startLine: endLine, endLine }]);
  return endLine - startLine < MAX_WHOLE_LINES ? [[whole], ...parts] : parts;
}

/** The section that a finding is in; with `wide`, those round it as well. */
function wishEnclosing({ at, file, range }: Candidate, level: ContextRoom['level']): readonly ContextWish[] {
  const last = readNewLines(file).length;
  if (range === null || last === 0) return [];
  const [inner, ...outer] = listEnclosing(file, range);
  const whole = { startLine: 1, endLine: last };
  if (inner === undefined)
    return [{ file: at, forms: NEAR_LINES.map((lines) => [widen(range, whole, lines)]), isCounted: true }];
  const sections = level === 'wide' ? [inner, ...outer] : [inner];
  return sections.map((section) => ({ file: at, forms: listSectionForms(section, range), isCounted: true }));
}

function wishFile({ at, file }: Candidate): readonly ContextWish[] {
  const lines = readNewLines(file).length;
  const isShort = lines > 0 && lines <= MAX_FILE_LINES && Buffer.byteLength(file.newText ?? '') <= MAX_FILE_BYTES;
  return isShort ? [{ file: at, forms: [[{ startLine: 1, endLine: lines }]], isCounted: false }] : [];
}

/** Pieces from beyond the change that bear one of the names. */
function listFoundByName(change: RedactedChange, names: ReadonlySet<string>, file: number): readonly FoundWish[] {
  return (change.context ?? []).flatMap((piece, place) =>
    piece.text !== '' && names.has(piece.name) ? [{ place, file, piece }] : [],
  );
}

/**
 * The hunks that a check shows, with more round its findings than a review's request had (GRD-5):
 * the sections that they are in, also long ones, then what the review was shown. With `wide` follow
 * definitions and uses of what findings name, in all files of the change that this provider reviews
 * and beyond it, then the files of the findings whole. Counted, within `freeBytes`. Deterministic.
 */
export function addCheckContext(
  change: RedactedChange,
  view: PromptChunk,
  findings: readonly CandidateText[],
  { level, freeBytes, bytesPerToken, files }: CheckRoom,
): PromptChunk {
  const candidates = readCandidates(change, findings, files);
  const fitter = createContextFitter(change, view, { level, freeBytes });
  fitter.addLines(candidates.flatMap((one) => wishEnclosing(one, level)));
  fitter.addLines(listWishes(change, view, level));
  if (level === 'wide') {
    const words = readCandidateWords(change, view, findings);
    const hunksOf = new Map(view.files.map(({ file, hunks }) => [file, hunks]));
    const own = [...files]
      .filter((file) => change.files[file]?.skipped === null)
      .sort((a, b) => a - b)
      .map((file) => ({ file, hunks: hunksOf.get(file) ?? [] }));
    fitter.addLines(wishWords(listShownFiles(change, own), words));
    fitter.addFound([...listFound(change, view), ...listFoundByName(change, words, view.files[0]?.file ?? 0)]);
    fitter.addLines(candidates.flatMap(wishFile));
  }
  const { context, bytes } = fitter.finish();
  return { ...view, context, estimatedTokens: view.estimatedTokens + Math.ceil(bytes / bytesPerToken) };
}
