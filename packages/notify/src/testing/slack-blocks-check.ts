/** What Slack refuses of blocks, in its own words; null where it takes them. */
export function refuseBlocks(blocks: unknown): string | null {
  if (blocks === undefined) return null;
  if (!Array.isArray(blocks) || blocks.length > 50) return 'invalid_blocks';
  if (!blocks.every(isBlock)) return 'invalid_blocks';
  if (countInline(blocks) > maxInline) return 'invalid_blocks';
  return sumOfTexts(blocks) > maxSum ? 'msg_blocks_too_long' : null;
}

/** Slack documents no limit; a stand-in that took any number would hide a message without one. */
const maxInline = 1_000;

/** Not documented: 9,597 characters were seen to pass, and 11,341 to be refused. */
const maxSum = 9_600;

type Fields = Readonly<Record<string, unknown>>;

const isText = (value: unknown, max: number): boolean =>
  typeof value === 'string' && value.length >= 1 && value.length <= max;

function isPlain(value: unknown, max: number): boolean {
  const { type, text } = (value ?? {}) as Fields;
  return type === 'plain_text' && isText(text, max);
}

function isTextObject(value: unknown, max: number): boolean {
  const { type, text } = (value ?? {}) as Fields;
  return (type === 'plain_text' || type === 'mrkdwn') && isText(text, max);
}

function isInline(value: unknown): boolean {
  const { type, text, url, name } = (value ?? {}) as Fields;
  if (type === 'text') return isText(text, Number.POSITIVE_INFINITY);
  if (type === 'emoji') return isText(name, 100);
  return type === 'link' && isText(url, 3_000) && URL.canParse(String(url));
}

function isRichPart(value: unknown): boolean {
  const { type, elements, style } = (value ?? {}) as Fields;
  if (!Array.isArray(elements) || elements.length === 0) return false;
  if (type === 'rich_text_list')
    return (style === 'bullet' || style === 'ordered') && elements.every((one) => isSection(one));
  return (
    isSection(value) || ((type === 'rich_text_quote' || type === 'rich_text_preformatted') && elements.every(isInline))
  );
}

function isSection(value: unknown): boolean {
  const { type, elements } = (value ?? {}) as Fields;
  return type === 'rich_text_section' && Array.isArray(elements) && elements.every(isInline);
}

function isBlock(value: unknown): boolean {
  const { type, text, elements } = (value ?? {}) as Fields;
  switch (type) {
    case 'divider':
      return true;
    case 'header':
      return isPlain(text, 150);
    case 'section':
      return isTextObject(text, 3_000);
    case 'context':
      return Array.isArray(elements) && elements.length <= 10 && elements.every((one) => isTextObject(one, 3_000));
    case 'rich_text':
      return Array.isArray(elements) && elements.length > 0 && elements.every(isRichPart);
    default:
      return false;
  }
}

function sumOfTexts(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + sumOfTexts(one), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [name, one]) =>
      sum + (typeof one === 'string' ? (name === 'text' || name === 'url' ? one.length : 0) : sumOfTexts(one)),
    0,
  );
}

function countInline(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = isInline(value) ? 1 : 0;
  return Object.values(value).reduce((sum: number, one) => sum + countInline(one), own);
}
