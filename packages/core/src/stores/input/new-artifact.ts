import { checkFields, type OptionShape } from '../../foundation/check-options.js';
import { checkedElsewhere } from '../../foundation/option-checks.js';
import { checkHex, checkMs, checkOneOf, checkText, checkWhole } from '../../foundation/store-input.js';
import type { NewArtifact } from '../artifact-manifest.js';

/** Its keys; `checkNewArtifact` checks the values. */
const artifactShape: OptionShape<NewArtifact> = {
  id: checkedElsewhere,
  namespace: checkedElsewhere,
  purpose: checkedElsewhere,
  storageKey: checkedElsewhere,
  contentType: checkedElsewhere,
  changelistId: checkedElsewhere,
  jobId: checkedElsewhere,
  ttlMs: checkedElsewhere,
  redaction: checkedElsewhere,
  kekId: checkedElsewhere,
  wrappedKey: checkedElsewhere,
  bytes: checkedElsewhere,
  digest: checkedElsewhere,
};

/** What every store checks before it writes a manifest row. Throws `TypeError` naming the option. */
export function checkNewArtifact(artifact: NewArtifact, at = 'artifact'): void {
  checkFields(at, artifact, artifactShape);
  checkText(`${at}.id`, artifact.id);
  checkOneOf(`${at}.namespace`, artifact.namespace, ['raw', 'redacted']);
  checkOneOf(`${at}.purpose`, artifact.purpose, ['change', 'prompt', 'reply', 'review', 'mail', 'dry-run']);
  checkText(`${at}.storageKey`, artifact.storageKey, 64);
  checkText(`${at}.contentType`, artifact.contentType);
  if (artifact.changelistId !== null) checkText(`${at}.changelistId`, artifact.changelistId, 512);
  if (artifact.jobId !== null) checkText(`${at}.jobId`, artifact.jobId);
  checkMs(`${at}.ttlMs`, artifact.ttlMs, 1);
  checkText(`${at}.kekId`, artifact.kekId);
  checkText(`${at}.wrappedKey`, artifact.wrappedKey, 16_384);
  checkWhole(`${at}.bytes`, artifact.bytes, 0, Number.MAX_SAFE_INTEGER);
  checkHex(`${at}.digest`, artifact.digest, 64);
}
