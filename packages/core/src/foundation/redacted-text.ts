import { sharedState } from './shared-state.js';

interface Provenance {
  text: string;
  rulesVersion: string;
  policyHash: string;
}

const minted = sharedState('criticizer.redacted-text', () => new WeakMap<object, Provenance>());

/**
 * Text that went through redaction. `redactForLlm` mints one, and so does reading a
 * redacted-namespace artifact: from the store, whose authenticated manifest names the rules, or from
 * the memory of the run that wrote it by rules that it has at hand. An LLM request takes nothing
 * else (ART-6, RED-10).
 */
export interface RedactedText {
  readonly kind: 'criticizer.redacted-text';
}

/** Not public. */
export function mintRedactedText(text: string, rules: { version: string; policyHash: string }): RedactedText {
  const made: RedactedText = Object.freeze({ kind: 'criticizer.redacted-text' });
  minted.set(made, { text, rulesVersion: rules.version, policyHash: rules.policyHash });
  return made;
}

/** True for a text minted by any copy of the SDK. */
export function isRedactedText(value: unknown): value is RedactedText {
  return typeof value === 'object' && value !== null && minted.has(value);
}

/** The text and which rules made it. Throws `TypeError` for an object that was not minted. */
export function readRedactedText(value: RedactedText): Readonly<Provenance> {
  const found = minted.get(value);
  if (found === undefined) throw new TypeError('readRedactedText: not made by redactForLlm');
  return found;
}
