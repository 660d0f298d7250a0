import type { KeyVerdict } from '../lexicon/listed-keys.js';

/** What takes the place of a fully redacted value (audit section 3). */
export const REDACTED = '[REDACTED]';

/**
 * Masks one scalar in the form its key asks for (AUD-7). A value without the form's shape is hidden
 * whole. Masking a mask changes nothing.
 */
export function maskScalar(verdict: KeyVerdict, text: string): string {
  if (text === REDACTED) return text;
  if (verdict === 'email') return maskEmail(text);
  if (verdict === 'phone') return maskPhone(text);
  if (verdict === 'id-number') return maskIdNumber(text);
  return verdict === 'card' ? maskCard(text) : REDACTED;
}

const ASCII_DOMAIN = /^[A-Za-z0-9.-]+$/;
const ANY_DOMAIN = /^[\p{L}\p{N}.-]+$/u;

/** `a***@example.com`: the first character of the local part and the whole domain. */
function maskEmail(text: string): string {
  const at = text.lastIndexOf('@');
  const domain = text.slice(at + 1);
  const first = text.codePointAt(0);
  if (at < 1 || first === undefined || domain.length > 255 || !(ASCII_DOMAIN.test(domain) || ANY_DOMAIN.test(domain)))
    return REDACTED;
  return `${String.fromCodePoint(first)}***@${domain}`;
}

/** All but the last two digits; punctuation goes. */
function maskPhone(text: string): string {
  if (/^\*{3,}\d{2}$/.test(text)) return text;
  const digits = text.replace(/\D/g, '');
  return digits.length < 5 || digits.length > 20 ? REDACTED : '*'.repeat(digits.length - 2) + digits.slice(-2);
}

/** All but the last four letters or digits, of at least seven. */
function maskIdNumber(text: string): string {
  if (/^\*{3,}[A-Za-z0-9]{4}$/.test(text)) return text;
  const kept = text.replace(/[^A-Za-z0-9]/g, '');
  return kept.length < 7 || kept.length > 32 ? REDACTED : '*'.repeat(kept.length - 4) + kept.slice(-4);
}

/** The first six and the last four digits of a card number, 12 to 19 digits long. */
export function maskCard(text: string): string {
  if (/^\d{6}\*{2,9}\d{4}$/.test(text)) return text;
  const digits = text.replace(/\D/g, '');
  if (digits.length < 12 || digits.length > 19) return REDACTED;
  return `${digits.slice(0, 6)}${'*'.repeat(digits.length - 10)}${digits.slice(-4)}`;
}
