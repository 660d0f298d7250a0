import type { JsonObject, JsonValue } from '@criticizer/core/ports';
import { splitCode } from '../chat/split-code.js';
import { isWebUrl } from '../rendering/change-link.js';

/** One element of a card. */
export type CardElement = JsonObject;

/** How a text looks: the card's own words. */
export interface CardStyle {
  bold?: boolean | undefined;
  subtle?: boolean | undefined;
  mono?: boolean | undefined;
  color?: 'attention' | 'warning' | 'accent' | 'good' | 'default' | undefined;
}

/** A piece of a line, in which a card reads no markup. */
export type CardRun = JsonObject;

/** A host replaces `{{DATE(…)}}` and `{{TIME(…)}}` in any text of a card: broken, it stays what it is. */
const hostFunction = /\{\{(?=\s*(?:DATE|TIME)\s*\()/gi;

/** Spaces that a card would run together. */
const aligning = /^ +| {2,}/g;

/** Text as it is; an empty one gives nothing. */
export function run(text: string, { bold, subtle, mono, color }: CardStyle = {}): CardRun[] {
  if (text === '') return [];
  const shown = text.replaceAll(hostFunction, '{\u200b{');
  return [
    {
      type: 'TextRun',
      text: mono === true ? shown.replaceAll(aligning, (spaces) => '\u00a0'.repeat(spaces.length)) : shown,
      ...(bold === true && { weight: 'Bolder' }),
      ...(subtle === true && { isSubtle: true }),
      ...(mono === true && { fontType: 'Monospace' }),
      ...(color !== undefined && color !== 'default' && { color }),
    },
  ];
}

/** Words of a finding: text between backticks is shown as code. */
export function prose(text: string): CardRun[] {
  return splitCode(text).flatMap(({ text: piece, isCode }) => run(piece, { mono: isCode }));
}

/** One line of text; none where it is empty. */
export function line(runs: readonly CardRun[], spacing: 'None' | 'Small' | 'Default' = 'Small'): CardElement[] {
  return runs.length === 0 ? [] : [{ type: 'RichTextBlock', spacing, inlines: [...runs] }];
}

/** Each line of a text as one of the card: a card breaks no line itself. Blank ones are left out. */
export function paragraphs(text: string): CardElement[] {
  return listLines(text).flatMap((one) => line(prose(one)));
}

/** Lines of code, close to each other. */
export function codeLines(text: string): CardElement[] {
  return listLines(text).flatMap((one, at) => line(run(one, { mono: true }), at === 0 ? 'Small' : 'None'));
}

function listLines(text: string): string[] {
  return text
    .split('\n')
    .map((one) => one.trimEnd())
    .filter((one) => one !== '');
}

/** What of Markdown a TextBlock reads, and a backslash keeps. */
const markdown = /[\\`*_[\]()#+\-!|~<>]/g;

/** A line of fixed words and numbers: a TextBlock reads Markdown, which those of a host's labels may hold. */
export function words(text: string, more: JsonObject = {}): CardElement[] {
  return text === ''
    ? []
    : [{ type: 'TextBlock', text: text.replace(markdown, '\\$&'), wrap: true, spacing: 'Small', ...more }];
}

const maxUrlChars = 2_000;

/** An address as a card may have it; undefined where it is too long, or not of the web. */
export function toCardUrl(url: string | undefined): string | undefined {
  if (!isWebUrl(url)) return undefined;
  const href = new URL(url).href.replaceAll('(', '%28').replaceAll(')', '%29').replaceAll('|', '%7C');
  return href.length > maxUrlChars ? undefined : href;
}

/** A link of ours in a line of its own. */
export function link(url: string | undefined, label: string): CardElement[] {
  const href = toCardUrl(url);
  if (href === undefined) return [];
  const text = `[${label.replace(markdown, '\\$&')}](${href})`;
  return [{ type: 'TextBlock', text, wrap: true, spacing: 'Small' }];
}

/** What 20,000 bytes of UTF-8 and 28,000 characters of the flow's own encoding have in common. */
export const cardLimit = 20_000;
const escapedLimit = 28_000;
const escapedShare = cardLimit / escapedLimit;

/**
 * The size of a part of a card in bytes, by the larger of two counts: UTF-8 as it is sent, and the flow's own
 * encoding of it, in which quotes and backslashes are two characters and each UTF-16 unit beyond ASCII is six.
 * 24,453 bytes sent were seen to be counted as 28,897.
 */
export function measure(part: JsonValue): number {
  const json = JSON.stringify(part);
  let escaped = 0;
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    escaped += unit > 0x7e ? 6 : unit === 0x22 || unit === 0x5c ? 2 : 1;
  }
  return Math.max(Buffer.byteLength(json), Math.ceil(escaped * escapedShare));
}

/**
 * What a character costs of a limit in a card, where one of ASCII costs 1: half of its size, since texts of
 * other scripts are rarely long in all places at once.
 */
export function costOfCardChar(char: string): number {
  if (char > '\u007e') return char.length * 3 * escapedShare;
  return char === '"' || char === '\\' ? 1.5 : 1;
}
