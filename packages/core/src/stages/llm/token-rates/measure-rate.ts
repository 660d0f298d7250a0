import type { RedactedChange } from '../../../changes/redacted-change.js';
import type { TokenCounter } from '../../../llm/llm-provider.js';
import { DEFAULT_BYTES_PER_TOKEN } from '../../../prompt/plan-chunks.js';
import type { PromptTemplate } from '../../../prompt/prompt-variant.js';
import { renderContextLines } from '../../../prompt/render-diff.js';
import { renderFileHunk } from '../../../prompt/render-file.js';

/** Bytes that are counted of one change: half a second's work. */
const maxCountedBytes = 4 << 20;
/** Bytes that one piece has at least, so that a short odd line does not decide. */
const pieceBytes = 2_048;
/** Lines of context in one piece. */
const pieceLines = 64;
/** Part of what was counted that is kept free: chunks are other unions of hunks than the pieces are. */
const margin = 0.05;
/** No plan takes more bytes for a token than this. */
export const maxBytesPerToken = 4;

/** Context as requests show it, in pieces. */
function* listContext(text: string): Generator<string> {
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += pieceLines)
    yield renderContextLines(lines.slice(at, at + pieceLines), at + 1, 'lines');
}

/** The text that requests show of a change, in pieces of some size that end with a file. */
function* listPieces({ files, context = [] }: RedactedChange, template: PromptTemplate): Generator<string> {
  for (const file of files) {
    let piece = '';
    for (const at of file.hunks.keys()) {
      piece += renderFileHunk(file, at, template);
      if (piece.length < pieceBytes) continue;
      yield piece;
      piece = '';
    }
    if (piece !== '') yield piece;
    if (template.context !== undefined && file.newText !== undefined) yield* listContext(file.newText);
  }
  for (const { text } of template.context === undefined ? [] : context) yield* listContext(text);
}

/**
 * Bytes a token of a change, by the counter: of the piece that has fewest, less 5 %, at most 4. Two
 * where there is no text, and at most two where there is more than 4 MiB: the rest is not counted.
 * Deterministic. Throws what the counter throws.
 */
export function measureRate(change: RedactedChange, template: PromptTemplate, counter: TokenCounter): number {
  let left = maxCountedBytes;
  let rate = Number.POSITIVE_INFINITY;
  for (const piece of listPieces(change, template)) {
    const bytes = Buffer.byteLength(piece);
    left -= bytes;
    if (left < 0) return Math.min(rate * (1 - margin), DEFAULT_BYTES_PER_TOKEN);
    const tokens = counter.count(piece);
    if (tokens > 0) rate = Math.min(rate, bytes / tokens);
  }
  return Number.isFinite(rate) ? Math.min(rate * (1 - margin), maxBytesPerToken) : DEFAULT_BYTES_PER_TOKEN;
}
