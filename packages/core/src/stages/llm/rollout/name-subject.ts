import type { RedactedChange } from '../../../changes/redacted-change.js';
import type { VariantSubject } from '../../../prompt/prompt-variant.js';
import type { TruePaths } from '../../job/change-snapshot.js';

/** Of whom and what a review is. The true paths are hashed and leave the process nowhere. */
export function nameSubject(change: Pick<RedactedChange, 'user'>, truePaths: readonly TruePaths[]): VariantSubject {
  return { author: change.user, paths: truePaths.map(({ path }) => path) };
}
