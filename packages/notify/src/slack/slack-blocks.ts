import type { JsonObject, JsonValue } from '@criticizer/core/ports';
import { splitCode } from '../chat/split-code.js';
import { isWebUrl } from '../rendering/change-link.js';

/** An element of a line. Its text is shown as it is: Slack reads no markup in it. */
export type SlackInline = JsonObject;
/** One block of a message. */
export type SlackBlock = JsonObject;

/** Text in a line; an empty one, which Slack refuses, gives nothing. */
export function text(value: string, style?: 'bold' | 'code' | 'italic'): SlackInline[] {
  if (value === '') return [];
  return [{ type: 'text', text: value, ...(style === undefined ? {} : { style: { [style]: true } }) }];
}

/** Words of a finding: text between backticks is shown as code. */
export function prose(value: string): SlackInline[] {
  return splitCode(value).flatMap(({ text: piece, isCode }) => text(piece, isCode ? 'code' : undefined));
}

/** A named emoji of Slack's own. */
export const emoji = (name: string): SlackInline => ({ type: 'emoji', name });

const maxUrlChars = 2_000;

/**
 * A link. What would end one in Slack's text form is encoded, whatever form a client makes of it. An
 * address that is too long, or of another scheme than http and https, gives nothing.
 */
export function link(url: string | undefined, label: string): SlackInline[] {
  if (!isWebUrl(url)) return [];
  const encoded = new URL(url).href.replaceAll('|', '%7C').replaceAll('>', '%3E').replaceAll('<', '%3C');
  if (encoded.length > maxUrlChars) return [];
  return [{ type: 'link', url: encoded, text: label }];
}

const section = (elements: readonly SlackInline[]): JsonObject => ({
  type: 'rich_text_section',
  elements: [...elements],
});

/** Lines as they follow each other; those without an element are left out. */
export function lines(...all: readonly (readonly SlackInline[])[]): JsonObject[] {
  const filled = all.filter((line) => line.length > 0);
  const joined = filled.flatMap((line, at) => (at === 0 ? line : [...text('\n'), ...line]));
  return joined.length === 0 ? [] : [section(joined)];
}

/** A list with bullets. */
export function bullets(items: readonly (readonly SlackInline[])[]): JsonObject[] {
  if (items.length === 0) return [];
  return [{ type: 'rich_text_list', style: 'bullet', elements: items.map(section) }];
}

/** Quoted text. */
export function quote(elements: readonly SlackInline[]): JsonObject[] {
  return elements.length === 0 ? [] : [{ type: 'rich_text_quote', elements: [...elements] }];
}

/** Lines of code. */
export function code(value: string): JsonObject[] {
  return value === '' ? [] : [{ type: 'rich_text_preformatted', elements: text(value) }];
}

/** A block of rich text; none where it is empty. */
export function richText(...parts: readonly (readonly JsonObject[])[]): SlackBlock[] {
  const elements = parts.flat();
  return elements.length === 0 ? [] : [{ type: 'rich_text', elements }];
}

/** Text that no markup is read in, nor a name of an emoji. */
const plain = (value: string): JsonObject => ({ type: 'plain_text', text: value, emoji: false });

export const header = (value: string): SlackBlock => ({ type: 'header', text: plain(value) });
export const context = (value: string): SlackBlock => ({ type: 'context', elements: [plain(value)] });
export const divider: SlackBlock = { type: 'divider' };

/** What Slack counts of blocks: texts and addresses, in UTF-16 units. */
export function countChars(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value))
    return (value as readonly JsonValue[]).reduce<number>((sum, one) => sum + countChars(one), 0);
  let sum = 0;
  for (const [name, one] of Object.entries(value))
    sum += typeof one === 'string' ? (name === 'text' || name === 'url' ? one.length : 0) : countChars(one);
  return sum;
}

const inlineTypes: ReadonlySet<unknown> = new Set(['emoji', 'link', 'text']);

/** The elements of lines in blocks: each piece of text, emoji or link is one. */
export function countInline(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = !Array.isArray(value) && inlineTypes.has((value as JsonObject)['type']) ? 1 : 0;
  return Object.values(value).reduce<number>((sum, one) => sum + countInline(one as JsonValue), own);
}
