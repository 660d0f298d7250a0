import type { Artifacts } from '../artifacts/artifacts.js';
import type { RuleSet } from '../egress/redactor.js';
import { isCriticizerError } from '../errors.js';
import type { MessageVault } from '../notify/frozen-mail.js';

/**
 * Frozen mails as encrypted artifacts: rows hold a digest and a reference, never text (EGR-5). `rules` made what the mails say; null where
 * something in them is not redacted: they rest among the raw artifacts then (ART-5).
 */
export function createMailVault(artifacts: Artifacts, rules: RuleSet | null): MessageVault {
  const namespace = rules === null ? 'raw' : 'redacted';
  return {
    save: (bytes, about) =>
      artifacts.write({ namespace, purpose: 'mail', contentType: 'application/json', redaction: rules, ...about }, bytes),
    async load(id) {
      try {
        return (await artifacts.read(id)).body;
      } catch (error) {
        if (isCriticizerError(error) && error.code === 'ARTIFACT_MISSING') return null;
        throw error;
      }
    },
  };
}
