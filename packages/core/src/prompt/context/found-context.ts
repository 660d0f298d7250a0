import type { RedactedContext } from '../../changes/change-context.js';
import type { RedactedChange } from '../../changes/redacted-change.js';
import { makeVisibleLine } from '../../foundation/visible-text.js';
import { frameBytes, type PromptBlock } from '../prompt-blocks.js';
import type { PromptChunk } from '../prompt-chunk.js';
import { renderContextLines, shownHeading } from '../render-diff.js';

/** Signatures first: most of what a definition tells is in them. */
const ORDER: readonly RedactedContext['form'][] = ['signature', 'lines', 'body'];

function renderHead({ path, displayPath }: RedactedContext): string {
  const alias = displayPath === null ? '' : `stands for: ${makeVisibleLine(displayPath)}\n`;
  return `file: ${makeVisibleLine(path)}\n${alias}`;
}

function renderPiece({ kind, name, startLine, text }: RedactedContext): string {
  const what = `${kind === 'definition' ? 'definition' : 'use'} of ${shownHeading(name)}, lines`;
  return renderContextLines(text.split('\n'), startLine, what);
}

/** Bytes of a piece in a block of its own. */
export function foundBytes(piece: RedactedContext): number {
  return frameBytes('context') + Buffer.byteLength(renderHead(piece) + renderPiece(piece));
}

/** A piece that explains a chunk's hunks, and the first of the files whose hunks they are. */
export interface FoundWish {
  /** Place in the change's `context`. */
  place: number;
  file: number;
  piece: RedactedContext;
}

/** The pieces that explain hunks of a chunk, signatures before bodies. A withheld piece explains none. */
export function listFound(
  { context = [] }: Pick<RedactedChange, 'context'>,
  chunk: Pick<PromptChunk, 'files'>,
): readonly FoundWish[] {
  const shown = new Map(chunk.files.map(({ file, hunks }) => [file, new Set(hunks)]));
  const wishes = context.flatMap((piece, place): FoundWish[] => {
    const target = piece.of.find(({ file, hunks }) => hunks.some((hunk) => shown.get(file)?.has(hunk)));
    return target === undefined || piece.text === '' ? [] : [{ place, file: target.file, piece }];
  });
  return wishes.sort((a, b) => ORDER.indexOf(a.piece.form) - ORDER.indexOf(b.piece.form) || a.place - b.place);
}

/** A block for each file that the pieces of these places stand in. Throws `TypeError` for places of another change. */
export function listFoundBlocks(
  { context = [] }: Pick<RedactedChange, 'context'>,
  places: readonly number[],
): readonly PromptBlock[] {
  const files = new Map<string, string>();
  for (const place of places) {
    const piece = context[place];
    if (piece === undefined) throw new TypeError('renderChangeForPrompt: chunk: expected context of this change');
    files.set(piece.path, (files.get(piece.path) ?? renderHead(piece)) + renderPiece(piece));
  }
  return [...files.values()].map((redacted) => ({ kind: 'context', redacted }));
}
