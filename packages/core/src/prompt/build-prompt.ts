import type { RedactedChange, RedactedFile } from '../changes/redacted-change.js';
import { CriticizerError } from '../foundation/errors.js';
import { makeVisible } from '../foundation/visible-text.js';
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
const NONCE = /^[0-9a-f]{16,64}$/;
/** For planning: no real one is longer. */
const LONGEST_NONCE = '0'.repeat(64);
const MANY = 99_999;

function opening(nonce: string, kind: string): string {
  return `<<<${nonce} ${kind}\n`;
}

function closing(nonce: string): string {
  return `${nonce}>>>\n`;
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
  const frames = 2 * (opening(LONGEST_NONCE, 'changed_files').length + closing(LONGEST_NONCE).length);
  const own = template.intro(LONGEST_NONCE, MANY, MANY) + template.outro + template.descriptionCut;
  return Buffer.byteLength(own) + frames + Buffer.byteLength(describe(change).text);
}

/** Bytes a file costs besides its hunks. For planning: never less than the real ones. */
export function fileOverheadBytes(file: RedactedFile, template: PromptTemplate): number {
  const notice = Buffer.byteLength(template.hiddenHunks(MANY, MANY + 1));
  const frame = opening(LONGEST_NONCE, 'diff').length + closing(LONGEST_NONCE).length + notice;
  return frame + Buffer.byteLength(listed(file)) + Buffer.byteLength(renderFileHead(file));
}

function assertFree(nonce: string, parts: readonly PromptPart[]): void {
  const taken = parts.some((part) => 'redacted' in part && part.redacted.toLowerCase().includes(nonce));
  if (!taken) return;
  throw new CriticizerError(
    'PROMPT_NONCE_COLLISION',
    'The change contains the fence of its prompt; another nonce is needed.',
    {
      category: 'conflict',
    },
  );
}

/**
 * The user text for one chunk, in the template's words. Everything of the change stands in blocks
 * fenced by `nonce`: 16 to 64 lower-case hex digits from the cryptographic source, new for each
 * request. Hidden characters are written out. The change must be redacted already; nothing here
 * redacts. Throws `PROMPT_NONCE_COLLISION` (conflict) where the change contains the nonce,
 * `TypeError` for a nonce of another form or a chunk of another change.
 */
export function renderChangeForPrompt(
  change: RedactedChange,
  chunk: PromptChunk,
  nonce: string,
  template: PromptTemplate,
): RenderedPrompt {
  if (!NONCE.test(nonce)) throw new TypeError('renderChangeForPrompt: nonce: expected 16 to 64 lower-case hex digits');
  const shown = chunk.files.map(({ file: index, hunks }) => {
    const file = change.files[index];
    if (file === undefined || hunks.some((hunk) => file.hunks[hunk] === undefined)) {
      throw new TypeError('renderChangeForPrompt: chunk: expected files and hunks of this change');
    }
    return { file, hunks };
  });
  const description = describe(change);
  const block = (kind: string, redacted: string): PromptPart[] => [
    { trusted: opening(nonce, kind) },
    { redacted },
    { trusted: closing(nonce) },
  ];
  const parts: PromptPart[] = [
    { trusted: template.intro(nonce, chunk.index, chunk.count) },
    ...block('description', description.text),
  ];
  if (description.cut) parts.push({ trusted: template.descriptionCut });
  parts.push(...block('changed_files', shown.map(({ file }) => listed(file)).join('')));
  for (const { file, hunks } of shown) {
    const text = hunks.map((hunk) =>
      renderHunk(file.hunks[hunk] as RedactedFile['hunks'][number], hunk, file.hunks.length),
    );
    parts.push(...block('diff', renderFileHead(file) + text.join('')));
    if (hunks.length < file.hunks.length)
      parts.push({ trusted: template.hiddenHunks(hunks.length, file.hunks.length) });
  }
  parts.push({ trusted: template.outro });
  assertFree(nonce, parts);
  return { parts };
}

/** The whole user text, for dry runs and tests. What is sent is joined where redacted text is minted. */
export function promptText(prompt: RenderedPrompt): string {
  return prompt.parts.map((part) => ('trusted' in part ? part.trusted : part.redacted)).join('');
}
