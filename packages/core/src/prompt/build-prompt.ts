import { createHash } from 'node:crypto';
import type { RedactedChange, RedactedFile } from '../changes/redacted-change.js';
import { listFoundBlocks } from './context/found-context.js';
import { deriveFence, fenceOfAnyRequest } from './fence.js';
import { renderFileList } from './file-list.js';
import { closeBlock, frameBytes, openBlock, type PromptBlock, quoteProse } from './prompt-blocks.js';
import type { LineRange, PromptChunk } from './prompt-chunk.js';
import type { PromptWords } from './prompt-variant.js';
import { renderFileHead } from './render-diff.js';
import { renderFileBody, renderOwnLines } from './render-file.js';

/**
 * A piece of the user text: our own words, text computed from the redacted change, or text of
 * findings, which a model wrote: it is redacted once more before it is sent (ruling R15).
 */
export type PromptPart = { trusted: string } | { redacted: string } | { reported: string };

export interface RenderedPrompt {
  /** In order; joined without separators they are the user text. */
  parts: readonly PromptPart[];
}

/** Longer descriptions are cut, with a notice outside their block. */
const MAX_DESCRIPTION_BYTES = 4_096;
const MAX_JOBS_BYTES = 1_024;
const MANY = 99_999;

/** Redacted text of findings, in a block of its own. */
export interface FindingsBlock {
  kind: string;
  reported: string;
}

function readUntrusted(part: { redacted: string } | { reported: string }): string {
  return 'redacted' in part ? part.redacted : part.reported;
}

/** One row of the `changed_files` block: the exact text a finding's `file` must have. */
function renderName(file: RedactedFile): string {
  return `${file.path}\n`;
}

/** The blocks about the change as a whole: in every chunk the same. */
function listChangeBlocks(
  change: RedactedChange,
  listed: readonly number[],
  template: PromptWords,
): readonly PromptBlock[] {
  const description = quoteProse(change.description, MAX_DESCRIPTION_BYTES);
  const blocks: PromptBlock[] = [{ kind: 'description', redacted: description.text }];
  if (description.cut) blocks.push({ trusted: template.descriptionCut });
  const { context } = template;
  if (context === undefined) return blocks;
  if (change.jobs.length > 0)
    blocks.push({ kind: 'jobs', redacted: quoteProse(change.jobs.join('\n'), MAX_JOBS_BYTES).text });
  blocks.push({ kind: 'whole_change', redacted: renderFileList(change, listed) });
  const unlisted = change.files.length - listed.length;
  if (unlisted > 0) blocks.push({ trusted: context.unlistedFiles(unlisted) });
  return blocks;
}

function blockBytes(block: PromptBlock): number {
  return 'trusted' in block
    ? Buffer.byteLength(block.trusted)
    : frameBytes(block.kind) + Buffer.byteLength(block.redacted);
}

/** Bytes of the user text without any file's text. For planning: never less than the real ones. */
export function fixedBytes(change: RedactedChange, template: PromptWords, listed: readonly number[] = []): number {
  const notice = { trusted: template.descriptionCut };
  const blocks = listChangeBlocks(change, listed, template).filter(
    (block) => !('trusted' in block && block.trusted === notice.trusted),
  );
  const own = { trusted: template.intro(fenceOfAnyRequest, MANY, MANY) + template.outro };
  // Two bytes too many for the description's frame, as 1.1 counted: the plans of frozen jobs stay.
  const frames = frameBytes('changed_files') + 2;
  return [own, notice, ...blocks].reduce((sum, block) => sum + blockBytes(block), frames);
}

/** Bytes a file costs besides its hunks. For planning: never less than the real ones. */
export function fileOverheadBytes(file: RedactedFile, template: PromptWords): number {
  const notice = Buffer.byteLength(template.hiddenHunks(MANY, MANY + 1));
  return frameBytes('diff') + notice + Buffer.byteLength(renderName(file)) + Buffer.byteLength(renderFileHead(file));
}

function readFile(change: RedactedChange, at: number, hunks: readonly number[]): RedactedFile {
  const file = change.files[at];
  if (file === undefined || hunks.some((hunk) => file.hunks[hunk] === undefined))
    throw new TypeError('renderChangeForPrompt: chunk: expected files and hunks of this change');
  return file;
}

/** A file's hunks, between the lines of its new side that are shown round them. */
function listDiffBlocks(
  change: RedactedChange,
  chunk: PromptChunk,
  ranges: ReadonlyMap<number, readonly LineRange[]>,
  template: PromptWords,
): readonly PromptBlock[] {
  return chunk.files.flatMap(({ file: at, hunks }): PromptBlock[] => {
    const file = readFile(change, at, hunks);
    const body = renderFileBody(file, { hunks, ranges: ranges.get(at) ?? [] }, template);
    const isPart = hunks.length < file.hunks.length;
    return [
      { kind: 'diff', redacted: renderFileHead(file) + body },
      ...(isPart ? [{ trusted: template.hiddenHunks(hunks.length, file.hunks.length) }] : []),
    ];
  });
}

/** Lines of the change's files that the chunk has no hunk of. */
function listContextBlocks(
  change: RedactedChange,
  chunk: PromptChunk,
  ranges: ReadonlyMap<number, readonly LineRange[]>,
): readonly PromptBlock[] {
  const diffs = new Set(chunk.files.map(({ file }) => file));
  return [...ranges].flatMap(([at, shown]): PromptBlock[] => {
    if (diffs.has(at)) return [];
    const file = readFile(change, at, []);
    return [
      { kind: 'context', redacted: renderFileHead(file) + shown.map((range) => renderOwnLines(file, range)).join('') },
    ];
  });
}

function listBlocks(change: RedactedChange, chunk: PromptChunk, template: PromptWords): readonly PromptBlock[] {
  const names = chunk.files.map(({ file, hunks }) => renderName(readFile(change, file, hunks)));
  const ranges = new Map(chunk.context?.lines.map((shown) => [shown.file, shown.ranges]));
  return [
    ...listChangeBlocks(change, chunk.listed ?? [], template),
    { kind: 'changed_files', redacted: names.join('') },
    ...listDiffBlocks(change, chunk, ranges, template),
    ...listContextBlocks(change, chunk, ranges),
    ...listFoundBlocks(change, chunk.context?.found ?? []),
  ];
}

/**
 * The user text for one chunk, in the template's words. Everything of the change is in blocks whose
 * fence is derived from all of them: the same change and chunk give the same text. Hidden
 * characters are written out. The change must be redacted already; nothing here redacts. `findings`
 * follow the change, in blocks of the same fence. Throws `TypeError` for a chunk of another
 * change.
 */
export function renderChangeForPrompt(
  change: RedactedChange,
  chunk: PromptChunk,
  template: PromptWords,
  findings: readonly FindingsBlock[] = [],
): RenderedPrompt {
  const blocks = [...listBlocks(change, chunk, template), ...findings];
  const fence = deriveFence(blocks.flatMap((block) => ('trusted' in block ? [] : [readUntrusted(block)])));
  const parts = blocks.flatMap((block): PromptPart[] => {
    if ('trusted' in block) return [block];
    const { kind, ...content } = block;
    return [{ trusted: openBlock(fence, kind) }, content, { trusted: closeBlock(fence) }];
  });
  const intro = { trusted: template.intro(fence, chunk.index, chunk.count) };
  return { parts: [intro, ...parts, { trusted: template.outro }] };
}

/**
 * SHA-256, hex, of all that a chunk's request shows of its change: the user text without the chunk's
 * place in its plan. Throws as `renderChangeForPrompt` does.
 */
export function digestShown(change: RedactedChange, chunk: PromptChunk, template: PromptWords): string {
  const blocks = listBlocks(change, chunk, template);
  return createHash('sha256').update(JSON.stringify(blocks)).digest('hex');
}

/** The whole user text, for dry runs and tests. What is sent is joined where redacted text is minted. */
export function promptText(prompt: RenderedPrompt): string {
  return prompt.parts.map((part) => ('trusted' in part ? part.trusted : readUntrusted(part))).join('');
}
