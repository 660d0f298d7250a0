import { createHash } from 'node:crypto';
import type { NewDeadLetter } from './dead-letter-store.js';

/** What letters of one cause have in common. */
export interface FailureCause {
  /** 12 hex characters of the SHA-256 of class and message. */
  key: string;
  /** At most 200 characters. */
  message: string;
}

const maxRead = 512;
const maxMessage = 200;

/** A run of characters in which an id, a number or a path may stand. */
const token = /[^\s"'`()[\]{}<>,;=|]+/g;
const url = /^([a-z][a-z0-9+.-]{1,15}:\/\/[^/?#]*)(.*)$/i;

const collapseNumbers = (text: string): string => text.replace(/^\d+|\d{2,}/g, '<n>');

function isPath(text: string): boolean {
  return /^(?:\/|\\|\.{1,2}[\\/]|[a-z]:[\\/])./i.test(text) || (text.match(/[\\/]/g)?.length ?? 0) > 1;
}

function isId(text: string): boolean {
  const digits = text.match(/\d/g)?.length ?? 0;
  return (digits > 0 && /^[0-9a-f-]{8,}$/i.test(text)) || (digits > 2 && /^[\w+-]{16,}$/.test(text));
}

function collapse(text: string): string {
  const [, origin, rest] = url.exec(text) ?? [];
  if (origin !== undefined && rest !== undefined)
    return `${collapseNumbers(origin)}${rest.length > 1 ? '/<path>' : rest}`;
  if (/.@./.test(text)) return '<address>';
  if (isPath(text)) return '<path>';
  if (/^[\d.:_T+Z-]*\d[\d.:_T+Z-]*$/.test(text)) return '<n>';
  return isId(text) ? '<id>' : collapseNumbers(text);
}

/**
 * The cause of a dead letter: its class, and the first line of its sanitized stack in which ids,
 * numbers, addresses and paths are collapsed. The same for the same input in every process, and
 * linear in at most 512 characters.
 */
export function describeCause({
  errorClass,
  lastStack,
}: Pick<NewDeadLetter, 'errorClass' | 'lastStack'>): FailureCause {
  const [line = ''] = lastStack.slice(0, maxRead).split(/\r?\n/, 1);
  // A sentence ends with a full stop, an id does not.
  const shape = line.replace(token, (found) => {
    const end = /[.:!?]+$/.exec(found)?.[0] ?? '';
    return collapse(found.slice(0, found.length - end.length)) + end;
  });
  const message = shape
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxMessage)
    .replace(/[\uD800-\uDBFF]$/, '');
  return { key: createHash('sha256').update(`${errorClass}\n${message}`).digest('hex').slice(0, 12), message };
}
