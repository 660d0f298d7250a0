import type { RedactedChange, RedactedFile } from '../changes/redacted-change.js';
import { makeVisible } from '../foundation/visible-text.js';
import { deriveFence, fenceOfAnyRequest } from './fence.js';
import type { PromptChunk } from './prompt-chunk.js';
import type { PromptTemplate } from './prompt-variant.js';
import { renderFileHead, renderHunk } from './render-diff.js';

/** A piece of the user text: our own words, or text computed from the redacted change. */
export type PromptPart = { trusted: string } | { redacted: string };

export interface RenderedPrompt {
  /** In order; joined without separators they are the user text. */
  parts: readonly PromptPart[];
}

/** Longer descriptions are cut, with a notice outside their block. */
const MAX_DESCRIPTION_BYTES = 4_096;
const MANY = 99_999;

function opening(fence: string, kind: string): string {
  return `<<<${fence} ${kind}\n`;
}

function closing(fence: string): string {
  return `${fence}>>>\n`;
}

/** Cuts at a character, within `maxBytes` of UTF-8. */
function clip(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}

function describe(change: RedactedChange): { text: string; cut: boolean } {
  const whole = makeVisible(change.description.replaceAll('\r\n', '\n').trim());
  const text = clip(whole, MAX_DESCRIPTION_BYTES);
  const quoted = text === '' ? '(none)' : text.replaceAll('\n', '\n| ');
  return { text: `| ${quoted}\n`, cut: text.length < whole.length };
}

/** One row of the `changed_files` block: the exact text a finding's `file` must have. */
function listed(file: RedactedFile): string {
  return `${file.path}\n`;
}

/** Bytes of the user text without any file. For planning: never less than the real ones. */
export function fixedBytes(change: RedactedChange, template: PromptTemplate): number {
  const frames = 2 * (opening(fenceOfAnyRequest, 'changed_files').length + closing(fenceOfAnyRequest).length);
  const own = template.intro(fenceOfAnyRequest, MANY, MANY) + template.outro + template.descriptionCut;
  return Buffer.byteLength(own) + frames + Buffer.byteLength(describe(change).text);
}

/** Bytes a file costs besides its hunks. For planning: never less than the real ones. */
export function fileOverheadBytes(file: RedactedFile, template: PromptTemplate): number {
  const notice = Buffer.byteLength(template.hiddenHunks(MANY, MANY + 1));
  const frame = opening(fenceOfAnyRequest, 'diff').length + closing(fenceOfAnyRequest).length + notice;
  return frame + Buffer.byteLength(listed(file)) + Buffer.byteLength(renderFileHead(file));
}

/** Text of the change, fenced in a block of its own, or our own words between blocks. */
type Section = { kind: string; redacted: string } | { trusted: string };

function listSections(change: RedactedChange, chunk: PromptChunk, template: PromptTemplate): readonly Section[] {
  const shown = chunk.files.map(({ file: index, hunks }) => {
    const file = change.files[index];
    if (file === undefined || hunks.some((hunk) => file.hunks[hunk] === undefined)) {
      throw new TypeError('renderChangeForPrompt: chunk: expected files and hunks of this change');
    }
    return { file, hunks };
  });
  const description = describe(change);
  const diffs = shown.flatMap(({ file, hunks }): Section[] => {
    const text = hunks.map((hunk) =>
      renderHunk(file.hunks[hunk] as RedactedFile['hunks'][number], hunk, file.hunks.length),
    );
    const isPart = hunks.length < file.hunks.length;
    return [
      { kind: 'diff', redacted: renderFileHead(file) + text.join('') },
      ...(isPart ? [{ trusted: template.hiddenHunks(hunks.length, file.hunks.length) }] : []),
    ];
  });
  return [
    { kind: 'description', redacted: description.text },
    ...(description.cut ? [{ trusted: template.descriptionCut }] : []),
    { kind: 'changed_files', redacted: shown.map(({ file }) => listed(file)).join('') },
    ...diffs,
  ];
}

/**
 * The user text for one chunk, in the template's words. Everything of the change is in blocks whose
 * fence is derived from all of them: the same change and chunk give the same text. Hidden
 * characters are written out. The change must be redacted already; nothing here redacts. Throws
 * `TypeError` for a chunk of another change.
 */
export function renderChangeForPrompt(
  change: RedactedChange,
  chunk: PromptChunk,
  template: PromptTemplate,
): RenderedPrompt {
  const sections = listSections(change, chunk, template);
  const fence = deriveFence(sections.flatMap((section) => ('redacted' in section ? [section.redacted] : [])));
  const blocks = sections.flatMap((section): PromptPart[] =>
    'trusted' in section
      ? [section]
      : [{ trusted: opening(fence, section.kind) }, { redacted: section.redacted }, { trusted: closing(fence) }],
  );
  const intro = { trusted: template.intro(fence, chunk.index, chunk.count) };
  return { parts: [intro, ...blocks, { trusted: template.outro }] };
}

/** The whole user text, for dry runs and tests. What is sent is joined where redacted text is minted. */
export function promptText(prompt: RenderedPrompt): string {
  return prompt.parts.map((part) => ('trusted' in part ? part.trusted : part.redacted)).join('');
}
