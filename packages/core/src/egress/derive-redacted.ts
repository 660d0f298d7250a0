import { mintRedactedText, type RedactedText, readRedactedText } from '../foundation/redacted-text.js';

/**
 * Text computed from one redacted text and trusted template text alone: a prompt made from the
 * redacted snapshot. Not public; the guard still scans what comes of it (RED-10).
 */
export function deriveRedacted(source: RedactedText, compute: (text: string) => string): RedactedText {
  const { text, rulesVersion, policyHash } = readRedactedText(source);
  return mintRedactedText(compute(text), { version: rulesVersion, policyHash });
}
