import { createHash } from 'node:crypto';
import type { RedactedChange } from '../../../changes/redacted-change.js';
import { canonicalJson } from '../../../foundation/canonical-json.js';
import { listNotedLanguages, type NotedLanguage } from '../../../prompt/language-notes.js';
import type { TeamRule } from '../../../prompt/team-rules.js';
import type { TruePaths } from '../../job/change-snapshot.js';
import type { ReviewRules } from './review-rules.js';

/** What the system text adds for the files that a request shows. Trusted text alone. */
export interface Guidance {
  languages: readonly NotedLanguage[];
  rules: readonly TeamRule[];
}

/** The guidance for a request that shows these files, by their place in the change. */
export type Guide = (files: Iterable<number>) => Guidance;

/**
 * Chooses guidance by file: notes by the names that the model sees, rules by true depot paths.
 * Deterministic; the order of the files does not matter.
 */
export function createGuide(
  change: Pick<RedactedChange, 'files'>,
  truePaths: readonly TruePaths[],
  rules: ReviewRules,
): Guide {
  return (files) => {
    const places = [...new Set(files)];
    const names = places.flatMap((at) => {
      const file = change.files[at];
      return file === undefined ? [] : [file.displayPath ?? file.path];
    });
    const paths = places.flatMap((at) => truePaths[at]?.path ?? []);
    return { languages: listNotedLanguages(names), rules: rules.findInstructions(paths) };
  };
}

/** SHA-256 of the rules in this guidance, hex; null without rules. */
export function digestRules({ rules }: Guidance): string | null {
  if (rules.length === 0) return null;
  const list = rules.map(({ paths, instructions }) => ({ paths: [...paths], instructions }));
  return createHash('sha256').update(canonicalJson(list)).digest('hex');
}
