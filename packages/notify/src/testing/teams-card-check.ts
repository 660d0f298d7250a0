type Fields = Readonly<Record<string, unknown>>;

/** What a flow may hold, in characters of its own encoding of a card. */
const maxEncoded = 28_672;

/** Quotes and backslashes as two, all beyond ASCII as six. */
function encodedSize(json: string): number {
  let size = 0;
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    size += unit > 0x7e ? 6 : unit === 0x22 || unit === 0x5c ? 2 : 1;
  }
  return size;
}

const elementTypes = new Set([
  'Container',
  'RichTextBlock',
  'TextBlock',
  'FactSet',
  'ColumnSet',
  'Column',
  'ActionSet',
]);

function refuseElement(value: unknown): string | null {
  const { type, text, inlines, items } = (value ?? {}) as Fields;
  if (typeof type !== 'string' || !elementTypes.has(type)) return `unknown element ${String(type)}`;
  if (type === 'TextBlock') return typeof text === 'string' ? null : 'a TextBlock without text';
  if (type === 'RichTextBlock') {
    const isRun = (one: unknown) => {
      const run = (one ?? {}) as Fields;
      return run['type'] === 'TextRun' && typeof run['text'] === 'string';
    };
    return Array.isArray(inlines) && inlines.every(isRun) ? null : 'a RichTextBlock without text runs';
  }
  return Array.isArray(items) ? firstRefusal(items) : null;
}

function firstRefusal(elements: readonly unknown[]): string | null {
  for (const one of elements) {
    const refusal = refuseElement(one);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** Why a flow posts no card of this message, after it answered 202; null where it does. */
export function refuseCard(message: unknown, bytes: Uint8Array): string | null {
  if (encodedSize(Buffer.from(bytes).toString('utf8')) > maxEncoded) return 'the message is too large';
  const { attachments } = (message ?? {}) as Fields;
  if (!Array.isArray(attachments) || attachments.length === 0) return 'no attachments';
  const { contentType, content } = (attachments[0] ?? {}) as Fields;
  if (contentType !== 'application/vnd.microsoft.card.adaptive') return 'no Adaptive Card';
  const { type, version, body, actions = [] } = (content ?? {}) as Fields;
  if (type !== 'AdaptiveCard' || Number(version) > 1.5 || !Array.isArray(body)) return 'no Adaptive Card';
  const isOpening = (one: unknown) => {
    const { type: action, url } = (one ?? {}) as Fields;
    return action === 'Action.OpenUrl' && typeof url === 'string' && URL.canParse(url);
  };
  if (!Array.isArray(actions) || !actions.every(isOpening)) return 'an action that a flow cannot answer';
  return firstRefusal(body);
}
